// The list of events, in step with the board.

import { make } from "./make.js";

const ASIDE = new Set(["refill", "reshuffle", "flush"]);

/**
 * The list, in sheets of some lines each, so that the browser only redraws the sheet that changed.
 * Lines from the server are kept as long as the viewpoint is the same. Only the current moment is a
 * tab stop; otherwise keyboard users would have to pass hundreds of lines.
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
    root.querySelector("[aria-current]")?.removeAttribute("aria-current"); // set by the server
    for (const line of this.lines) line.firstElementChild.tabIndex = -1;
    this.current = null;
  }

  /** Append missing lines. */
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
   * Mark this moment, and scroll the list to it without moving the page. Call this before any other
   * change of the page: it measures the layout, which is cheap only while nothing has changed.
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
