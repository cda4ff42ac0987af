// The replay viewer: fetches the moments of the chosen viewpoint, and keeps all parts in step.

import { BoardView } from "./board.js";
import { Film } from "./film.js";
import { Graph } from "./graph.js";
import { listen } from "./keys.js";
import { EventList } from "./list.js";
import { Knowledge, Market } from "./market.js";
import { Motion } from "./motion.js";
import { Player } from "./player.js";
import { Seats, wayInWords } from "./seats.js";
import { Sound } from "./sound.js";
import { Speaker } from "./words.js";

const LONG = 5; // spaces of a route that is a highlight
const ADDRESS_MS = 200; // browsers limit how often the address may change

/** The viewer on the page. */
class Viewer {
  constructor(root) {
    this.root = root;
    this.catalogue = read("viewer-words");
    this.names = read("viewer-names");
    this.given = document.getElementById("viewer-moments"); // moments of the page's viewpoint
    this.files = root.dataset.files;
    this.isLive = "live" in root.dataset;
    this.writtenFor = root.dataset.eyes;
    this.find = (what) => root.querySelector(what);
    this.told = this.find("[data-told]");
    this.says = this.find(".viewer__says");
    this.where = this.find("[data-at]");
    this.turn = this.find("[data-turn]");
    this.scrub = this.find("[data-scrub]");
    this.motion = new Motion(root);
    this.sound = new Sound(this.find("[data-sound]"));
    this.buttons();
    this.fit();
    window.addEventListener("resize", () => this.fit());
    window.addEventListener("hashchange", ({ newURL }) => {
      const at = momentIn(new URL(newURL)); // `location` may have our own address again
      if (at !== null) this.player?.go(at);
    });
  }

  /** Load the match from this viewpoint, and stay at the same moment. */
  async look(eyes) {
    const { version } = this.root.dataset;
    if (this.given && eyes === this.writtenFor) {
      const match = JSON.parse(this.given.textContent);
      this.given.remove();
      this.given = null;
      this.start(match, eyes);
      return;
    }
    const answer = await fetch(`${this.files}moments/${eyes}.json?v=${version}`);
    if (!answer.ok) throw new Error(`${answer.status}`);
    this.start(await answer.json(), eyes);
  }

  /** Show this match, at the moment that was shown before, or that of the address, or `first`. */
  start(match, eyes, first) {
    match.seats.forEach((seat, i) => (seat.bot = this.names[i] ?? seat.bot));
    const at = this.player?.at ?? momentIn(location);
    this.player?.pause();
    const speaker = new Speaker(this.catalogue, match, this.root.dataset.language);
    this.eyes = eyes;
    this.speaker = speaker;
    this.film = new Film(match);
    this.board ??= new BoardView(this.find("svg.damrak"), match);
    this.market = new Market(this.find("[data-market]"), speaker);
    this.seats = new Seats(this.find("[data-seats]"), this.find("[data-brief]"), this.film, speaker, {
      ask: (...asked) => this.way(...asked),
      isAsked: (...asked) => this.isAsked(...asked),
    });
    this.knowledge = new Knowledge(this.find("[data-knows]"), speaker, this.film);
    const isFresh = this.writtenFor === eyes;
    this.writtenFor = null;
    this.list = new EventList(this.find("[data-events]"), this.film, speaker, isFresh);
    this.player = new Player(this.film, (now) => this.show(now), (is) => this.playing(is));
    this.player.speed = Number(this.find("[data-speed]").value);
    this.graph = new Graph(this.find("[data-graph]"), this.film, speaker, (to) => {
      this.player.pause();
      this.player.go(to);
    });
    this.scrub.max = this.film.length - 1;
    for (const part of this.root.querySelectorAll("[hidden][data-late]")) {
      part.hidden = false;
    }
    this.find("#viewer-eyes").value = eyes;
    this.player.go(at ?? first ?? (isCovered() && !this.isLive ? 0 : this.film.length - 1));
    this.mark(this.highlights?.length ? this.highlights : longClaims(this.film));
    this.root.dataset.ready = eyes;
    this.root.addEventListener("highlights", this.onHighlights ??= ({ detail }) => this.mark(detail));
    this.root.dispatchEvent(new CustomEvent("ready"));
  }

