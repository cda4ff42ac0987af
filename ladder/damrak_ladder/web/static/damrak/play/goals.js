// The contracts of the person: dashed ways on the board, and what is missing in words.

import { draw, make } from "../viewer/make.js";
import { wayInWords } from "../viewer/seats.js";

/** Draw the ways of all unfulfilled contracts, or only that of the chosen one. */
export class Goals {
  constructor(list, board, film, speaker, seat) {
    Object.assign(this, { list, board, film, speaker, seat, chosen: null });
  }

  choose(contract) {
    this.chosen = this.chosen === contract ? null : contract;
  }

  show(state) {
    const { film, seat, speaker } = this;
    const done = state[`d${seat}`];
    const held = [...state[`c${seat}`], ...state[`q${seat}`]].filter((one) => one !== null);
    const drawn = [];
    const lines = held.map((contract) => {
      const { way, says } = wayInWords(film, state, seat, contract, speaker);
      const line = make("li", done.includes(contract) ? "done" : way ? "" : "lost", says);
      const isShown = this.chosen === null ? !done.includes(contract) : contract === this.chosen;
      if (isShown) drawn.push(...this.#way(contract, way));
      return line;
    });
    this.list.replaceChildren(...lines);
    this.board.ways.replaceChildren(...drawn);
  }

  #way(contract, way) {
    const { match } = this.film;
    const { spots } = this.board;
    const drawn = [];
    for (const route of way?.routes ?? []) {
      const [from, to] = match.routes[route].map((place) => spots[place]);
      const name = way.own.has(route) ? "way way--own" : "way";
      drawn.push(draw("path", { class: name, d: `M${from.x} ${from.y}L${to.x} ${to.y}` }));
    }
    for (const place of match.contracts[contract].slice(0, 2)) {
      drawn.push(draw("circle", { class: "way-end", cx: spots[place].x, cy: spots[place].y, r: 19 }));
    }
    return drawn;
  }
}
