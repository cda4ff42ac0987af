// Waits in the lobby for calls to tables, until the bot is stopped.

import grpc from '@grpc/grpc-js';

import { Backoff } from './backoff.js';
import { HELLO } from './hello.js';
import { Seat } from './seat.js';

// Errors that retrying cannot fix.
const HOPELESS = new Set([
  grpc.status.FAILED_PRECONDITION, // no version in common
  grpc.status.INVALID_ARGUMENT,
  grpc.status.PERMISSION_DENIED,
  grpc.status.UNAUTHENTICATED, // unknown token
  grpc.status.UNIMPLEMENTED,
]);

export class Lobby {
  #connect; // address -> { lobby, table }
  #token;
  #games;
  #log;
  #playing = new Map(); // match -> Seat
  #endings = new Set(); // one promise per game
  #call;
  #stopped = false;
  #wasHere = false;
  #closing; // when to reconnect to a referee that is about to stop
  #wake = new AbortController();

  constructor({ connect, token, games, log }) {
    this.#connect = connect;
    this.#token = token;
    this.#games = games;
    this.#log = log;
  }

  // Waits and plays until `stop` is called. Throws if retrying is useless.
  async stay() {
    const backoff = new Backoff();
    while (!this.#stopped) {
      const status = await this.#connection(backoff);
      if (this.#stopped) break;
      // A referee that has just started may not have received the tokens yet.
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
    await Promise.all(this.#endings); // games continue without the lobby
  }

  // Accepts no more games, and ends when the running ones have ended.
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
      call.on('error', () => {}); // the status event, which always follows, says the same
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
        // Stay connected, because calls may come until the referee stops.
        this.#closing = Date.now() + response.closing.backInMs;
        return;
      default: // a kind of a later version
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

  // Leaves the lobby if the bot was stopped and no game is running.
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