  /** Forget the current moment, so that the next match is shown from its own end. */
  forget() {
    this.shownAt = undefined;
    this.player?.pause();
    this.player = null;
    this.writtenFor = null;
  }

  /** Append moments; playback that waits for them continues. */
  extend(moments) {
    this.film.append(moments);
    this.grown();
  }

  /** Replace the moments of a match that has been watched live by those of its recording. */
  complete(moments) {
    this.film.complete(moments);
    this.grown();
  }

  grown() {
    this.mark(longClaims(this.film));
    this.scrub.max = this.film.length - 1;
    this.list.extend();
    this.graph.plot();
    this.graph.show(this.player.at);
    this.place(this.player.at);
    this.player.grown();
  }

  /** Turn this into the viewer of a recorded match; `fresh` is the viewer of its page. */
  recorded(fresh) {
    this.isLive = false;
    delete this.root.dataset.live;
    this.root.dataset.version = fresh.dataset.version;
    this.find("#viewer-eyes").replaceChildren(...fresh.querySelector("#viewer-eyes").childNodes);
    this.find("#viewer-eyes").value = this.eyes;
    for (const button of this.root.querySelectorAll(".viewer__tools button[hidden]")) button.hidden = false;
    this.exports();
    this.keepAddress();
  }

  /** Update values of the seats at the latest moment. */
  patch(changes) {
    this.film.patch(changes);
    if (this.player.at === this.film.length - 1) this.seats.show(this.film.states.at(-1));
  }

  show(at) {
    const { film, speaker } = this;
    const state = film.states[at];
    const event = film.events[at];
    this.list.show(at);
    this.board.show(state);
    const head = film.head(at);
    const isNext = this.shownAt !== undefined && film.tail(this.shownAt) + 1 === head;
    this.shownAt = at;
    const lit = this.board.point(this.player.isPlaying ? film.events[head] : event);
    if (lit && this.isZoomed) this.pan(lit);
    this.market.show(state);
    this.seats.show(state, this.player.isPlaying);
    if (isNext) this.move(film.events[head]);
    if (this.asked && !this.find(".contract[aria-pressed=true]")) this.unask();
    this.knowledge.show(state);
    this.graph.show(at);
    const turn = this.place(at);
    if (state.turn !== this.turnShown && document.activeElement !== this.turn) this.turn.value = state.turn;
    this.turnShown = state.turn;
    if (!this.player.isPlaying) this.scrub.setAttribute("aria-valuetext", `${speaker.text("event", { n: at })}, ${turn}`);
    if (this.asked) this.drawWay(state);
    else if (this.player.isPlaying) this.say(speaker.line(film, at), film.events[head]);
    else this.say(speaker.say(event, state), event);
    this.keepAddress();
    this.root.dispatchEvent(new CustomEvent("moment", { detail: at }));
    this.onShow?.();
  }

  /** Show and sound what an event moves, when it follows the event that was shown before. */
  move(event) {
    const { speed } = this.player;
    this.motion.show(event, speed);
    this.sound.show(event, this.film.match.routes[event.route]?.[2], speed);
  }

  /** Show the position in the film; return the turn in words. */
  place(at) {
    const turn = this.speaker.text("turn", { n: this.film.states[at].turn });
    this.scrub.value = at;
    this.where.firstChild.textContent = `${at} / ${this.film.length - 1}`;
    this.where.lastChild.textContent = ` · ${turn}`;
    return turn;
  }

  say(text, event) {
    const { says } = this;
    says.textContent = text;
    if (event?.note) {
      const note = document.createElement("q");
      note.textContent = event.note;
      says.append(" ", note);
    }
  }

  playing(is) {
    const button = this.find("[data-do=play]");
    button.setAttribute("aria-pressed", is);
    // Screen readers announce every step, but not during playback.
    this.says.setAttribute("aria-live", is ? "off" : "polite");
    button.querySelector("[data-play-name]").textContent = this.speaker.text(is ? "pause" : "play");
    if (is) return;
    this.scrub.setAttribute("aria-valuetext", this.where.textContent);
    this.keepAddress();
  }

  // ---- contracts ------------------------------------------------------------------------------

