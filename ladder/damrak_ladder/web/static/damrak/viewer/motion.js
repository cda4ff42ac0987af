// Cards and carts in motion: from the row or the pile to a hand, and from a seat to the board.
// Copies move above the page by transforms, so the layout never changes.

import { card, cart, make } from "./make.js";

const FLIGHT_MS = 480;
const APART_MS = 45; // between the carts of a claim
const FAST = 5; // from this speed on, nothing moves

/** The motion of one viewer or table. `root` contains the market, the seats and the board. */
export class Motion {
  constructor(root) {
    this.root = root;
    this.reduced = matchMedia("(prefers-reduced-motion: reduce)");
  }

  /** Move what this event moves, after the page shows its result. */
  show(event, speed = 1) {
    if (this.reduced.matches || speed >= FAST || document.hidden) return;
    const { seat } = event;
    if (event.event === "take") this.#draw(this.#box(`.row li:nth-child(${event.slot + 1})`), seat, event.card);
    else if (event.event === "blind") this.#draw(this.#box(".market-facts .pile"), seat, event.card ?? "back");
    else if (event.event === "claim") this.#lay(seat, event.route);
  }

  #draw(from, seat, kind) {
    const to = this.#box(`.seat--${seat} .counts`) ?? this.#brief(seat);
    if (from && to) this.#fly(card(kind, ""), from, to, 0);
  }

  #lay(seat, route) {
    const from = this.#box(`.seat--${seat} header svg`) ?? this.#brief(seat);
    if (!from) return;
    this.root.querySelectorAll(`[data-carts="${route}"] use`).forEach((laid, number) => {
      const to = inView(laid);
      if (to) this.#fly(cart(seat), from, to, number * APART_MS, to);
    });
  }

  #fly(thing, from, to, delay, size = null) {
    const flight = make("span", "flight", thing);
    flight.setAttribute("aria-hidden", "true");
    this.root.append(flight);
    if (size) thing.style.width = `${Math.max(size.width, size.height)}px`;
    const { width, height } = flight.getBoundingClientRect();
    const at = (box) => `translate(${middle(box.left, box.width, width)}px, ${middle(box.top, box.height, height)}px)`;
    const frames = [
      { transform: at(from), opacity: 1 },
      { transform: at(to), opacity: 1, offset: 0.85 },
      { transform: at(to), opacity: 0 },
    ];
    const moving = flight.animate(frames, { duration: FLIGHT_MS, delay, easing: "cubic-bezier(.3,.1,.3,1)", fill: "both" });
    moving.finished.catch(() => null).then(() => flight.remove());
  }

  #brief(seat) {
    return this.#box(`[data-brief] > span:nth-child(${seat + 1})`);
  }

  /** Return the box of a part that can be seen. */
  #box(selector) {
    const part = this.root.querySelector(selector);
    return part && inView(part);
  }
}

function inView(part) {
  const box = part.getBoundingClientRect();
  const isShown = box.width > 0 && box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth;
  return isShown ? box : null;
}

const middle = (start, length, own) => start + (length - own) / 2;
