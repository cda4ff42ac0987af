// The shortest way of a contract that a seat can still complete.

/**
 * Return the routes that join the ends of a contract with the fewest spaces still to be claimed;
 * null if the seat has no possible way left.
 */
export function shortestWay(match, state, seat, contract) {
  const [start, goal] = match.contracts[contract];
  const best = match.places.map(() => Infinity);
  const came = match.places.map(() => -1);
  const done = new Set();
  best[start] = 0;
  for (;;) {
    let here = -1;
    for (let place = 0; place < best.length; place++) {
      if (!done.has(place) && best[place] < (here < 0 ? Infinity : best[here])) here = place;
    }
    if (here < 0) return null;
    if (here === goal) break;
    done.add(here);
    match.routes.forEach(([a, b, length], route) => {
      if (a !== here && b !== here) return;
      const owner = state[`r${route}`];
      if (owner !== undefined && owner !== seat) return;
      const there = a === here ? b : a;
      // A small cost per route makes the way with fewer claims win among ways of equal length.
      const cost = best[here] + (owner === seat ? 0 : length + 0.01);
      if (cost < best[there]) {
        best[there] = cost;
        came[there] = route;
      }
    });
  }
  const routes = [];
  for (let place = goal; place !== start; ) {
    const route = came[place];
    routes.push(route);
    const [a, b] = match.routes[route];
    place = a === place ? b : a;
  }
  const own = new Set(routes.filter((route) => state[`r${route}`] === seat));
  const missing = routes.filter((route) => !own.has(route));
  return { routes, own, missing: missing.reduce((sum, route) => sum + match.routes[route][2], 0) };
}
