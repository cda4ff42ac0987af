// Places on the board that can be clicked: one for each route, as large as its spaces.

import { draw } from "../viewer/make.js";

const MARGIN = 6;

/** Lay a transparent shape over each route; `choose(route)` is called when it is clicked. */
export class Hits {
  constructor(svg, choose) {
    this.shapes = [];
    const layer = draw("g", { class: "hits" });
    for (const group of svg.querySelectorAll("[data-carts]")) {
      const route = Number(group.dataset.carts);
      const [, span, across, height] = group.dataset.row.split(" ").map(Number);
      const shape = draw("rect", {
        class: "hit",
        "data-route": route,
        transform: group.getAttribute("transform"),
        x: -span / 2 - MARGIN,
        y: across - height / 2 - MARGIN / 2,
        width: span + 2 * MARGIN,
        height: height + MARGIN,
        rx: 7,
      });
      shape.addEventListener("click", () => choose(route));
      this.shapes[route] = shape;
      layer.append(shape);
    }
    svg.append(layer);
  }

  /** Light the routes that can be claimed. */
  light(routes) {
    this.shapes.forEach((shape, route) => shape.classList.toggle("hit--lit", routes.has(route)));
  }
}
