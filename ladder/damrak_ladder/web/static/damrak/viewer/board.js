// The board drawn by the server, with updates: carts, the current event, and ways of contracts.

import { draw } from "./make.js";

const TALLER = 7; // additional distance of a name's lines on a phone
const DOT = 13; // radius of a place, including its margin
const SIDES = [[0, -1], [0, 1], [1, 0], [-1, 0]]; // above, below, right, left

/** The picture of the board. */
export class BoardView {
  constructor(svg, match) {
    this.svg = svg;
    this.match = match;
    this.carts = [];
    for (const group of svg.querySelectorAll("[data-carts]")) {
      this.carts[Number(group.dataset.carts)] = group;
    }
    this.spots = [...svg.querySelectorAll("[data-location]")].map((group) => {
      const circle = group.querySelector("circle");
      return { group, x: Number(circle.getAttribute("cx")), y: Number(circle.getAttribute("cy")) };
    });
    this.ways = svg.querySelector(".ways");
    this.owners = this.carts.map((group) => group.dataset.seat);
    this.lit = [];
    this.view = svg.getAttribute("viewBox");
    const narrow = matchMedia("(max-width: 40rem), (max-height: 31.25rem)");
    this.#fitNames(narrow.matches);
    narrow.addEventListener("change", () => this.#fitNames(narrow.matches));
  }

  /** On a phone, names are larger than the drawing's space for them, so they extend outwards. */
  #fitNames(isNarrow) {
    for (const { group, x } of this.spots) {
      const lines = group.querySelectorAll("text");
      lines.forEach((text, line) => {
        const place = (text.placed ??= {
          x: Number(text.getAttribute("x")),
          y: Number(text.getAttribute("y")),
          width: Number(text.getAttribute("textLength")),
        });
        const apart = isNarrow ? (line - (lines.length - 1) / 2) * TALLER : 0;
        text.setAttribute("y", place.y + apart);
        if (isNarrow) {
          const isLeft = place.x + place.width < x;
          const isRight = place.x > x;
          text.removeAttribute("textLength");
          text.setAttribute("text-anchor", isLeft ? "end" : isRight ? "start" : "middle");
          text.setAttribute("x", isLeft ? place.x + place.width : isRight ? place.x : place.x + place.width / 2);
        } else {
          text.setAttribute("textLength", place.width);
          text.removeAttribute("text-anchor");
          text.setAttribute("x", place.x);
        }
      });
    }
    if (isNarrow) this.#spreadNames();
    this.svg.setAttribute("viewBox", isNarrow ? this.#roomForNames() : this.view);
  }

  /** Move enlarged names that cover other names or places to the side with the least overlap. */
  #spreadNames() {
    const names = this.spots.map(({ group, x, y }) => {
      const lines = [...group.querySelectorAll("text")];
      const dot = { x: x - DOT, y: y - DOT, width: 2 * DOT, height: 2 * DOT };
      return { x, y, lines, dot, box: around(lines) };
    });
    for (const name of names) {
      const others = names.filter((other) => other !== name).flatMap(({ box, dot }) => [box, dot]);
      const covered = (box) => others.reduce((sum, other) => sum + shared(box, other), 0);
      let best = name.box;
      for (const side of SIDES) {
        if (!covered(best)) break;
        const moved = beside(name, ...side);
        if (covered(moved) < covered(best)) best = moved;
      }
      for (const text of name.lines) {
        text.setAttribute("x", Number(text.getAttribute("x")) + best.x - name.box.x);
        text.setAttribute("y", Number(text.getAttribute("y")) + best.y - name.box.y);
      }
      name.box = best;
    }
  }

