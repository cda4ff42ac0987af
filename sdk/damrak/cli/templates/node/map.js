// The board as a graph: which routes are available, and the cheapest path between two locations.

import { has } from './packed.js';

export class Board {
  // `welcome.board` is a JSON file; docs/replay.md, section 4.1, lists its fields.
  constructor(bytes) {
    const file = JSON.parse(bytes.toString('utf8'));
    this.routes = [...file.routes].sort((a, b) => a.id - b.id);
    this.contracts = new Map(file.contracts.map((contract) => [contract.id, contract]));
    this.points = file.route_points;
  }

  pointsFor(route) {
    return this.points[route.length];
  }
}

// Returns the cost of each route for this seat: 0 if owned, its length if claimable, else Infinity.
export function routeCosts(board, actions, state, seat) {
  const costs = board.routes.map((route) => (has(state.owned[seat], route.id) ? 0 : Infinity));
  actions.kinds.forEach((kind, action) => {
    if (kind !== 'ACTION_KIND_CLAIM') return;
    const route = actions.places[action];
    if (costs[route] > 0 && has(state.open, action) && !has(state.barred[seat], action)) {
      costs[route] = board.routes[route].length;
    }
  });
  return costs;
}

// Returns the cheapest path: { cost, routes still to claim }; cost is Infinity if there is none.
export function cheapestWay(board, costs, from, to) {
  const best = new Map([[from, 0]]);
  const cameBy = new Map();
  const waiting = new Set([from]);
  while (waiting.size > 0) {
    const here = [...waiting].reduce((a, b) => (best.get(b) < best.get(a) ? b : a));
    if (here === to) break;
    waiting.delete(here);
    for (const route of board.routes) {
      if (route.from !== here && route.to !== here) continue;
      const there = route.from === here ? route.to : route.from;
      const cost = best.get(here) + costs[route.id];
      if (cost < (best.get(there) ?? Infinity)) {
        best.set(there, cost);
        cameBy.set(there, { route, here });
        waiting.add(there);
      }
    }
  }
  const routes = [];
  for (let at = to; cameBy.has(at); at = cameBy.get(at).here) {
    const { route } = cameBy.get(at);
    if (costs[route.id] > 0) routes.push(route.id);
  }
  return { cost: best.get(to) ?? Infinity, routes };
}
