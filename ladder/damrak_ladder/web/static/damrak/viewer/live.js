// A running match in the viewer, played at the pace of replays to its end and its result.

import { Feed } from "./feed.js";

const SOON = 12; // moments before the end, from which on the recording is needed
const SECOND_MS = 1000;
const LIVE_MS = 2500; // a broadcast that is less behind than this is live
const MINUTE_S = 60;

/** Follow the match of this viewer to its end. */
export function follow(viewer) {
  new Broadcast(viewer);
}

class Broadcast {
  constructor(viewer) {
    this.viewer = viewer;
    this.running = null; // the clocks at the referee
    this.air = viewer.find("[data-on-air]");
    this.jump = viewer.find("[data-do=live]");
    this.jump.addEventListener("click", () => {
      this.viewer.player?.go(Infinity);
      this.viewer.player?.play();
    });
    viewer.onShow = () => this.shown();
    this.feed = new Feed(viewer.files, this);
    this.timer = setInterval(() => this.tick(), SECOND_MS);
  }

  // ---- what the feed reports --------------------------------------------------------------------

  hold() {
    this.viewer.player?.pause();
  }

  /** Show the latest moment, or the first one if the game was over when the page was opened. */
  begin(match, isOver) {
    const { viewer } = this;
    this.head();
    viewer.forget();
    viewer.start(match, "table", isOver ? 0 : undefined);
    viewer.player.play();
  }

  more(moments) {
    this.viewer.extend(moments);
    this.shown();
  }

  clocks(clocks) {
    this.running = { ...clocks, since: performance.now() };
    this.tick();
  }

  /** Show what the feed does; the end is not announced before it was shown. */
  tell(name) {
    if (name === "live_over") this.running = null;
    this.told = name;
    this.shown();
  }

  wants() {
    const { player, film } = this.viewer;
    return !player || player.at >= film.length - SOON;
  }

  recorded(match) {
    const { viewer } = this;
    if (!viewer.player) this.begin(match, true); // it ended before its first moment arrived
    this.told = "live_on";
    this.isComplete = true;
    viewer.complete(match.moments);
    this.shown();
  }

  // ---- what the page shows ----------------------------------------------------------------------

  /** Update the head of a page that was opened before the match began. */
  head() {
    const running = document.querySelector("template[data-running]");
    if (running) document.querySelector("[data-state]").replaceChildren(running.content.cloneNode(true));
  }

  shown() {
    const { viewer, told } = this;
    const { player, film } = viewer;
    const lag = player ? film.lag(player.at) : 0;
    const isLive = lag < LIVE_MS;
    this.air.hidden = !player || (told === "live_lost" && isLive) || (told === "live_over" && isLive);
    this.air.textContent = delay(lag, viewer.catalogue);
    this.air.classList.toggle("tag--busy", isLive);
    this.jump.hidden = !player || isLive;
    const says = told === "live_on" || (told !== "live_full" && !isLive) ? "" : viewer.catalogue[told];
    if (viewer.told.textContent !== (says ?? "")) viewer.told.textContent = says ?? "";
    if (player) showPredictions(document, film, player.at);
    if (this.isComplete && player.isAtEnd) this.finish();
  }

  /** Advance the clocks that are running at the referee. */
  tick() {
    const { viewer, running } = this;
    if (!viewer.player) return;
    if (running) {
      const changes = { actor: running.actor };
      viewer.film.match.seats.forEach((_, seat) => {
        const passed = running.actor.includes(seat) ? performance.now() - running.since : 0;
        changes[`b${seat}`] = Math.max(0, running[`b${seat}`] - passed);
      });
      viewer.patch(changes);
    }
    this.shown();
  }

  /** Turn the page into that of the recorded match, without a reload. */
  async finish() {
    clearInterval(this.timer);
    this.isComplete = false;
    this.viewer.onShow = null;
    this.feed.close();
    this.air.hidden = this.jump.hidden = true;
    const answer = await fetch(location.pathname).catch(() => null);
    if (!answer?.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    for (const part of document.querySelectorAll("[data-result]")) {
      const fresh = page.querySelector(`[data-result="${part.dataset.result}"]`);
      if (!fresh) continue;
      part.replaceChildren(...fresh.childNodes);
      window.htmx?.process(part);
    }
    this.viewer.recorded(page.getElementById("viewer"));
    await import("./insight.js");
  }
}

/** Explain which predictions count, and close the form when the broadcast is past its first turns. */
export function showPredictions(root, film, at) {
  const box = root.querySelector("[data-prediction]");
  box?.querySelector("[data-before]")?.setAttribute("hidden", "");
  box?.querySelector("[data-begun]")?.removeAttribute("hidden");
  if (!box || !(film.states[at]?.turn > Number(box.dataset.until))) return;
  box.querySelector("[data-open]")?.setAttribute("hidden", "");
  box.querySelector("[data-closed]")?.removeAttribute("hidden");
}

/** Word how far a broadcast is behind. */
export function delay(lag, catalogue) {
  if (lag < LIVE_MS) return catalogue.live_on;
  const seconds = Math.round(lag / SECOND_MS);
  const [name, n] = seconds < MINUTE_S ? ["behind_s", seconds] : ["behind_min", Math.round(seconds / MINUTE_S)];
  return catalogue[name].replace("%(n)s", n);
}
