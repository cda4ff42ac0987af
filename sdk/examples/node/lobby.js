// Waiting to be called to tables, for as long as the bot is to play.

import grpc from '@grpc/grpc-js';

import { Backoff } from './backoff.js';
import { HELLO } from './hello.js';
import { Seat } from './seat.js';

// Nobody but a person can put these right.
const HOPELESS = new Set([
  grpc.status.FAILED_PRECONDITION, // no version in common
  grpc.status.INVALID_ARGUMENT,
  grpc.status.PERMISSION_DENIED,
  grpc.status.UNAUTHENTICATED, // the token is not known here
  grpc.status.UNIMPLEMENTED,
]);

export class Lobby {
  #connect; // address -> { lobby, table }
  #token;
  #games;
  #log;
  #playing = new Map(); // match -> Seat
  #endings = new Set(); // a promise for each
  #call;
  #stopped = false;
  #wasHere = false;
  #closing; // when this referee may be tried again, if it is about to stop
  #wake = new AbortController();

  constructor({ connect, token, games, log }) {
    this.#connect = connect;
    this.#token = token;
    this.#games = games;
    this.#log = log;
  }

  // Waits and plays until `stop`. Throws when trying again is no use.
  async stay() {
    const backoff = new Backoff();
    while (!this.#stopped) {
      const status = await this.#connection(backoff);
      if (this.#stopped) break;
      // A referee that has just started may not have been told the tokens yet.
      const known = this.#wasHere && status.code === grpc.status.UNAUTHENTICATED;
      if (HOPELESS.has(status.code) && !known) throw new Error(status.details);
      if (this.#closing === undefined) {
        this.#log(`lobby lost (${status.details || 'closed'}), coming back`);
      } else {
        await delay(this.#closing - Date.now(), this.#wake.signal);
        this.#closing = undefined;
      }
      await backoff.wait(this.#wake.signal);
    }
    await Promise.all(this.#endings); // tables do without the lobby
  }

  // Takes no more games; ends when those that run have ended.
  stop() {
    this.#stopped = true;
    this.#games = 0;
    this.#call?.write({ capacity: { games: 0 } });
    this.#wake.abort();
    this.#goIfFree();
  }

  #connection(backoff) {
    return new Promise((resolve) => {
      const metadata = new grpc.Metadata();
      metadata.set('authorization', `Bearer ${this.#token}`);
      const call = this.#connect('').lobby.Wait(metadata);
      this.#call = call;
      call.on('data', (response) => {
        backoff.reset();
        this.#hear(call, response);
      });
      call.on('error', () => {}); // its status, which always comes, says the same
      call.on('status', resolve);
      call.write({
        arrival: { hello: HELLO, capacity: this.#games, playing: [...this.#playing.keys()] },
      });
    });
  }

  #hear(call, response) {
    switch (response.message) {
      case 'registered':
        this.#wasHere = true;
        this.#log(`${response.registered.bot} waits at ${response.registered.referee}`);
        return;
      case 'call':
        this.#come(call, response.call);
        return;
      case 'withdrawal':
        this.#playing.get(response.withdrawal.match)?.leave(response.withdrawal.reason);
        return;
      case 'closing':
        // Calls may come to the very end: we stay until the referee goes.
        this.#closing = Date.now() + response.closing.backInMs;
        return;
      default: // a kind that later versions may have
    }
  }

  #come(call, { match, address, ticket }) {
    const { table } = this.#connect(address);
    const there = this.#playing.get(match);
    if (there) {
      there.callAgain(table, ticket);
      return;
    }
    const running = [...this.#playing.values()].filter((seat) => !seat.isOver);
    if (running.length >= this.#games) {
      call.write({ decline: { match, reason: 'no room for another game' } });
      return;
    }
    const seat = new Seat(table, ticket, (text) => this.#log(`${match}: ${text}`));
    this.#playing.set(match, seat);
    const ending = seat.play().then((outcome) => {
      this.#playing.delete(match);
      this.#endings.delete(ending);
      this.#log(`${match}: ${outcome}`);
      this.#goIfFree();
    });
    this.#endings.add(ending);
  }

  // Leaves the lobby when it is time to stop and there is nothing more to play.
  #goIfFree() {
    if (this.#stopped && this.#playing.size === 0) this.#call?.end();
  }
}

function delay(ms, signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, Math.max(0, ms));
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
