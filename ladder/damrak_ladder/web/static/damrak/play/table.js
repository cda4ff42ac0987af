// The table: shows what the referee tells this seat, and sends the answers of the person.

import { BoardView } from "../viewer/board.js";
import { Film } from "../viewer/film.js";
import { make } from "../viewer/make.js";
import { Counts, Market } from "../viewer/market.js";
import { Motion } from "../viewer/motion.js";
import { Seats } from "../viewer/seats.js";
import { Sound } from "../viewer/sound.js";
import { Speaker } from "../viewer/words.js";
import { actionButton, showActions } from "./actions.js";
import { Advice } from "./advice.js";
import { Goals } from "./goals.js";
import { Hits } from "./hits.js";
import { whyNotClaim, whyNotTake } from "./reasons.js";

const LATEST = 8;
const MOST_MOVED = 6; // events that are moved at once
const AGAIN_MS = 2000;
const SECOND_MS = 1000;

class Table {
  constructor(root) {
    this.root = root;
    this.seat = Number(root.dataset.seat);
    this.texts = read("table-texts");
    this.names = read("table-names");
    this.question = null;
    this.motion = new Motion(root);
    this.sound = new Sound(root.querySelector("[data-sound]"));
    this.find = (what) => root.querySelector(what);
    this.advice = new Advice(root, this.texts, (says) => this.why(says));
    this.find("[data-market]").addEventListener("click", ({ target }) => this.take(target));
    setInterval(() => this.tick(), SECOND_MS);
  }

  // ---- what the server sends -------------------------------------------------------------------

  /** Browsers reconnect by themselves and say how far they have come. */
  connect() {
    const source = new EventSource(this.root.dataset.stream);
    const on = (name, act) => source.addEventListener(name, (event) => act(JSON.parse(event.data || "{}")));
    on("setting", (match) => this.begin(match));
    on("moments", (data) => this.hear(data));
    on("ask", (question) => this.ask(question));
    on("waiting", () => this.wait());
    on("advice", (advice) => this.advice.show(advice));
    on("void", ({ is_back: isBack }) => this.restart(isBack));
    on("recorded", (result) => {
      source.close();
      this.end(result);
    });
    source.addEventListener("open", () => this.why(""));
    source.addEventListener("error", () => {
      this.why(this.texts.lost);
      if (source.readyState === EventSource.CLOSED) setTimeout(() => this.connect(), AGAIN_MS);
    });
  }

  begin(match) {
    if (this.film?.match.attempt === match.attempt) return; // reconnected
    this.find(".play__awaited")?.remove();
    match.seats.forEach((seat, i) => (seat.bot = this.names[i] ?? seat.bot));
    this.speaker = new Speaker(this.texts, match, this.root.dataset.language);
    this.film = new Film({ ...match, moments: [] });
    this.find("[data-backs]").textContent = match.backs ? this.speaker.text("backs", { n: match.backs }) : "";
    const svg = this.find("svg.damrak");
    this.board ??= new BoardView(svg, match);
    this.hits ??= new Hits(svg, (route) => this.route(route));
    this.market = new Market(this.find("[data-market]"), this.speaker);
    this.hand = new Counts(this.find("[data-hand]"), this.speaker);
    this.goals = new Goals(this.find("[data-goals]"), this.board, this.film, this.speaker, this.seat);
    this.seats = new Seats(this.find("[data-seats]"), this.find("[data-brief]"), this.film, this.speaker, {
      ask: (seat, contract) => this.contract(seat, contract),
      isAsked: (seat, contract) => seat === this.seat && this.goals.chosen === contract,
    });
  }

  /** Discard a game that was interrupted, or that is played again after a take-back. */
  restart(isBack) {
    this.restarted = isBack ? this.texts.taken_back : this.texts.again;
    this.why(this.restarted);
    this.question = null;
    this.offer();
  }

  hear({ first, moments }) {
    const fresh = moments.slice(Math.max(0, this.film.length - first));
    const isNews = this.film.length > 0;
    this.film.append(fresh);
    this.show();
    if (isNews) this.move(fresh.map(([event]) => event).slice(-MOST_MOVED));
  }

  /** Show and sound what these events move. */
  move(events) {
    for (const event of events) {
      this.motion.show(event);
      this.sound.show(event, this.film.match.routes[event.route]?.[2]);
    }
  }

  ask(question) {
    const isFresh = question.decision !== this.question?.decision;
    this.question = question.chosen === null ? { ...question, since: performance.now() } : null;
    if (question.refused) this.why(question.refused);
    else if (isFresh) this.why(this.restarted ?? "");
    if (isFresh) this.advice.clear();
    this.restarted = null;
    this.tell(this.question ? this.texts[`your_${question.phase}`] : this.texts.sent);
    this.offer();
  }

  wait() {
    this.question = null;
    this.tell(this.texts.others_turn);
    this.offer();
  }

  // ---- what the person sees --------------------------------------------------------------------

  get state() {
    return this.film.states.at(-1);
  }

  show() {
    const { film, state } = this;
    if (!state) return;
    this.board.show(state);
    this.board.point(film.events.at(-1));
    this.market.show(state);
    this.seats.show(state);
    this.goals.show(state);
    this.hand.show(state[`h${this.seat}`]);
    const lines = [];
    for (let at = film.length - 1; at >= 0 && lines.length < LATEST; at--) {
      if (film.events[at].event !== "refill") lines.push(make("li", "", this.speaker.say(film.events[at], film.states[at])));
    }
    this.find("[data-events]").replaceChildren(...lines);
  }

