// Live updates of a running match, as far as they are public.

const LOOK_AGAIN_MS = 8000;
const LOOK_FIRST_MS = 2000; // before the match begins
const SECOND_MS = 1000;

/** Follow the match of this viewer until its replay is available. */
export function follow(viewer) {
  new Broadcast(viewer).connect();
}

class Broadcast {
  constructor(viewer) {
    this.viewer = viewer;
    this.match = null;
    this.attempt = "";
    this.clocks = null;
    this.isOver = false;
    this.isFull = false;
    setInterval(() => this.tick(), SECOND_MS);
  }

  /** Browsers reconnect by themselves after a lost connection, but not after a refused one. */
  connect() {
    // After the end, only wait for the other matches of the block.
    const source = new EventSource(`${this.viewer.files}live/${this.isOver ? "?seen=all" : ""}`);
    const on = (name, act) => source.addEventListener(name, (event) => act(event));
    on("open", () => this.isOver || this.tell("live_on"));
    on("setting", (event) => {
      this.match = JSON.parse(event.data);
      this.isFull = false;
      this.begun();
      this.tell("live_on");
    });
    on("moments", (event) => this.take(JSON.parse(event.data), event.lastEventId.split("-")[0]));
    on("clocks", (event) => {
      this.clocks = { ...JSON.parse(event.data), since: performance.now() };
      this.tick();
    });
    on("over", () => {
      this.isOver = true;
      this.clocks = null;
      this.tell("live_over");
      this.later(source);
    });
    on("void", () => {
      this.clocks = null;
      this.tell("void");
    });
    on("recorded", () => location.reload());
    on("full", () => {
      this.isFull = true; // the browser reconnects after the server's retry time
      this.tell("live_full");
    });
    on("error", () => {
      const isClosed = source.readyState === EventSource.CLOSED;
      if (!this.isFull && !this.isOver) this.tell(isClosed && !this.match ? "" : "live_lost");
      // The site is restarting, or the match waits for an attempt.
      if (isClosed) this.later(source);
    });
  }

  /** Update the head of a page that was opened before the match began. */
  begun() {
    const running = document.querySelector("template[data-running]");
    if (running) document.querySelector("[data-state]").replaceChildren(running.content.cloneNode(true));
  }

  later(source) {
    source.close();
    setTimeout(() => this.connect(), this.match || this.isOver ? LOOK_AGAIN_MS : LOOK_FIRST_MS);
  }

  tell(name) {
    const { viewer } = this;
    viewer.find("[data-on-air]").hidden = name !== "live_on";
    viewer.told.textContent = name && name !== "live_on" ? viewer.catalogue[name] : "";
  }

  /** Process moments: the next ones, a repetition of all of them, or those of a new attempt. */
  take({ first, moments }, attempt) {
    const { viewer, match } = this;
    if (!match) return;
    if (first === 0 && attempt !== this.attempt) {
      this.attempt = attempt;
      viewer.forget();
      viewer.start({ ...match, moments }, "table");
      return;
    }
    const fresh = moments.slice(viewer.film.length - first);
    if (fresh.length) viewer.extend(fresh);
  }

  /** Advance the clocks that are running at the referee. */
  tick() {
    const { viewer, clocks } = this;
    if (!clocks || !viewer.player) return;
    const { actor, since } = clocks;
    const changes = { actor };
    viewer.film.match.seats.forEach((_, seat) => {
      const passed = actor.includes(seat) ? performance.now() - since : 0;
      changes[`b${seat}`] = Math.max(0, clocks[`b${seat}`] - passed);
    });
    viewer.patch(changes);
  }
}
