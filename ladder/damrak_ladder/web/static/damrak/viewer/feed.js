// The public events of a match as they arrive, and its recording once that is public.

const LOOK_AGAIN_MS = 8000;
const LOOK_FIRST_MS = 2000; // before the match begins

/**
 * A connection to the broadcast of a match. It calls `to.begin(match)` at the beginning of each
 * attempt, `to.more(moments)`, `to.clocks(clocks)`, `to.tell(name)` when its own state changes, and
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
      to.tell("live_over");
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
    this.source.close();
  }

  /** Process moments: the next ones, a repetition of all of them, or those of a new attempt. */
  #take({ first, moments }, attempt) {
    if (!this.match) return;
    if (first === 0 && attempt !== this.attempt) {
      this.attempt = attempt;
      this.length = moments.length;
      this.to.begin({ ...this.match, moments });
      return;
    }
    const fresh = moments.slice(this.length - first);
    this.length += fresh.length;
    if (fresh.length) this.to.more(fresh);
  }

  async #fetch() {
    this.source.close();
    const answer = await fetch(`${this.files}moments/table.json`).catch(() => null);
    if (answer?.ok) this.to.recorded(await answer.json());
    else this.#later();
  }

  #later() {
    this.source.close();
    if (this.isClosed) return;
    const wait = this.match || this.isOver ? LOOK_AGAIN_MS : LOOK_FIRST_MS;
    this.timer = setTimeout(() => (this.isOver && !this.to.wants() ? this.#later() : this.connect()), wait);
  }
}
