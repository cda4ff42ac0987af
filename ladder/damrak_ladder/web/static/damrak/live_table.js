// Live updates of the front page's table. When its match is over, the next one replaces it.

import { BoardView } from "./viewer/board.js";
import { Film } from "./viewer/film.js";
import { Speaker, signed } from "./viewer/words.js";

const QUIET_MS = 8000; // without a first move: the match is waiting for others
const REST_MS = 5000; // pause to show the end
const AGAIN_MS = 20000; // until the next attempt if nothing is being played

let shown = null;

/** Follows the match of a table. */
class Table {
  constructor(root) {
    this.root = root;
    this.words = JSON.parse(root.dataset.words);
    this.names = JSON.parse(root.dataset.names);
    this.scores = [...root.querySelectorAll("[data-score]")];
    this.says = root.querySelector("[data-says]");
    this.pause = root.querySelector("[data-pause]");
    this.pause.hidden = false;
    this.pause.addEventListener("click", () => this.hold(this.pause.getAttribute("aria-pressed") !== "true"));
    this.follow();
  }

  follow() {
    this.source = new EventSource(`${this.root.dataset.files}live/`);
    this.timer = setTimeout(() => this.leave(), QUIET_MS);
    this.source.addEventListener("setting", (event) => (this.match = JSON.parse(event.data)));
    this.source.addEventListener("moments", (event) => this.take(JSON.parse(event.data)));
    for (const name of ["over", "recorded"]) {
      this.source.addEventListener(name, () => this.rest());
    }
    this.source.addEventListener("error", () => {
      if (this.source.readyState === EventSource.CLOSED) this.rest();
    });
  }

  take({ first, moments }) {
    if (!this.match) return;
    clearTimeout(this.timer);
    if (first === 0) {
      this.match.seats.forEach((seat, i) => (seat.bot = this.names[i] ?? seat.bot));
      this.film = new Film({ ...this.match, moments });
      this.speaker = new Speaker(this.words, this.match, this.root.dataset.language);
      this.board = new BoardView(this.root.querySelector("svg.damrak"), this.match);
    } else if (this.film) {
      this.film.append(moments.slice(this.film.length - first));
    } else {
      return;
    }
    this.show(this.film.length - 1);
  }

  show(at) {
    const state = this.film.states[at];
    if (!state) return;
    this.board.show(state);
    this.board.point(this.film.events[at]);
    this.says.textContent = this.speaker.say(this.film.events[at], state);
    this.scores.forEach((score, seat) => (score.textContent = signed(state[`z${seat}`] ?? state[`s${seat}`] ?? 0)));
  }

  /** Pause the board, or resume with the current state of the match. */
  hold(still) {
    this.pause.setAttribute("aria-pressed", String(still));
    this.close();
    if (!still) this.follow();
  }

  rest() {
    this.close();
    const title = this.root.querySelector("[data-over]");
    title.textContent = title.dataset.over;
    this.timer = setTimeout(() => this.leave(), REST_MS);
  }

  /** Replace this table with the next one; without a next one, it stays visible. */
  leave() {
    this.close();
    this.root.dispatchEvent(new Event("damrak-over"));
    this.timer = setTimeout(() => this.leave(), AGAIN_MS);
  }

  close() {
    clearTimeout(this.timer);
    this.source.close();
  }
}

function begin() {
  const root = document.getElementById("live-table");
  if (shown?.root === root) return;
  shown?.close();
  shown = root?.dataset.files ? new Table(root) : null;
}

begin();
document.addEventListener("htmx:load", begin);
addEventListener("pagehide", () => shown?.close());