  /** Return the frame of the drawing, widened to include enlarged names. */
  #roomForNames() {
    const [left, top, width, height] = this.view.split(" ").map(Number);
    let from = left;
    let to = left + width;
    for (const text of this.svg.querySelectorAll(".name")) {
      const box = text.getBBox();
      from = Math.min(from, box.x - 6);
      to = Math.max(to, box.x + box.width + 6);
    }
    return `${from} ${top} ${to - from} ${height}`;
  }

  /** Show the owners of all routes, updating only those that have changed. */
  show(state) {
    for (let route = 0; route < this.carts.length; route++) {
      const owner = state[`r${route}`]?.toString();
      if (owner === this.owners[route]) continue;
      this.owners[route] = owner;
      const group = this.carts[route];
      if (owner === undefined) {
        delete group.dataset.seat;
        group.replaceChildren();
      } else {
        group.dataset.seat = owner;
        group.replaceChildren(...row(group, owner));
      }
    }
  }

  /** Highlight the route and places of this event. */
  point(event) {
    for (const element of this.lit) element.classList.remove("now");
    this.lit = [];
    if (event.event !== "claim") return null;
    const [a, b] = this.match.routes[event.route];
    this.lit = [this.carts[event.route], this.spots[a].group, this.spots[b].group];
    for (const element of this.lit) element.classList.add("now");
    return this.lit[0];
  }

  /** Draw the ends of a contract, and a way between them if there is one. */
  showWay(contract, way) {
    const [a, b] = this.match.contracts[contract];
    const drawn = [];
    for (const route of way?.routes ?? []) {
      const [from, to] = this.match.routes[route].map((place) => this.spots[place]);
      const owned = way.own.has(route) ? "way way--own" : "way";
      const d = `M${from.x} ${from.y}L${to.x} ${to.y}`;
      drawn.push(draw("path", { class: "way-halo", d }), draw("path", { class: owned, d }));
    }
    for (const place of [a, b]) {
      const { x, y } = this.spots[place];
      drawn.push(draw("circle", { class: "way-end", cx: x, cy: y, r: 19 }));
    }
    this.ways.replaceChildren(...drawn);
    this.#name([a, b]);
  }

  hideWay() {
    this.ways.replaceChildren();
  }

  /** Draw names that are legible on a phone, on top of everything else. */
  #name(places) {
    const { x: left, width } = this.svg.viewBox.baseVal;
    for (const place of places) {
      const spot = this.spots[place];
      const side = spot.x > left + width * 0.7 ? "end" : spot.x < left + width * 0.3 ? "start" : "middle";
      const text = draw("text", { class: "way-name", x: spot.x, y: spot.y - 28, "text-anchor": side });
      text.textContent = this.match.places[place];
      this.ways.append(text);
    }
  }
}

/** Return the bounding box of these lines of text. */
function around(lines) {
  const boxes = lines.map((line) => line.getBBox());
  const x = Math.min(...boxes.map((box) => box.x));
  const y = Math.min(...boxes.map((box) => box.y));
  const width = Math.max(...boxes.map((box) => box.x + box.width)) - x;
  return { x, y, width, height: Math.max(...boxes.map((box) => box.y + box.height)) - y };
}

/** Return the box of a name on the given side of its place. */
function beside({ x, y, box: { width, height } }, right, down) {
  return {
    x: x - width / 2 + right * (width / 2 + DOT),
    y: y - height / 2 + down * (height / 2 + DOT),
    width,
    height,
  };
}

/** Return the area of the overlap of two boxes. */
function shared(one, other) {
  const across = Math.min(one.x + one.width, other.x + other.width) - Math.max(one.x, other.x);
  const along = Math.min(one.y + one.height, other.y + other.height) - Math.max(one.y, other.y);
  return across > 0 && along > 0 ? across * along : 0;
}

/** Return the contents of a claimed or closed route, as the server draws them (sketch.py). */
function row(group, owner) {
  const [length, span, across, height] = group.dataset.row.split(" ").map(Number);
  const drawn = [draw("rect", { class: "hold", x: -span / 2, y: across - height / 2, width: span, height, rx: 5 })];
  for (let i = 0; owner !== "-1" && i < length; i++) {
    const x = (span / length) * (i + 0.5) - span / 2;
    drawn.push(draw("use", { x, y: across, href: `#cart-${owner}` }));
  }
  return drawn;
}
