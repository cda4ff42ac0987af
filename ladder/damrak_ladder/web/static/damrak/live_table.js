// The live table of the front page, played at the pace of replays to its end; then the next one.

import { BoardView } from "./viewer/board.js";
import { Feed } from "./viewer/feed.js";
import { Film } from "./viewer/film.js";
import { delay, showPredictions } from "./viewer/live.js";
import { rise } from "./viewer/make.js";
import { Player } from "./viewer/player.js";
import { Speaker, signed } from "./viewer/words.js";

const QUIET_MS = 8000; // without a first move: the match is waiting for others
const LATE_MS = 20000; // how late an announced game may start
const SPREAD_MS = 2000; // the connections of all readers of an announced game
const REST_MS = 8000; // pause to show the result
const UNRECORDED_MS = 15000; // how long to wait for the final scoring at the end of the game
const AGAIN_MS = 20000; // until the next attempt if nothing is being played
const SOON = 12; // moments before the end, from which on the recording is needed
const SECOND_MS = 1000;
const MINUTE_S = 60;

let shown = null;

/** The broadcast of one table. */
class Table {
  constructor(root) {
    this.root = root;
    this.find = (what) => root.querySelector(what);
    this.words = JSON.parse(root.dataset.words);
    this.names = JSON.parse(root.dataset.names);
    this.scores = [...root.querySelectorAll("[data-score]")];
    this.says = this.find("[data-says]");
    this.pause = this.find("[data-pause]");
    this.air = this.find("[data-on-air]");
    this.jump = this.find("[data-jump]");
    this.watch = this.find("[data-watch]");
    this.pause.addEventListener("click", () => this.player?.toggle());
    this.jump.addEventListener("click", () => {
      this.player.go(Infinity);
      this.player.play();
    });
    this.clock = setInterval(() => this.behind(), SECOND_MS);
    if (root.dataset.startsIn) this.announce(SECOND_MS * Number(root.dataset.startsIn));
    else {
      this.leaveIn(QUIET_MS);
      this.feed = new Feed(root.dataset.files, this);
    }
  }

  /** Count down to the start of the game, and show it from its first moment on. */
  announce(wait) {
    this.starts = performance.now() + wait;
    this.countdown = this.find("[data-countdown]");
    this.behind();
    this.leaveIn(wait + LATE_MS);
    this.opening = setTimeout(() => (this.feed = new Feed(this.root.dataset.files, this)), wait + SPREAD_MS * Math.random());
  }

  // ---- what the feed reports --------------------------------------------------------------------

  hold() {
    clearTimeout(this.timer);
    this.timer = null;
    this.player?.pause();
  }

  /** Show the latest moment, or the first one if the game was over when the page was opened. */
  begin(match, isOver) {
    match.seats.forEach((seat, i) => (seat.bot = this.names[i] ?? seat.bot));
    this.film = new Film(match);
    this.totals = [];
    this.speaker = new Speaker(this.words, match, this.root.dataset.language);
    this.board ??= new BoardView(this.find("svg.damrak"), match);
    this.player = new Player(this.film, (at) => this.show(at), (is) => this.playing(is));
    this.countdown?.remove();
    this.player.go(isOver || this.starts ? 0 : Infinity);
    this.player.play();
    this.pause.hidden = false;
  }

  more(moments) {
    this.film.append(moments);
    this.player.grown();
  }

  wants() {
    return !this.player || this.player.at >= this.film.length - SOON;
  }

  tell(name) {
    if (name !== "live_over") return;
    if (!this.player && !this.starts) this.leaveIn(SECOND_MS); // nothing is known about the game
    this.behind();
  }

  recorded(match) {
    if (!this.player) this.begin(match, true); // it ended before the first moment arrived
    clearTimeout(this.timer);
    this.timer = null;
    this.isComplete = true;
    this.film.complete(match.moments);
    this.player.grown();
    this.behind();
  }

  // ---- what the page shows ----------------------------------------------------------------------

  show(at) {
    const { film, speaker } = this;
    const state = film.states[at];
    this.board.show(state);
    this.board.point(film.events[film.head(at)]);
    const line = speaker.line(film, at);
    if (this.says.textContent !== line) this.says.textContent = line;
    this.scores.forEach((score, seat) => this.score(score, seat, state));
    this.watch.hash = at; // the page of the match goes on from here
    showPredictions(this.root, film, at);
    this.behind();
  }

  score(score, seat, state) {
    const points = state[`z${seat}`] ?? state[`s${seat}`] ?? 0;
    const isFinal = state[`z${seat}`] !== undefined;
    const before = this.totals[seat];
    if (before && before.isFinal === isFinal && this.player.isPlaying) rise(score.parentElement, points - before.points);
    this.totals[seat] = { points, isFinal };
    score.textContent = signed(points);
  }

  playing(is) {
    this.pause.setAttribute("aria-pressed", String(!is));
    if (!is) this.behind();
  }

  /** Show how far the broadcast is behind; at its end, show the next table after a while. */
  behind() {
    if (!this.player) return this.wait();
    const { at, isAtEnd } = this.player;
    const lag = this.film.lag(at);
    const title = this.find("h2");
    const isEnd = this.isComplete && isAtEnd;
    title.textContent = isEnd ? title.dataset.over : title.dataset.now;
    this.air.hidden = isEnd;
    this.air.textContent = delay(lag, this.words);
    const isLive = this.air.textContent === this.words.live_on;
    this.air.classList.toggle("tag--busy", isLive);
    this.jump.hidden = isLive || isEnd;
    const isHeld = this.pause.getAttribute("aria-pressed") === "true" && !isAtEnd;
    if (isHeld) clearTimeout(this.timer);
    if (isHeld || !isAtEnd) this.timer = null;
    else if (!this.timer && isEnd) this.leaveIn(REST_MS);
    else if (!this.timer && this.feed.isOver) this.leaveIn(UNRECORDED_MS);
  }

  /** Show the time until the start of an announced game. */
  wait() {
    if (!this.countdown) return;
    const seconds = Math.max(0, Math.ceil((this.starts - performance.now()) / SECOND_MS));
    this.countdown.textContent = `${Math.floor(seconds / MINUTE_S)}:${String(seconds % MINUTE_S).padStart(2, "0")}`;
    this.countdown.hidden = false;
  }

  /** Replace this table with the next one; without a next one, it stays visible. */
  leaveIn(wait) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.feed?.close();
      this.root.dispatchEvent(new Event("damrak-over"));
      this.leaveIn(AGAIN_MS);
    }, wait);
  }

  close() {
    clearTimeout(this.timer);
    clearInterval(this.clock);
    clearTimeout(this.opening);
    this.player?.pause();
    this.feed?.close();
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
// A page that the browser kept is shown again as it was: its game has gone on without it.
addEventListener("pageshow", (event) => event.persisted && shown?.leaveIn(0));
