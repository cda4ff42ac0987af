// Elements, made shortly.

const SVG = "http://www.w3.org/2000/svg";

/** An HTML element of this class with these children. */
export function make(name, className = "", ...children) {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...children);
  return made;
}

/** An SVG element with these attributes and children. */
export function draw(name, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** A small picture of something that the board's drawing defines. */
export function picture(id, box) {
  return draw("svg", { viewBox: box, "aria-hidden": "true" }, draw("use", { href: `#${id}` }));
}

/** The cart of a seat. */
export const cart = (seat) => picture(`cart-${seat}`, "-21 -14 42 28");

/** A card of a kind, with its name for those who cannot see it. */
export function card(kind, name) {
  const made = make("span", `card ${kind}`, picture(`sign-${kind}`, "-8 -8 16 16"));
  made.append(make("span", "hidden", name));
  made.title = name;
  return made;
}
