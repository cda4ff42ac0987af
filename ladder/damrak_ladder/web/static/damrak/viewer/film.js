// The moments of a match, converted to states that can be shown in any order.

/** All states of a match; those of a running match are appended as they arrive. */
export class Film {
  /** @param {object} match the match as sent by the server, with its moments so far */
  constructor(match) {
    this.match = match;
    this.events = [];
    this.states = [];
    this.turns = []; // the first moment of each turn
    this.append(match.moments);
  }

  /** Append moments: pairs of an event and the values that it changed. */
  append(moments) {
    for (const [event, changes] of moments) {
      const before = this.states.at(-1);
      const state = { ...before, ...changes };
      if (state.turn !== before?.turn) this.turns[state.turn] = this.states.length;
      this.events.push(event);
      this.states.push(state);
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

  /** Return the first moment of the turn that is `away` turns after that of moment `at`. */
  turnFrom(at, away) {
    const wanted = this.states[at].turn + away;
    if (wanted < 0) return 0;
    if (wanted >= this.turns.length) return this.length - 1;
    if (away < 0 && this.turns[wanted + 1] < at) return this.turns[wanted + 1];
    return this.turns[wanted];
  }
}
