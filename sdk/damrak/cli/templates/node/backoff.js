// Retries with exponential back-off, so that many bots do not overrun a referee that restarts.

import { setTimeout as sleep } from 'node:timers/promises';

const FIRST_MS = 100;
const LAST_MS = 15_000;

export class Backoff {
  #next = FIRST_MS;

  // Call this after a success: the next failure starts with the shortest wait again.
  reset() {
    this.#next = FIRST_MS;
  }

  async wait(signal) {
    const ms = this.#next * (0.5 + Math.random() / 2);
    this.#next = Math.min(2 * this.#next, LAST_MS);
    await sleep(ms, undefined, { signal }).catch(() => {});
  }
}
