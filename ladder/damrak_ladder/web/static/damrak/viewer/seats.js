// The panels of the seats: bot, hand, contracts and possessions.

import { Counts } from "./market.js";
import { cart, make, rise } from "./make.js";
import { shortestWay } from "./ways.js";
import { signed } from "./words.js";

const DRAWN = ["c", "q", "d", "s", "z", "k", "g", "x", "m", "y", "b"];

/**
 * The panels of all seats, with their scores repeated in `brief`. They call
 * `ways.ask(seat, contract, button)` to toggle a contract's way; `ways.isAsked(seat, contract)`
 * returns whether it is shown.
 */
export class Seats {
  constructor(root, brief, film, speaker, ways) {
    this.panels = film.match.seats.map((_, seat) => new Panel(film, speaker, seat, ways));
    root.dataset.count = film.seats;
    root.replaceChildren(...this.panels.map((panel) => panel.root));
    brief.replaceChildren(...this.panels.map((panel) => panel.brief));
  }

  /** Show this state; `rises` is whether gains of points are shown as such. */
  show(state, rises = false) {
    for (const panel of this.panels) panel.show(state, rises);
  }
}

class Panel {
  constructor(film, speaker, seat, ways) {
    this.film = film;
    this.speaker = speaker;
    this.seat = seat;
    this.ways = ways;
    const { bot, version, owner } = film.match.seats[seat];
    this.score = make("output", "seat__score");
    this.points = make("b");
    this.brief = make("span", "", cart(seat), this.points, make("small", "", bot)); // for small windows
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

  show(state, rises) {
    const { seat, shown, root, speaker } = this;
    const changed = (letter) => state[letter + seat] !== shown[letter + seat];
    const acts = state.actor?.includes(seat) ?? false;
    if (acts !== this.acts) {
      this.acts = acts;
      root.classList.toggle("acts", acts);
      this.brief.classList.toggle("acts", acts);
    }
    if (changed("s") || changed("z")) {
      const points = state[`z${seat}`] ?? state[`s${seat}`];
      if (rises && (state[`z${seat}`] === undefined) === (shown[`z${seat}`] === undefined)) {
        for (const score of [this.score, this.points]) rise(score.parentElement, points - this.total);
      }
      this.total = points;
      this.score.textContent = this.points.textContent = signed(points);
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
    if (changed("c") || changed("q")) this.#contracts(state);
    else if (changed("d")) this.#fulfilled(state);
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
    this.held = state[`c${seat}`].filter((contract) => contract !== null).map((contract) => this.#contract(contract));
    const items = this.held.map(({ button }) => make("li", "", button));
    this.#fulfilled(state);
    this.#hidden(items, state[`c${seat}`].length - items.length, "n_hidden_contracts");
    const offered = state[`q${seat}`].filter((contract) => contract !== null);
    for (const contract of offered) {
      const shown = this.#contract(contract);
      mark(shown, "?", speaker.text("choosing"));
      items.push(make("li", "", shown.button));
    }
    this.#hidden(items, state[`q${seat}`].length - offered.length, "n_offered");
    const { activeElement } = document;
    const focused = this.contracts.contains(activeElement) ? activeElement.dataset.contract : null;
    this.contracts.replaceChildren(...items);
    this.contracts.querySelector(`[data-contract="${focused}"]`)?.focus({ preventScroll: true });
  }

  /** Mark fulfilled contracts without replacing the buttons, because one may have the focus. */
  #fulfilled(state) {
    for (const shown of this.held) {
      const isDone = state[`d${this.seat}`].includes(shown.contract);
      mark(shown, isDone ? "✓" : "○", this.speaker.text(isDone ? "fulfilled" : "unfulfilled"));
      shown.button.classList.toggle("contract--done", isDone);
    }
  }

  #hidden(items, number, name) {
    if (!number) return;
    const says = this.speaker.count(name, number);
    items.push(make("li", "", make("span", "contract contract--back", says)));
  }

  #contract(contract) {
    const { seat, speaker, ways } = this;
    const sign = make("b");
    sign.setAttribute("aria-hidden", "true");
    const state = make("span", "hidden");
    const button = make("button", "contract", sign, ` ${speaker.contract(contract)} `, state);
    button.type = "button";
    button.setAttribute("aria-pressed", ways.isAsked(seat, contract));
    button.dataset.contract = contract;
    button.addEventListener("click", () => ways.ask(seat, contract, button));
    return { contract, button, sign, state };
  }
}

function mark({ sign, state }, shown, says) {
  sign.textContent = shown;
  state.textContent = says;
}

/** Return the shortest way of a contract, and its description. */
export function wayInWords(film, state, seat, contract, speaker) {
  const way = shortestWay(film.match, state, seat, contract);
  const says = way === null ? speaker.text("impossible") : speaker.count("n_missing", way.missing);
  return { way, says: `${speaker.contract(contract)}: ${way?.missing === 0 ? speaker.text("fulfilled") : says}` };
}
