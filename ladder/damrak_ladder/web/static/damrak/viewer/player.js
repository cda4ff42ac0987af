// Playback: playing, stepping, and the current moment.

const DECISION_MS = 1000;
const ASIDE_MS = 260;
const ASIDE = new Set(["refill", "reshuffle", "flush", "keep"]);

/** The position in the film; `onShow(at)` is called whenever it changes. */
export class Player {
  constructor(film, onShow, onPlaying) {
    this.film = film;
    this.at = 0;
    this.speed = 1;
    this.isPlaying = false;
    this.onShow = onShow;
    this.onPlaying = onPlaying;
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
    if (this.at >= this.film.length - 1) this.go(0);
    this.isPlaying = true;
    this.onPlaying(true);
    let before = performance.now();
    let rest = this.#patience();
    const tick = (now) => {
      if (!this.isPlaying) return;
      rest -= (now - before) * this.speed;
      before = now;
      let to = this.at;
      // At high speed, several moments pass between two frames.
      while (rest <= 0 && to < this.film.length - 1) {
        to += 1;
        rest += this.#patience(to);
      }
      if (to !== this.at) this.go(to);
      if (this.at >= this.film.length - 1) this.pause();
      else requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }

  pause() {
    if (!this.isPlaying) return;
    this.isPlaying = false;
    this.onPlaying(false);
  }

  #patience(at = this.at) {
    return ASIDE.has(this.film.events[at].event) ? ASIDE_MS : DECISION_MS;
  }
}
