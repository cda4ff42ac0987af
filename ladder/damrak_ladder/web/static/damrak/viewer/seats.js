// The seats: who sits there, the hand, the contracts, what they have.

import { Counts } from "./market.js";
import { cart, make } from "./make.js";
import { shortestWay } from "./ways.js";
import { signed } from "./words.js";

const DRAWN = ["c", "q", "d", "s", "z", "k", "g", "x", "m", "y", "b"];

/** All seats. `onContract(seat, contract)` is called when somebody asks for a contract's way. */
export class Seats {
  constructor(root, film, speaker, onContract) {
    this.panels = film.match.seats.map((_, seat) => new Panel(film, speaker, seat, onContract));
    root.dataset.count = film.seats;
    root.replaceChildren(...this.panels.map((panel) => panel.root));
  }

  show(state) {
    for (const panel of this.panels) panel.show(state);
  }
}

class Panel {
  constructor(film, speaker, seat, onContract) {
    this.film = film;
    this.speaker = speaker;
    this.seat = seat;
    this.onContract = onContract;
    const { bot, version, owner } = film.match.seats[seat];
    this.score = make("output", "seat__score");
    this.badge = make("span", "tag seat__badge");
    const name = make("strong", "seat__name", bot);
    name.title = `${bot} ${version} · ${owner}`;
    this.carts = make("span");
    this.goods = make("span");
    this.time = make("span", "seat__time");
    this.facts = make("p", "seat__facts", this.carts, this.goods, this.time);
    const hand = make("p", "counts");
    this.hand = new Counts(hand, speaker);
    this.contracts = make("ul", "contracts");
    this.root = make("article", `seat seat--${seat}`, make("header", "", cart(seat), name, this.badge, this.score));
    this.root.append(this.facts, hand, this.contracts);
    this.root.setAttribute("aria-label", bot);
    this.shown = {};
  }

  show(state) {
    const { seat, shown, root, speaker } = this;
    const changed = (letter) => state[letter + seat] !== shown[letter + seat];
    const acts = state.actor?.includes(seat) ?? false;
    if (acts !== this.acts) {
      this.acts = acts;
      root.classList.toggle("acts", acts);
    }
    if (changed("s") || changed("z")) {
      this.score.textContent = signed(state[`z${seat}`] ?? state[`s${seat}`]);
    }
    if (changed("y") || changed("x") || acts !== this.wasActing) this.#badge(state, acts);
    this.wasActing = acts;
    if (changed("k")) this.carts.textContent = speaker.count("n_carts", state[`k${seat}`]);
    if (changed("g")) this.goods.textContent = speaker.count("n_goods", state[`g${seat}`]);
    if (changed("m") || changed("b")) {
      const clock = state[`b${seat}`];
      const time = clock ?? state[`m${seat}`];
      this.time.textContent = speaker.text(clock === undefined ? "thought" : "clock", { n: speaker.seconds(time) });
    }
    const hand = state[`h${seat}`];
    this.hand.show(hand, hand[7]);
    if (["c", "q", "d"].some(changed)) this.#contracts(state);
    this.shown = {};
    for (const letter of DRAWN) this.shown[letter + seat] = state[letter + seat];
  }

  #badge(state, acts) {
    const { seat, speaker } = this;
    const fault = state[`x${seat}`];
    const place = state[`y${seat}`];
    this.badge.classList.toggle("tag--bad", Boolean(fault));
    this.badge.classList.toggle("tag--good", place === 1);
    this.badge.textContent = place
      ? speaker.text("place", { n: place })
      : fault
        ? speaker.text(fault)
        : acts
          ? speaker.text("thinks")
          : "";
    this.badge.hidden = !this.badge.textContent;
  }

  #contracts(state) {
    const { seat, speaker } = this;
    const done = state[`d${seat}`];
    const known = state[`c${seat}`].filter((contract) => contract !== null);
    const items = known.map((contract) => this.#contract(contract, done.includes(contract), ""));
    this.#hidden(items, state[`c${seat}`].length - known.length, "n_hidden_contracts");
    const offered = state[`q${seat}`].filter((contract) => contract !== null);
    for (const contract of offered) items.push(this.#contract(contract, false, speaker.text("choosing")));
    this.#hidden(items, state[`q${seat}`].length - offered.length, "n_offered");
    this.contracts.replaceChildren(...items);
  }

  #hidden(items, number, name) {
    if (!number) return;
    const says = this.speaker.count(name, number);
    items.push(make("li", "", make("span", "contract contract--back", says)));
  }

  #contract(contract, isDone, more) {
    const { speaker } = this;
    const mark = make("b", "", isDone ? "✓" : more ? "?" : "○");
    mark.setAttribute("aria-hidden", "true");
    const state = make("span", "hidden", more || speaker.text(isDone ? "fulfilled" : "unfulfilled"));
    const button = make("button", "contract", mark, ` ${speaker.contract(contract)} `, state);
    button.type = "button";
    button.classList.toggle("contract--done", isDone);
    button.setAttribute("aria-pressed", "false");
    button.dataset.contract = contract;
    button.addEventListener("click", () => this.onContract(this.seat, contract, button));
    return make("li", "", button);
  }
}

/** What to say about a contract's way. */
export function wayInWords(film, state, seat, contract, speaker) {
  const way = shortestWay(film.match, state, seat, contract);
  const says = way === null ? speaker.text("impossible") : speaker.count("n_missing", way.missing);
  return { way, says: `${speaker.contract(contract)}: ${way?.missing === 0 ? speaker.text("fulfilled") : says}` };
}
