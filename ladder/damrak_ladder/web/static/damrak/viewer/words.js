// Events in words. The server uses the same catalogue for the same texts (replays/words.py).

/** @param {number} number */
export const signed = (number) => (number < 0 ? `\u2212${-number}` : String(number));

/** The colours and cards, as replays name them. */
export const KINDS = ["pink", "blue", "green", "black", "red", "orange", "wild"];

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