  /** Show a contract's way while its button is pressed and the contract is visible. */
  way(seat, contract, button) {
    const isSame = this.isAsked(seat, contract);
    this.find(".contract[aria-pressed=true]")?.setAttribute("aria-pressed", "false");
    this.unask();
    if (!isSame) {
      this.asked = { seat, contract };
      button.setAttribute("aria-pressed", "true");
    }
    this.player.go(this.player.at);
  }

  isAsked(seat, contract) {
    return this.asked?.seat === seat && this.asked.contract === contract;
  }

  unask() {
    this.asked = null;
    this.board.hideWay();
  }

  drawWay(state) {
    const { seat, contract } = this.asked;
    const { way, says } = wayInWords(this.film, state, seat, contract, this.speaker);
    this.board.showWay(contract, way);
    this.say(says);
  }

  // ---- address and size -----------------------------------------------------------------------

  keepAddress() {
    if (this.isLive || this.addressTimer || this.player?.isPlaying) return;
    this.addressTimer = setTimeout(() => {
      this.addressTimer = null;
      history.replaceState(null, "", this.address());
      this.shared();
    }, ADDRESS_MS);
  }

  address() {
    const address = new URL(location.href);
    address.searchParams.delete("at"); // only used without scripts
    if (this.eyes === "all") address.searchParams.delete("eyes");
    else address.searchParams.set("eyes", this.eyes);
    address.hash = this.player.at === this.film.length - 1 ? "" : `#${this.player.at}`;
    return address;
  }

  /** Update the link and the embed code to the current moment, while they are shown. */
  shared() {
    const shown = this.find(".viewer__share[open]");
    if (!shown || !this.player) return;
    const { href, search, hash } = this.address();
    shown.querySelector("[data-link]").value = href;
    const code = shown.querySelector("textarea");
    code.value = code.defaultValue.replace('/embed/"', `/embed/${search}${hash}"`);
  }

  zoom() {
    this.isZoomed = !this.isZoomed;
    this.find(".viewer__board").classList.toggle("zoomed", this.isZoomed);
    this.find("[data-do=zoom]").setAttribute("aria-pressed", this.isZoomed);
    if (!this.isZoomed || !this.player) return;
    // To the latest claim, which may be some moments ago.
    const { events } = this.film;
    for (let at = this.player.at; at >= 0; at--) {
      if (events[at].event !== "claim") continue;
      this.pan(this.board.carts[events[at].route]);
      break;
    }
  }

  /** Mark these moments on the slider, as goals of the button for the next highlight. */
  mark(highlights) {
    this.highlights = highlights;
    this.find("[data-do=highlight]").hidden = !highlights.length;
    const last = Math.max(1, this.film.length - 1);
    this.find("[data-marks]").replaceChildren(
      ...highlights.map((at) => {
        const made = document.createElement("i");
        made.style.insetInlineStart = `${(100 * at) / last}%`;
        return made;
      }),
    );
  }

  highlight() {
    const { player, highlights } = this;
    if (!highlights?.length) return;
    player.step((highlights.find((at) => at > player.at) ?? highlights[0]) - player.at);
  }

  full() {
    if (document.fullscreenElement) document.exitFullscreen();
    else this.root.requestFullscreen?.();
  }

  /** Scroll the zoomed board to this part. */
  pan(part) {
    const frame = this.find(".viewer__board");
    const box = part.getBoundingClientRect();
    const outer = frame.getBoundingClientRect();
    frame.scrollLeft += box.left + box.width / 2 - outer.left - outer.width / 2;
    frame.scrollTop += box.top + box.height / 2 - outer.top - outer.height / 2;
  }

  /** Measure what is above the stage, so that the stage fills the rest of the window. */
  fit() {
    const stage = this.find("[data-stage]");
    const above = stage.getBoundingClientRect().top + window.scrollY;
    if (!document.fullscreenElement) stage.style.setProperty("--above", `${Math.round(above)}px`);
  }

  // ---- buttons --------------------------------------------------------------------------------

