// The moments of a match, converted to states that can be shown in any order.

const ASIDE = new Set(["refill", "reshuffle", "flush"]); // consequences of the decision before
const DECISIONS = new Set(["keep", "blind", "take", "claim", "offer", "pass"]);

/** All states of a match; those of a running match are appended as they arrive. */
export class Film {
  /** @param {object} match the match as sent by the server, with its moments so far */
  constructor(match) {
    this.match = match;
    this.isOpen = match.over === false; // further moments may be appended
    this.clear();
    this.append(match.moments);
  }

  clear() {
    this.events = [];
    this.states = [];
    this.arrived = []; // when each moment became known to this page
    this.turns = []; // the first moment of each turn
  }

  /** Append moments: pairs of an event and the values that it changed. */
  append(moments) {
    for (const [event, changes] of moments) {
      const before = this.states.at(-1);
      const state = { ...before, ...changes };
      if (state.turn !== before?.turn) this.turns[state.turn] = this.states.length;
      if (this.isOpen && DECISIONS.has(event.event)) this.#credit(event.seat);
      this.events.push(event);
      this.states.push(state);
      this.arrived.push(performance.now());
    }
  }

  /** Replace the moments by those of the recording, which has the same events and the scoring. */
  complete(moments) {
    const { arrived } = this;
    this.isOpen = false;
    this.clear();
    this.append(moments);
    arrived.forEach((time, at) => (this.arrived[at] = time));
  }

  /** Mark the seat of a decision as the one to move since the decision before. */
  #credit(seat) {
    for (let at = this.length - 1; at >= 0; at--) {
      this.states[at].actor = [seat];
      if (DECISIONS.has(this.events[at].event)) break;
    }
  }

  /** Update values of the latest moment. */
  patch(changes) {
    const last = this.length - 1;
    this.states[last] = { ...this.states[last], ...changes };
  }

  get length() {
    return this.states.length;
  }

  get seats() {
    return this.match.seats.length;
  }

  /** Return the nearest valid moment. */
  clamp(at) {
    return Math.max(0, Math.min(this.length - 1, at));
  }

  /** Return the event that caused this moment: a refill belongs to the draw before it. */
  head(at) {
    let found = at;
    while (found > 0 && ASIDE.has(this.events[found].event)) found -= 1;
    return found;
  }

  /** Return the last moment with the same cause. */
  tail(at) {
    let found = at;
    while (found < this.length - 1 && ASIDE.has(this.events[found + 1].event)) found += 1;
    return found;
  }

  /** Return how long the moment after this one has been known, in milliseconds; 0 at the end. */
  lag(at) {
    const next = this.tail(at) + 1;
    return next < this.length ? performance.now() - this.arrived[next] : 0;
  }

  /** Return the first moment of the turn that is `away` turns after that of moment `at`. */
  turnFrom(at, away) {
    const wanted = this.states[at].turn + away;
    if (wanted < 0) return 0;
    if (wanted >= this.turns.length) return this.length - 1;
    if (away < 0 && this.turns[wanted + 1] < at) return this.turns[wanted + 1];
    return this.turns[wanted];
  }
}
