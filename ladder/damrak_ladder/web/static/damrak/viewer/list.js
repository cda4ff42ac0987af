// The list of everything that happened, in step with the board.

import { make } from "./make.js";

const ASIDE = new Set(["refill", "reshuffle", "flush"]);

/**
 * The list, in sheets of some lines each: the browser then draws anew only the one that has changed.
 * What the server wrote is kept as long as the eyes are the same. Tab stops at the moment that is
 * shown alone: behind hundreds of lines nobody would get by keyboard to what follows.
 */
export class EventList {
  constructor(root, film, speaker, isFresh) {
    this.root = root;
    this.film = film;
    this.speaker = speaker;
    this.perSheet = Number(root.dataset.events);
    this.lines = isFresh ? [...root.querySelectorAll("li")] : [];
    if (this.lines.length !== film.length) {
      this.lines = [];
      root.replaceChildren();
      this.extend();
    }
    root.querySelector("[aria-current]")?.removeAttribute("aria-current"); // the server's
    for (const line of this.lines) line.firstElementChild.tabIndex = -1;
    this.current = null;
  }

  /** Add the lines that are missing. */
  extend() {
    for (let at = this.lines.length; at < this.film.length; at++) {
      if (at % this.perSheet === 0) {
        const sheet = make("ol");
        sheet.start = at;
        this.root.append(sheet);
      }
      const line = this.#line(at);
      this.lines.push(line);
      this.root.lastElementChild.append(line);
    }
  }

  /**
   * Mark this moment, and bring it into sight without moving the page. To be called before anything
   * else is changed: it measures, which is cheap only as long as nothing has been.
   */
  show(at) {
    const line = this.lines[at].firstElementChild;
    if (line === this.current) return;
    const outer = this.root.getBoundingClientRect();
    const { top, bottom } = line.getBoundingClientRect();
    this.current?.removeAttribute("aria-current");
    if (this.current) this.current.tabIndex = -1;
    this.current = line;
    line.setAttribute("aria-current", "true");
    line.tabIndex = 0;
    if (top < outer.top || bottom > outer.bottom) this.root.scrollTop += top - outer.top - outer.height / 3;
  }

  #line(at) {
    const event = this.film.events[at];
    const link = make("a", "", this.speaker.say(event, this.film.states[at]));
    link.href = `#${at}`;
    link.tabIndex = -1;
    const line = make("li", ASIDE.has(event.event) ? "aside" : "", link);
    if (event.note) line.append(make("q", "", event.note));
    return line;
  }
}