  buttons() {
    const { root } = this;
    for (const button of root.querySelectorAll("button[hidden]:not([data-do=live], [data-do=highlight])")) button.hidden = false;
    for (const plain of root.querySelectorAll("[data-plain]")) plain.hidden = true;
    if (!document.fullscreenEnabled) this.find("[data-do=full]").remove();
    const actions = {
      first: () => this.player.step(-Infinity),
      last: () => this.player.step(Infinity),
      back: () => this.player.step(-1),
      step: () => this.player.step(1),
      play: () => this.player.toggle(),
      zoom: () => this.zoom(),
      full: () => this.full(),
      highlight: () => this.highlight(),
      help: () => this.find("[data-help]").showModal(),
    };
    root.addEventListener("click", (event) => {
      const name = event.target.closest("[data-do]")?.dataset.do;
      if (name && (this.player || name === "help")) actions[name]();
      const line = event.target.closest("[data-events] a");
      if (line && this.player) {
        event.preventDefault();
        this.player.pause();
        this.player.go(momentIn(line));
      }
    });
    this.find("[data-scrub]").addEventListener("input", (event) => {
      this.player.pause();
      this.player.go(Number(event.target.value));
    });
    this.find("[data-speed]").addEventListener("change", (event) => {
      if (this.player) this.player.speed = Number(event.target.value);
    });
    this.find("[data-turn]").addEventListener("change", (event) => {
      const first = this.film?.turns[Number(event.target.value)];
      if (first === undefined) return;
      this.player.pause();
      this.player.go(first);
    });
    this.find("#viewer-eyes").addEventListener("change", (event) => this.switchTo(event.target.value));
    this.find(".viewer__eyes").addEventListener("submit", (event) => event.preventDefault());
    listen(this, actions);
    this.exports();
  }

  async switchTo(eyes) {
    if (this.isLive) return; // live matches only have the public viewpoint
    try {
      await this.look(eyes);
    } catch {
      this.told.textContent = this.catalogue.failed;
    }
  }

  exports() {
    const picture = () => {
      const theme = isDark() ? "&theme=dark" : "";
      return `${this.files}position.svg?at=${this.player.at}${theme}`;
    };
    this.find("[data-svg]")?.addEventListener("click", (event) => {
      if (this.player) event.currentTarget.href = picture();
    });
    this.find("[data-png]")?.addEventListener("click", async (event) => {
      if (!this.player) return;
      event.preventDefault(); // this one is larger, and follows the theme of the page
      const name = `damrak-${this.root.dataset.match}-${this.player.at}.png`;
      try {
        const { savePng } = await import("./export.js");
        await savePng(picture(), name);
      } catch {
        this.told.textContent = this.catalogue.failed;
      }
    });
    this.find("[data-copy]")?.addEventListener("click", async () => {
      const { href } = this.address();
      try {
        await navigator.clipboard.writeText(href);
        this.told.textContent = this.catalogue.copied;
      } catch {
        this.told.textContent = href; // no TLS, or no permission
      }
    });
    this.find(".viewer__share")?.addEventListener("toggle", () => this.shared());
    this.find("[data-verify]")?.addEventListener("click", async (event) => {
      event.preventDefault();
      const answer = await fetch(event.currentTarget.href, { headers: { "X-Requested-With": "fetch" } });
      if (answer.ok) this.find("[data-verdict]").innerHTML = await answer.text();
      else this.told.textContent = this.catalogue.failed;
    });
  }
}

/** Return the JSON data that the server put into the page under this name. */
function read(name) {
  return JSON.parse(document.getElementById(name).textContent);
}

/** Return the moment of an address: #42, or ?at=42 as in links for use without scripts. */
function momentIn({ hash, search }) {
  const found = /^#e?(\d{1,6})$/.exec(hash)?.[1] ?? new URLSearchParams(search).get("at");
  return /^\d{1,6}$/.test(found) ? Number(found) : null;
}

/** Return the highlights of a game without an analysis: long routes, and the last round. */
function longClaims({ events, match }) {
  const isHigh = (event) =>
    event.event === "last_round" || (event.event === "claim" && match.routes[event.route][2] >= LONG);
  return events.flatMap((event, at) => (isHigh(event) ? [at] : []));
}

function isCovered() {
  return document.documentElement.dataset.results === "hidden";
}

function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

const root = document.getElementById("viewer");
if (root) {
  const isPlaying = location.hash === "#play"; // before the address of the moment replaces it
  const viewer = new Viewer(root);
  if (viewer.isLive) import("./live.js").then(({ follow }) => follow(viewer));
  else viewer.switchTo(root.dataset.eyes).then(() => isPlaying && viewer.player?.play());
}
