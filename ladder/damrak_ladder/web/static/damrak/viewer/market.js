// What lies open: the row, the pile, the discards; and what nobody can see.

import { card, make } from "./make.js";
import { KINDS } from "./words.js";

/** Row, pile and discards. */
export class Market {
  constructor(root, speaker) {
    this.speaker = speaker;
    this.row = make("ol", "row");
    this.slots = Array.from({ length: 5 }, () => make("li"));
    this.row.append(...this.slots);
    this.pile = make("dd");
    this.discards = make("dd", "counts");
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
        const name = kind < 0 ? null : KINDS[kind];
        this.slots[slot].replaceChildren(
          name ? card(name, this.speaker.text(name)) : make("span", "card none", make("span", "hidden", this.speaker.text("empty"))),
        );
      });
    }
    if (state.pile !== this.shown.pile) this.pile.textContent = state.pile;
    if (state.goods !== this.shown.goods) this.goods.textContent = state.goods;
    if (state.discards !== this.shown.discards || state.lost !== this.shown.lost) {
      this.discards.replaceChildren(...counted(state.discards, this.speaker, state.lost));
    }
    this.shown = state;
  }
}

/** Cards by kind with their numbers; kinds that are not there are left out. */
export function counted(numbers, speaker, hidden = 0) {
  const made = [];
  for (let kind = 0; kind < KINDS.length; kind++) {
    if (!numbers[kind]) continue;
    const shown = card(KINDS[kind], speaker.text(KINDS[kind]));
    shown.append(make("b", "", numbers[kind]));
    made.push(shown);
  }
  if (hidden) {
    const shown = make("span", "card back", make("b", "", hidden));
    shown.title = speaker.count("n_hidden", hidden);
    shown.append(make("span", "hidden", shown.title));
    made.push(shown);
  }
  if (!made.length) made.push(make("span", "soft", "–"));
  return made;
}

/** What the chosen eyes cannot see: where it may be, and what is certain. */
export class Knowledge {
  constructor(root, speaker, film) {
    this.root = root;
    this.speaker = speaker;
    this.film = film;
    this.says = root.querySelector("[data-knows-says]");
    this.cards = root.querySelector("[data-knows-cards]");
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
    this.cards.replaceChildren(...counted(state.unseen, speaker));
    state.floor.forEach((number, kind) => {
      if (!number || !hidden) return;
      const chip = this.cards.querySelector(`.card.${KINDS[kind]}`);
      chip?.append(make("em", "", speaker.text("in_hands", { n: number })));
    });
  }
}
