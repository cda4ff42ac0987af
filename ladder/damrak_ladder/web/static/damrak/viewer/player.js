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

  /** Go to this moment. */
  go(at) {
    this.at = this.film.clamp(at);
    this.onShow(this.at);
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
    this.#run();
  }

  pause() {
    if (!this.isPlaying) return;
    this.isPlaying = false;
    this.onPlaying(false);
  }

  /** Continue with moments that were appended. */
  grown() {
    if (this.isPlaying) this.#run();
  }

  #run() {
    if (this.isRunning) return;
    this.isRunning = true;
    let before = performance.now();
    const tick = (now) => {
      this.isRunning = false;
      if (!this.isPlaying) return;
      const { film } = this;
      this.rest -= Math.max(0, now - before) * this.speed;
      before = now;
      let to = film.tail(this.at); // consequences of this decision that arrived later
      while (this.rest <= 0 && to < film.length - 1) {
        to = film.tail(to + 1);
        this.rest += DECISION_MS;
        if (this.speed < FAST) this.rest = Math.max(this.rest, DECISION_MS * (1 - MOST_LATE));
      }
      if (to !== this.at) this.go(to);
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
