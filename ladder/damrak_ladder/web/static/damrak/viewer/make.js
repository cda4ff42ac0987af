// Short helpers that create elements.

const SVG = "http://www.w3.org/2000/svg";

/** Create an HTML element of this class with these children. */
export function make(name, className = "", ...children) {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...children);
  return made;
}

/** Create an SVG element with these attributes and children. */
export function draw(name, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** Create a small picture of a shape that the board's drawing defines. */
export function picture(id, box) {
  return draw("svg", { viewBox: box, "aria-hidden": "true" }, draw("use", { href: `#${id}` }));
}

/** Create a picture of a seat's cart. */
export const cart = (seat) => picture(`cart-${seat}`, "-21 -14 42 28");

/** Create a card of a kind, with its name for screen readers. */
export function card(kind, name) {
  const made = make("span", `card ${kind}`, picture(`sign-${kind}`, "-8 -8 16 16"));
  made.append(make("span", "hidden", name));
  made.title = name;
  return made;
}

/** Show a gain or loss of points for a moment; the score itself has the text for screen readers. */
export function rise(host, points) {
  if (!points || !host) return;
  host.querySelector(".rise")?.remove();
  const shown = make("span", `rise${points < 0 ? " rise--loss" : ""}`, points < 0 ? `\u2212${-points}` : `+${points}`);
  shown.setAttribute("aria-hidden", "true");
  shown.addEventListener("animationend", () => shown.remove());
  host.append(shown);
}
