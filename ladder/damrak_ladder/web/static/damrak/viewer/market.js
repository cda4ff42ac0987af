// The row, the pile and the discards, and the cards hidden from the chosen viewpoint.

import { card, make } from "./make.js";
import { KINDS } from "./words.js";

/** The row, the pile and the discards. */
export class Market {
  constructor(root, speaker) {
    this.speaker = speaker;
    this.row = make("ol", "row");
    this.slots = Array.from({ length: 5 }, () => make("li"));
    this.row.append(...this.slots);
    this.pile = make("dd");
    this.discards = make("dd", "counts");
    this.thrown = new Counts(this.discards, speaker);
    this.goods = make("dd");
    const facts = make("dl", "market-facts");
    for (const [name, place] of [["pile", this.pile], ["goods_left", this.goods], ["discards", this.discards]]) {
      facts.append(make("div", name, make("dt", "", speaker.text(name)), place));
    }
    this.row.setAttribute("aria-label", speaker.text("row"));
    root.replaceChildren(this.row, facts);
    this.shown = {};
  }

  show(state) {
    if (state.row !== this.shown.row) {
      state.row.forEach((kind, slot) => {
        if (kind === this.shown.row?.[slot]) return;
        this.slots[slot].replaceChildren(this.#face(slot, kind));
      });
    }
    if (state.pile !== this.shown.pile) this.pile.textContent = state.pile;
    if (state.goods !== this.shown.goods) this.goods.textContent = state.goods;
    this.thrown.show(state.discards, state.lost);
    this.shown = state;
  }

  /** Return the card for this slot, or its empty place; both are created once and reused. */
  #face(slot, kind) {
    const faces = (this.slots[slot].faces ??= []);
    return (faces[kind + 1] ??= kind < 0
      ? make("span", "card none", make("span", "hidden", this.speaker.text("empty")))
      : card(KINDS[kind], this.speaker.text(KINDS[kind])));
  }
}

/** Cards by kind with their numbers; kinds without cards are hidden. Elements are reused. */
export class Counts {
  constructor(root, speaker) {
    this.speaker = speaker;
    this.numbers = KINDS.map(() => make("b"));
    this.cards = KINDS.map((kind, at) => {
      const shown = card(kind, speaker.text(kind));
      shown.append(this.numbers[at]);
      return shown;
    });
    this.back = make("span", "card back", make("b"), make("span", "hidden"));
    this.none = make("span", "soft", "–");
    root.replaceChildren(...this.cards, this.back, this.none);
    this.shown = [];
    for (const part of root.children) part.hidden = true;
  }

  /** Show these numbers of each kind, and a number of unknown cards. */
  show(numbers, hidden = 0) {
    if (numbers === this.last && hidden === this.hidden) return;
    let all = hidden;
    for (let kind = 0; kind < KINDS.length; kind++) {
      const number = numbers[kind];
      all += number;
      if (number === this.shown[kind]) continue;
      this.shown[kind] = number;
      this.cards[kind].hidden = !number;
      if (number) this.numbers[kind].textContent = number;
    }
    if (hidden !== this.hidden) {
      this.back.hidden = !hidden;
      const [number, name] = this.back.children;
      number.textContent = hidden;
      name.textContent = this.back.title = this.speaker.count("n_hidden", hidden);
    }
    this.none.hidden = all > 0;
    this.last = numbers;
    this.hidden = hidden;
  }
}

/** The cards hidden from the chosen viewpoint: where they may be, and which are certain. */
export class Knowledge {
  constructor(root, speaker, film) {
    this.root = root;
    this.speaker = speaker;
    this.film = film;
    this.says = root.querySelector("[data-knows-says]");
    this.unseen = new Counts(root.querySelector("[data-knows-cards]"), speaker);
    this.certain = this.unseen.cards.map((shown) => {
      const note = make("em");
      note.hidden = true;
      shown.append(note);
      return note;
    });
  }

  show(state) {
    if (["unseen", "floor", "pile"].every((name) => state[name] === this.shown?.[name])) return;
    this.shown = state;
    this.root.hidden = false;
    let hidden = 0;
    for (let seat = 0; seat < this.film.seats; seat++) hidden += state[`h${seat}`][KINDS.length];
    const { speaker } = this;
    this.says.textContent = speaker.text("unseen", {
      pile: speaker.count("n_cards", state.pile),
      hidden: speaker.count("n_cards", hidden),
    });
    this.unseen.show(state.unseen);
    state.floor.forEach((number, kind) => {
      const note = this.certain[kind];
      note.hidden = !number || !hidden;
      if (!note.hidden) note.textContent = speaker.text("in_hands", { n: number });
    });
  }
}
