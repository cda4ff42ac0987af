// Events in words. The server uses the same catalogue for the same texts (replays/words.py).

import { shortestWay } from "./ways.js";

/** @param {number} number */
export const signed = (number) => (number < 0 ? `\u2212${-number}` : String(number));

/** The colours and cards, as replays name them. */
export const KINDS = ["pink", "blue", "green", "black", "red", "orange", "wild"];

const DRAWS = new Set(["take", "blind"]);

/** Describes the events of one match in one language. */
export class Speaker {
  constructor(catalogue, match, language) {
    this.catalogue = catalogue;
    this.match = match;
    this.plurals = new Intl.PluralRules(language);
    this.tenths = new Intl.NumberFormat(language, {
      minimumFractionDigits: 1,
      maximumFractionDigits: 1,
    });
  }

  /** Format milliseconds as seconds. */
  seconds(milliseconds) {
    return this.tenths.format(milliseconds / 1000);
  }

  /** Return the text with this name, with its placeholders filled. */
  text(name, places = {}) {
    return this.catalogue[name].replace(/%\((\w+)\)s/g, (_, place) => places[place]);
  }

  /** Return a counted text in the right plural form. */
  count(name, number) {
    const form = this.plurals.select(Math.abs(number));
    const at = form === "one" ? 0 : form === "few" ? 1 : 2;
    return this.catalogue[name][at].replace("%(n)s", signed(number));
  }

  bot(seat) {
    return this.match.seats[seat].bot;
  }

  route(number) {
    const [a, b] = this.match.routes[number];
    return `${this.match.places[a]} – ${this.match.places[b]}`;
  }

  contract(number) {
    const [a, b, points] = this.match.contracts[number];
    return `${this.match.places[a]} – ${this.match.places[b]} (${points})`;
  }

  /** Describe an event in one sentence. */
  say(event, state) {
    const places = {};
    let kind = event.event;
    if (event.seat !== undefined) places.bot = this.bot(event.seat);
    if (event.card) places.card = this.text(event.card);
    if (event.points !== undefined) places.points = this.count("n_points", event.points);
    switch (kind) {
      case "deal":
        places.bot = this.bot(event.first);
        break;
      case "keep":
      case "offer":
        if (kind === "offer" && event.contracts.includes(null)) kind = "offer_hidden";
        places.contracts = this.#contracts(event.contracts);
        break;
      case "blind":
        if (!event.card) kind = "blind_hidden";
        break;
      case "claim":
        if (event.goods) kind = "claim_goods";
        Object.assign(places, this.#claim(event));
        break;
      case "last_round":
        places.carts = this.count("n_carts", state[`k${event.seat}`]);
        break;
      case "fault":
      case "end":
        places.reason = this.text(event.reason);
        break;
      case "count_contract":
        kind = state[`d${event.seat}`].includes(event.contract) ? "count_fulfilled" : "count_failed";
        places.contract = this.contract(event.contract);
        break;
      case "places":
        return this.#winners(state);
    }
    return this.text(kind, places);
  }

  /** Describe the turn up to this moment in one short line, as captions of playback do. */
  line(film, at) {
    const head = film.head(at);
    const event = film.events[head];
    if (event.event === "claim") {
      const { route, cards } = this.#claim(event);
      const line = this.text("line_claim", { bot: this.bot(event.seat), route, cards });
      return this.#withAim(line, event, film.states[head], film.states[head - 1]);
    }
    if (event.event === "keep") {
      return this.text("keep", { bot: this.bot(event.seat), contracts: this.count("n_contracts", event.contracts.length) });
    }
    if (!DRAWS.has(event.event)) return this.say(event, film.states[at]);
    const { turn } = film.states[head];
    const drawn = film.events
      .slice(film.turns[turn], head + 1)
      .filter((one) => DRAWS.has(one.event) && one.seat === event.seat)
      .map((one) => this.text(one.card || "line_hidden"));
    return this.text("line_draw", { bot: this.bot(event.seat), cards: drawn.join(", ") });
  }

  /** Add what a claim is good for, if this viewpoint shows the contracts of the seat. */
  #withAim(line, { seat, route }, state, before) {
    const held = state[`c${seat}`].filter((contract) => contract !== null);
    const done = held.find((one) => state[`d${seat}`].includes(one) && !before[`d${seat}`].includes(one));
    if (done !== undefined) return this.text("line_fulfils", { line, contract: this.contract(done) });
    const near = held.find((one) => {
      if (state[`d${seat}`].includes(one)) return false;
      const way = shortestWay(this.match, state, seat, one);
      return way && way.routes.length - way.own.size === 1 && way.own.has(route);
    });
    return near === undefined ? line : this.text("line_near", { line, contract: this.contract(near) });
  }

  #contracts(ids) {
    if (ids.includes(null)) return this.count("n_contracts", ids.length);
    return ids.map((id) => this.contract(id)).join(", ");
  }

  #claim(event) {
    const length = this.match.routes[event.route][2];
    const paid = [];
    if (event.colour && length > event.wilds) {
      paid.push(`${length - event.wilds} × ${this.text(event.colour)}`);
    }
    if (event.wilds) paid.push(`${event.wilds} × ${this.text("wild")}`);
    return {
      route: this.route(event.route),
      points: this.count("n_points", this.match.scores[length]),
      cards: paid.join(", "),
    };
  }

  #winners(state) {
    const best = this.match.seats.map((_, seat) => seat).filter((seat) => state[`y${seat}`] === 1);
    const points = this.count("n_points", state[`s${best[0]}`]);
    const bots = best.map((seat) => this.bot(seat)).join(", ");
    return best.length === 1
      ? this.text("places", { bot: bots, points })
      : this.text("places_shared", { bots, points });
  }
}
