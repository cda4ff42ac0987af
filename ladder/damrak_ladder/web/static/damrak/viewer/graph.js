// The graph of scores over the game, with a cursor at the current moment.

import { draw, make } from "./make.js";

const WIDTH = 720;
const HEIGHT = 150;
const NARROW_HEIGHT = 320; // for phones, which show it at half the size
const LEFT = 34;
const EDGE = 8;
const DASHES = ["", "9 4", "3 3", "12 3 3 3"];

/** The graph; it calls `onSeek(at)` when the user selects a moment. */
export class Graph {
  constructor(root, film, speaker, onSeek) {
    this.root = root;
    this.film = film;
    this.height = matchMedia("(max-width: 40rem)").matches ? NARROW_HEIGHT : HEIGHT;
    this.svg = draw("svg", { viewBox: `0 0 ${WIDTH} ${this.height}`, role: "img" });
    const says = speaker.text("score_of");
    this.svg.setAttribute("aria-label", says);
    this.cursor = draw("line", { class: "cursor", y1: 0, y2: this.height });
    const key = make("p", "viewer__key", ...film.match.seats.map((_, seat) => sample(seat, speaker.bot(seat))));
    root.replaceChildren(make("p", "viewer__caption", says), this.svg, key);
    const seek = (event) => {
      const box = this.svg.getBoundingClientRect();
      const share = ((event.clientX - box.left) / box.width) * WIDTH - LEFT;
      onSeek(Math.round((share / (WIDTH - LEFT - EDGE)) * (this.film.length - 1)));
    };
    this.svg.addEventListener("pointerdown", (event) => {
      this.svg.setPointerCapture(event.pointerId);
      seek(event);
    });
    this.svg.addEventListener("pointermove", (event) => {
      if (event.buttons) seek(event);
    });
    this.plot();
  }

  /** Draw all lines; call it again after moments have been added. */
  plot() {
    const { film, height } = this;
    const seats = film.match.seats.map((_, seat) => seat);
    const scores = seats.map((seat) => film.states.map((state) => state[`s${seat}`]));
    const low = Math.min(0, ...scores.flat());
    const high = Math.max(10, ...scores.flat());
    const y = (points) => height - EDGE - ((points - low) / (high - low)) * (height - 2 * EDGE);
    const parts = [];
    for (const points of ticks(low, high)) {
      const at = y(points);
      parts.push(draw("line", { class: "grid-line", x1: LEFT, x2: WIDTH - EDGE, y1: at, y2: at }));
      const text = draw("text", { x: LEFT - 6, y: at + 4, "text-anchor": "end" });
      text.textContent = points < 0 ? `\u2212${-points}` : points;
      parts.push(text);
    }
    for (const seat of seats) {
      let path = "";
      scores[seat].forEach((points, at) => {
        const isCorner = at === 0 || points !== scores[seat][at - 1] || at === film.length - 1;
        if (!isCorner) return;
        const x = this.#x(at).toFixed(1);
        path += at === 0 ? `M${x} ${y(points).toFixed(1)}` : `H${x}V${y(points).toFixed(1)}`;
      });
      parts.push(...line(seat, path));
    }
    this.svg.replaceChildren(...parts, this.cursor);
    this.root.hidden = false;
  }

  /** Move the cursor to this moment. */
  show(at) {
    const x = this.#x(at);
    this.cursor.setAttribute("x1", x);
    this.cursor.setAttribute("x2", x);
  }

  #x(at) {
    return LEFT + (at / Math.max(1, this.film.length - 1)) * (WIDTH - LEFT - EDGE);
  }
}

/** Return a seat's line: with a dark outline, so that light colours are visible, and dashes. */
function line(seat, path) {
  return [
    draw("path", { class: "under", d: path }),
    draw("path", { class: `over seat-${seat}`, d: path, "stroke-dasharray": DASHES[seat] }),
  ];
}

/** Return the legend entry of a seat's line. */
function sample(seat, name) {
  const shown = draw("svg", { viewBox: "0 0 32 10", "aria-hidden": "true" }, ...line(seat, "M1 5H31"));
  return make("span", "", shown, ` ${name}`);
}

function ticks(low, high) {
  const step = [5, 10, 20, 50, 100, 200].find((size) => (high - low) / size <= 6) ?? 500;
  const found = [];
  for (let at = Math.ceil(low / step) * step; at <= high; at += step) found.push(at);
  return found;
}
