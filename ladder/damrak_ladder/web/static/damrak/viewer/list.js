// The list of everything that happened, in step with the board.

import { make } from "./make.js";

const ASIDE = new Set(["refill", "reshuffle", "flush"]);

/** The list. What the server wrote is kept as long as the eyes are the same. */
export class EventList {
  constructor(root, film, speaker, isFresh) {
    this.root = root;
    this.film = film;
    this.speaker = speaker;
    if (!isFresh || root.children.length !== film.length) {
      root.replaceChildren();
      this.extend();
    }
    this.current = null;
  }

  /** Add the lines that are missing. */
  extend() {
    const added = [];
    for (let at = this.root.children.length; at < this.film.length; at++) {
      added.push(this.#line(at));
    }
    this.root.append(...added);
  }

  /**
   * Mark this moment, and bring it into sight without moving the page. To be called before anything
   * else is changed: it measures, which is cheap only as long as nothing has been.
   */
  show(at) {
    const line = this.root.children[at];
    const top = line.offsetTop; // within the list, which is positioned
    const { scrollTop, clientHeight } = this.root;
    const isOut = top < scrollTop || top + line.offsetHeight > scrollTop + clientHeight;
    this.current?.removeAttribute("aria-current");
    this.current = line.firstElementChild;
    this.current.setAttribute("aria-current", "true");
    if (isOut) this.root.scrollTop = top - clientHeight / 3;
  }

  #line(at) {
    const event = this.film.events[at];
    const link = make("a", "", this.speaker.say(event, this.film.states[at]));
    link.href = `#${at}`;
    const line = make("li", ASIDE.has(event.event) ? "aside" : "", link);
    if (event.note) line.append(make("q", "", event.note));
    return line;
  }
}
