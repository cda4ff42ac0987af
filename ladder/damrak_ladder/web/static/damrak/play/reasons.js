// Why an action is not legal now, in words. The referee decides; this only explains.

import { KINDS } from "../viewer/words.js";

const GREY = 6; // any one colour pays for such a route

/** Return why this seat cannot claim a route. */
export function whyNotClaim({ speaker, match, state, seat, question }, route) {
  const name = { route: speaker.route(route) };
  const [a, b, length, colour] = match.routes[route];
  const owner = state[`r${route}`];
  if (owner === seat) return speaker.text("own", name);
  if (owner === -1) return speaker.text("shut", name);
  if (owner !== undefined) return speaker.text("taken", { ...name, bot: speaker.bot(owner) });
  if (!question) return speaker.text("not_yours");
  if (question.phase === "keep") return speaker.text("keep_first");
  if (question.phase === "second") return speaker.text("second_first");
  const isTwin = match.routes.some(
    ([c, d], other) => other !== route && c === a && d === b && state[`r${other}`] === seat,
  );
  if (isTwin) return speaker.text("twin", name);
  const carts = state[`k${seat}`];
  if (carts < length) return speaker.text("few_carts", { ...name, need: length, have: carts });
  const hand = state[`h${seat}`];
  const wilds = hand[GREY];
  if (colour === GREY) {
    const have = Math.max(...hand.slice(0, GREY)) + wilds;
    return speaker.text("few_cards", { ...name, need: length, have });
  }
  const have = hand[colour] + wilds;
  return speaker.text("few_coloured", { ...name, need: length, colour: speaker.text(KINDS[colour]), have });
}

/** Return why this seat cannot take a card. */
export function whyNotTake({ speaker, state, question }, slot) {
  if (!question) return speaker.text("not_yours");
  if (question.phase === "keep") return speaker.text("keep_first");
  if (question.phase === "second" && state.row[slot] === GREY) return speaker.text("no_wild");
  return speaker.text("not_now");
}
