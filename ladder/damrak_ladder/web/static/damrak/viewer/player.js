// Playback: playing, stepping, and the current moment.

const DECISION_MS = 1000;
const MOST_LATE = 0.25; // of the time of a decision: a late frame must not shorten the next caption
const FAST = 8; // from this speed on, several decisions may pass between two frames

/**
 * The position in the film; `onShow(at)` is called whenever it changes, and `onPlaying(is)` when
 * playback starts or stops. During playback a decision is shown together with its consequences. At
 * the end of a film that is still open, playback waits for further moments.
 */
export class Player {
  constructor(film, onShow, onPlaying) {
    this.film = film;
    this.at = 0;
    this.speed = 1;
    this.isPlaying = false;
    this.onShow = onShow;
    this.onPlaying = onPlaying;
  }

  get isAtEnd() {
    return this.at >= this.film.length - 1;
  }

  /** Go to this moment; during playback it stands for the full time of a decision. */
  go(at) {
    this.#show(this.film.clamp(at));
    this.rest = DECISION_MS;
    this.since = performance.now();
    if (this.isPlaying) this.#run();
  }

  step(by) {
    this.pause();
    this.go(this.at + by);
  }

  toggle() {
    if (this.isPlaying) this.pause();
    else this.play();
  }

  play() {
    if (this.isPlaying) return;
    if (this.isAtEnd && !this.film.isOpen) this.go(0);
    this.isPlaying = true;
    this.onPlaying(true);
    this.rest = DECISION_MS;
    this.since = performance.now();
    this.#run();
  }

  pause() {
    if (!this.isPlaying) return;
    this.isPlaying = false;
    this.onPlaying(false);
  }

  /** Continue with moments that were appended. */
  grown() {
    if (!this.isPlaying || this.isRunning) return;
    this.since = performance.now();
    this.#run();
  }

  #show(at) {
    this.at = at;
    this.onShow(at);
  }

  #run() {
    if (this.isRunning) return;
    this.isRunning = true;
    const tick = () => {
      this.isRunning = false;
      if (!this.isPlaying) return;
      const { film } = this;
      const now = performance.now(); // the time of a late frame can be long before this call
      this.rest -= Math.max(0, now - this.since) * this.speed;
      this.since = now;
      let to = film.tail(this.at); // consequences of this decision that arrived later
      while (this.rest <= 0 && to < film.length - 1) {
        to = film.tail(to + 1);
        this.rest += DECISION_MS;
        if (this.speed < FAST) this.rest = Math.max(this.rest, DECISION_MS * (1 - MOST_LATE));
      }
      if (to !== this.at) {
        this.#show(to);
        if (this.speed < FAST) this.since = performance.now(); // drawing must not shorten the caption
      }
      if (this.isAtEnd && film.isOpen && this.rest <= 0) this.rest = 0;
      else if (this.isAtEnd && !film.isOpen) this.pause();
      else {
        this.isRunning = true;
        requestAnimationFrame(tick);
      }
    };
    requestAnimationFrame(tick);
  }
}
