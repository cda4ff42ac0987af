// The bot's strategy: it finds the cheapest paths for its contracts, claims their routes as soon as
// it can pay, collects the cards they need, and spends the remaining carts on long routes.

import { Board, cheapestWay, routeCosts } from './map.js';
import { CARDS, counts, members } from './packed.js';

const WILD = 'CARD_WILD';
const COLOURS = CARDS.slice(0, 6);

export class Player {
  constructor(welcome) {
    this.seat = welcome.seat;
    this.board = new Board(welcome.board);
    this.actions = welcome.actions; // columns: entry i of each describes action i
  }

  // Returns one of the legal actions. `legal` may lack actions that the referee has rejected.
  choose(state, legal) {
    const costs = routeCosts(this.board, this.actions, state, this.seat);
    if (state.phase === 'PHASE_SETUP' || state.phase === 'PHASE_KEEP') {
      return this.#keep(state, legal, costs);
    }
    const plan = this.#plan(state, costs);
    const worth = legal.map((action) => [action, this.#worth(action, state, plan, costs)]);
    return worth.reduce((best, next) => (next[1] > best[1] ? next : best))[0];
  }

  // Returns the routes to build: the cheapest paths of contracts that can still be fulfilled.
  #plan(state, costs) {
    const carts = state.carts[this.seat];
    const planned = costs.slice();
    const wanted = new Set();
    let needed = 0;
    const open = members(state.contracts)
      .map((id) => this.board.contracts.get(id))
      .sort((a, b) => b.points - a.points);
    for (const { from, to } of open) {
      const way = cheapestWay(this.board, planned, from, to);
      if (needed + way.cost > carts) continue;
      needed += way.cost;
      for (const id of way.routes) {
        wanted.add(id);
        planned[id] = 0; // a route built for one contract is free for the others
      }
    }
    return { wanted, needed, spare: carts - needed };
  }

  #keep(state, legal, costs) {
    const offered = state.offer.map((id) => this.board.contracts.get(id));
    const carts = state.carts[this.seat];
    const value = (contracts) => {
      const planned = costs.slice();
      let sum = 0;
      let left = carts * (state.phase === 'PHASE_SETUP' ? 0.7 : 0.9);
      for (const { from, to, points } of contracts) {
        const way = cheapestWay(this.board, planned, from, to);
        left -= way.cost;
        sum += left >= 0 ? points - way.cost / 4 : -points;
        for (const id of way.routes) planned[id] = 0;
      }
      return sum;
    };
    const choices = {
      ACTION_KIND_KEEP_FIRST: offered.slice(0, 1),
      ACTION_KIND_KEEP_SECOND: offered.slice(1, 2),
      ACTION_KIND_KEEP_BOTH: offered,
    };
    const worth = (action) => value(choices[this.actions.kinds[action]] ?? []);
    return legal.reduce((best, next) => (worth(next) > worth(best) ? next : best));
  }

  #worth(action, state, plan, costs) {
    const hand = counts(state.hand);
    switch (this.actions.kinds[action]) {
      case 'ACTION_KIND_CLAIM': {
        const route = this.board.routes[this.actions.places[action]];
        const points = this.board.pointsFor(route);
        const dear = 2 * this.actions.wilds[action];
        if (plan.wanted.has(route.id)) return 200 + points - dear;
        return plan.spare >= route.length && route.length >= 3 ? 100 + points - dear : 5 - dear;
      }
      case 'ACTION_KIND_TAKE': {
        const card = state.row[this.actions.places[action]];
        if (card === WILD) return 45;
        return 20 + this.#use(card, hand, plan, costs);
      }
      case 'ACTION_KIND_BLIND':
        return 30;
      case 'ACTION_KIND_OFFER':
        // Draw contracts only if all are fulfilled and enough carts are left.
        return plan.wanted.size === 0 && state.carts[this.seat] > 12 ? 60 : 1;
      default:
        return 0; // passing
    }
  }

  // Returns how useful one more card of this colour is for the planned routes.
  #use(card, hand, plan, costs) {
    let use = 0;
    for (const id of plan.wanted) {
      const { colour, length } = this.board.routes[id];
      const mostOf = COLOURS.reduce((a, b) => (hand[b] > hand[a] ? b : a));
      const paidWith = colour === 'grey' ? mostOf : `CARD_${colour.toUpperCase()}`;
      const missing = length - hand[paidWith];
      if (paidWith === card && missing > 0 && costs[id] > 0) use = Math.max(use, 20 - missing);
    }
    return use;
  }
}
