// The public events of a match as they arrive, and its recording once that is public.

const LOOK_AGAIN_MS = 8000;
const LOOK_FIRST_MS = 2000; // before the match begins
const OPENING_MS = 1000; // a game that is over arrives in several messages

/**
 * A connection to the broadcast of a match. At the beginning of each attempt it calls `to.hold()`
 * and, when the opening has arrived, `to.begin(match, isOver)`: what is shown in between does not
 * change, and a game that is over is known as such before its first moment is shown. Then it calls
 * `to.more(moments)`, `to.clocks(clocks)`, `to.tell(name)` when its own state changes, and
 * `to.recorded(match)` once. After the end of the game it asks for the recording only while
 * `to.wants()`: a broadcast that is minutes behind does not need it yet.
 */
export class Feed {
  constructor(files, to) {
    this.files = files;
    this.to = to;
    this.match = null;
    this.attempt = "";
    this.length = 0;
    this.isOver = false;
    this.isFull = false;
    this.opening = null; // the match that is about to begin
    this.opened = null; // settled when the current attempt has begun
    this.connect();
  }

  /** Browsers reconnect by themselves after a lost connection, but not after a refused one. */
  connect() {
    const { to } = this;
    // After the end, only wait for the other matches of the block.
    const source = new EventSource(`${this.files}live/${this.isOver ? "?seen=all" : ""}`);
    this.source = source;
    const on = (name, act) => source.addEventListener(name, (event) => act(event));
    on("open", () => this.isOver || to.tell("live_on"));
    on("setting", (event) => {
      this.match = JSON.parse(event.data);
      this.isFull = false;
      to.tell("live_on");
    });
    on("moments", (event) => this.#take(JSON.parse(event.data), event.lastEventId.split("-")[0]));
    on("clocks", (event) => to.clocks?.(JSON.parse(event.data)));
    on("over", () => {
      this.isOver = true;
      if (!this.opening) to.tell("live_over");
      this.#later();
    });
    on("void", () => to.tell("void"));
    on("recorded", () => this.#fetch());
    on("full", () => {
      this.isFull = true; // the browser reconnects after the server's retry time
      to.tell("live_full");
    });
    on("error", () => {
      const isClosed = source.readyState === EventSource.CLOSED;
      if (!this.isFull && !this.isOver) to.tell(isClosed && !this.match ? "" : "live_lost");
      // The site is restarting, or the match waits for an attempt.
      if (isClosed) this.#later();
    });
  }

  close() {
    this.isClosed = true;
    clearTimeout(this.timer);
    clearTimeout(this.openingTimer);
    this.source.close();
  }

  /** Process moments: the next ones, a repetition of all of them, or those of a new attempt. */
  #take({ first, moments }, attempt) {
    if (!this.match) return;
    if (first === 0 && attempt !== this.attempt) {
      this.attempt = attempt;
      this.length = moments.length;
      this.#open({ ...this.match, moments });
      return;
    }
    const fresh = moments.slice(this.length - first);
    this.length += fresh.length;
    if (!fresh.length) return;
    if (this.opening) this.opening.moments.push(...fresh);
    else this.to.more(fresh);
  }

  #open(match) {
    const { to } = this;
    clearTimeout(this.openingTimer);
    this.opening = match;
    to.hold();
    this.opened = new Promise((settle) => {
      this.openingTimer = setTimeout(() => {
        this.opening = null;
        to.begin(match, this.isOver);
        if (this.isOver) to.tell("live_over");
        settle();
      }, OPENING_MS);
    });
  }

  async #fetch() {
    this.source.close();
    const answer = await fetch(`${this.files}moments/table.json`).catch(() => null);
    if (!answer?.ok) return this.#later();
    const match = await answer.json();
    await this.opened;
    if (!this.isClosed) this.to.recorded(match);
  }

  #later() {
    this.source.close();
    if (this.isClosed) return;
    const wait = this.match || this.isOver ? LOOK_AGAIN_MS : LOOK_FIRST_MS;
    this.timer = setTimeout(() => (this.isOver && !this.to.wants() ? this.#later() : this.connect()), wait);
  }
}
