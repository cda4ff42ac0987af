// One seat in one match: all messages on Table.Play, over any number of connections.

import { performance } from 'node:perf_hooks';

import grpc from '@grpc/grpc-js';

import { Backoff } from './backoff.js';
import { HELLO } from './hello.js';
import { Player } from './player.js';

const NAME = 'Nodewerker';
const MOST_ATTEMPTS_MS = 60_000;

// After these errors the same ticket will never work: the match is over, another connection has the
// seat, or this client violates the protocol. After any other error, retry.
const FINAL = new Set([
  grpc.status.ABORTED,
  grpc.status.ALREADY_EXISTS,
  grpc.status.FAILED_PRECONDITION,
  grpc.status.INVALID_ARGUMENT,
  grpc.status.NOT_FOUND,
  grpc.status.PERMISSION_DENIED,
  grpc.status.UNAUTHENTICATED,
  grpc.status.UNIMPLEMENTED,
]);

export class Seat {
  #client;
  #ticket;
  #log;
  #welcome; // the last one
  #player;
  #begun = false; // whether the match has begun, as far as we know
  #over = false;
  #answered = { decision: undefined, refused: new Set() }; // the last question we answered
  #call;
  #wake = new AbortController();
  #lost; // when the connection was lost

  constructor(client, ticket, log) {
    this.#client = client;
    this.#ticket = ticket;
    this.#log = log;
  }

  // Whether the match is over, although the connection may still be open.
  get isOver() {
    return Boolean(this.#over);
  }

  // Plays to the end. Resolves to a description of the outcome.
  async play() {
    const backoff = new Backoff();
    for (;;) {
      const ticket = this.#ticket;
      const status = await this.#connection(backoff);
      if (this.#over) return this.#over;
      if (ticket !== this.#ticket && FINAL.has(status.code)) continue; // a new call came in between
      if (FINAL.has(status.code)) return `given up: ${status.details}`;
      this.#lost ??= performance.now();
      const patience = Math.max(MOST_ATTEMPTS_MS, this.#welcome?.control.graceMs ?? 0);
      if (performance.now() - this.#lost > patience) return `given up: ${status.details}`;
      this.#log(`connection lost (${status.details || 'closed'}), coming back`);
      await backoff.wait(this.#wake.signal);
    }
  }

  // The lobby calls to the same match again, which invalidates the old ticket.
  callAgain(client, ticket) {
    this.#client = client;
    this.#ticket = ticket;
    this.#wake.abort(); // do not wait any longer
    this.#wake = new AbortController();
    this.#call?.cancel();
  }

  // The lobby withdraws the call: make no more connections.
  leave(reason) {
    this.#over ||= `called off: ${reason}`;
    this.#wake.abort();
    this.#call?.cancel();
  }

  // One connection, from Join to its end; resolves to its gRPC status.
  #connection(backoff) {
    return new Promise((resolve) => {
      const call = this.#client.Play();
      this.#call = call;
      call.on('data', (response) => {
        backoff.reset();
        this.#lost = undefined;
        try {
          this.#hear(call, response);
        } catch (problem) {
          this.#giveUp(call, problem);
        }
      });
      call.on('error', () => {}); // the status event, which always follows, says the same
      call.on('status', resolve);
      call.write({ join: { hello: HELLO, ticket: this.#ticket, promptEvents: false } });
    });
  }

  #hear(call, response) {
    // `message` is the kind. It is undefined for a kind that did not exist when the .proto files
    // were copied: the protocol requires clients to skip those.
    switch (response.message) {
      case 'welcome':
        return this.#sitDown(call, response.welcome);
      case 'question':
        return this.#answer(call, response.question);
      case 'rejection':
        return this.#answerOtherwise(call, response.rejection);
      case 'complaint':
        return this.#log(`the referee complains: ${response.complaint.what}`);
      case 'ending':
        this.#over = inWords(response.ending, this.#welcome.seat);
        return call.end();
      default: // stale: harmless; news: not requested
        return undefined;
    }
  }

  #sitDown(call, welcome) {
    this.#welcome = welcome;
    this.#ticket = welcome.rejoinTicket;
    this.#player ??= new Player(welcome);
    // Repeat it on later connections: the first may have been lost on the way to the referee.
    this.#begun ||= welcome.state !== null;
    if (!this.#begun) call.write({ ready: { name: NAME } });
  }

  #answer(call, question) {
    this.#begun = true;
    if (question.decision !== this.#answered.decision) {
      this.#answered = { decision: question.decision, refused: new Set() };
    }
    // A repeated question, for example after a lost connection, is answered again.
    this.#answered.question = question;
    this.#decide(call);
  }

  #answerOtherwise(call, rejection) {
    if (rejection.decision !== this.#answered.decision) return;
    this.#log(`refused: ${rejection.reason}; ${rejection.strikesLeft} more and we are out`);
    this.#answered.refused.add(this.#answered.action);
    this.#decide(call);
  }

  #decide(call) {
    const started = performance.now();
    const { question, refused } = this.#answered;
    const others = question.legal.filter((action) => !refused.has(action));
    const legal = others.length > 0 ? others : question.legal;
    this.#answered.action = this.#player.choose(question.state, legal);
    call.write({
      decision: {
        decision: question.decision, // a string: 64 bits
        action: this.#answered.action,
        thinkUs: Math.floor((performance.now() - started) * 1000),
      },
    });
  }

  // A bug in the bot: it leaves the table, and its other games continue.
  #giveUp(call, problem) {
    this.#log(problem.stack);
    const failure = { reason: 'FAULT_REASON_CRASH', detail: problem.message };
    call.write({ failure: { ...failure, traceback: problem.stack } });
  }
}

function inWords(ending, seat) {
  switch (ending.outcome) {
    case 'result': {
      const { place, total } = ending.result.seats[seat];
      return `place ${place} with ${total} points`;
    }
    case 'void':
      return `void: ${ending.void.detail}`;
    case 'fault':
      return `left the table: ${ending.fault.reason} ${ending.fault.detail}`;
    default:
      return 'over';
  }
}