  /** Light what is legal, and offer it as buttons. */
  offer() {
    if (!this.film) return;
    const actions = this.question?.actions ?? [];
    this.root.classList.toggle("play__waiting", !this.question);
    this.find("[data-told]").classList.toggle("play__told--yours", Boolean(this.question));
    const of = (event) => actions.filter((action) => action.event === event);
    this.hits.light(new Set(of("claim").map(({ route }) => route)));
    const slots = new Set(of("take").map(({ slot }) => slot));
    this.market.slots.forEach((slot, i) => slot.classList.toggle("lit", slots.has(i)));
    this.find(".pile")?.classList.toggle("lit", of("blind").length > 0);
    showActions(this.find("[data-actions]"), actions, this.speaker, (action) => this.choose(action));
    if (this.state) {
      this.film.patch({ actor: this.question ? [this.seat] : [] });
      this.seats.show(this.state);
    }
    this.root.dataset.decision = this.question?.decision ?? "";
    this.advice.allow(Boolean(this.question));
    this.tick();
  }

  tell(text) {
    this.find("[data-told]").textContent = text;
  }

  why(text) {
    this.find("[data-why]").textContent = text;
  }

  tick() {
    const { question } = this;
    const clock = this.find("[data-clock]");
    if (!question) {
      clock.textContent = "";
      return;
    }
    const left = Math.max(0, question.left - (performance.now() - question.since)) / 1000;
    const time = `${Math.floor(left / 60)}:${String(Math.floor(left % 60)).padStart(2, "0")}`;
    clock.textContent = this.texts.time_left.replace("%(time)s", time);
  }

  // ---- what the person does --------------------------------------------------------------------

  /** Choose how to pay for a route, or say why it cannot be claimed. */
  route(route) {
    if (!this.film) return;
    const payments = (this.question?.actions ?? []).filter((one) => one.event === "claim" && one.route === route);
    if (!payments.length) {
      this.why(whyNotClaim(this.#position(), route));
      return;
    }
    const dialog = this.find("[data-pay]");
    this.find("[data-pay-head]").textContent = this.speaker.text("claim_for", { route: this.speaker.route(route) });
    const choose = (action) => {
      dialog.close();
      this.choose(action);
    };
    this.find("[data-pay-choices]").replaceChildren(...payments.map((action) => actionButton(action, choose)));
    dialog.showModal();
  }

  /** Take the card that was clicked, or say why it cannot be taken. */
  take(target) {
    if (!this.film) return;
    const slot = this.market.slots.findIndex((place) => place.contains(target));
    const isPile = Boolean(target.closest(".pile"));
    if (slot < 0 && !isPile) return;
    const actions = this.question?.actions ?? [];
    const action = actions.find((one) => (isPile ? one.event === "blind" : one.event === "take" && one.slot === slot));
    if (action) this.choose(action);
    else this.why(isPile ? whyNotTake(this.#position(), -1) : whyNotTake(this.#position(), slot));
  }

  contract(seat, contract) {
    if (seat !== this.seat) return;
    this.goals.choose(contract);
    this.goals.show(this.state);
    for (const button of this.root.querySelectorAll(`.seat--${seat} .contract[data-contract]`)) {
      button.setAttribute("aria-pressed", String(Number(button.dataset.contract) === this.goals.chosen));
    }
  }

  #position() {
    const { film, speaker, state, seat, question } = this;
    return { speaker, match: film.match, state, seat, question };
  }

  /** Send an answer once; what the referee makes of it comes with the stream. */
  async choose(action) {
    const { question } = this;
    if (!question) return;
    this.question = null;
    this.tell(this.texts.sent);
    this.why("");
    this.offer();
    const body = new URLSearchParams({ decision: question.decision, action: action.id });
    try {
      const answer = await fetch(this.root.dataset.answer, {
        method: "POST",
        body,
        headers: { "X-Requested-With": "fetch" },
      });
      if (answer.status === 409) this.why(this.texts.late);
      else if (!answer.ok) throw new Error(String(answer.status));
    } catch {
      this.why(this.texts.lost);
      this.question = question; // it can be answered again: only one answer counts
      this.offer();
    }
  }

  // ---- the end ---------------------------------------------------------------------------------

  end({ match, seats }) {
    this.wait();
    if (!match) {
      location.reload(); // the page says why
      return;
    }
    const own = seats[this.seat][0];
    const isShared = seats.filter(([place]) => place === 1).length > 1;
    const head = own > 1 ? "you_lost" : isShared ? "you_shared" : "you_won";
    const says = this.texts[head].replace("%(place)s", own);
    this.tell(says);
    this.find("[data-result-head]").textContent = says;
    const lines = seats
      .map(([place, points], seat) => ({ place, points, seat }))
      .sort((one, other) => one.place - other.place)
      .map(({ points, seat }) => {
        const line = make("li", "", `${this.names[seat]}: ${points}`);
        if (seat === this.seat) line.dataset.own = "";
        return line;
      });
    this.find("[data-result-places]").replaceChildren(...lines);
    const replay = new URL(this.root.dataset.matches, location.href);
    this.find("[data-result-replay]").href = replay.href;
    this.find("[data-result-share]").addEventListener("click", () => this.share(replay.href));
    this.find("[data-result]").showModal();
  }

  async share(address) {
    const told = this.find("[data-result-told]");
    try {
      await navigator.clipboard.writeText(address);
      told.textContent = this.texts.copied_link;
    } catch {
      told.textContent = address; // no TLS, or no permission
    }
  }
}

/** Return the JSON data that the server put into the page under this name. */
function read(name) {
  return JSON.parse(document.getElementById(name).textContent);
}

const root = document.getElementById("table");
if (root) new Table(root).connect();
