// Packed values of the protocol: counts of cards in one 64-bit number, sets in bytes.

export const CARDS = [
  'CARD_PINK', 'CARD_BLUE', 'CARD_GREEN', 'CARD_BLACK', 'CARD_RED', 'CARD_ORANGE', 'CARD_WILD',
];

// Returns the number of cards of each kind: eight bits per kind, pink lowest.
export function counts(packed) {
  const bits = BigInt(packed);
  return Object.fromEntries(
    CARDS.map((card, kind) => [card, Number((bits >> BigInt(8 * kind)) & 255n)]),
  );
}

// Returns whether item i is in a set: bit i % 8 of byte i / 8. Bytes missing at the end are zero.
export function has(bytes, i) {
  return (((bytes[i >> 3] ?? 0) >> (i & 7)) & 1) === 1;
}

// Returns the members of a set that is packed in one 64-bit number.
export function members(packed) {
  const bits = BigInt(packed);
  const found = [];
  for (let i = 0; bits >> BigInt(i) > 0n; i += 1) {
    if ((bits >> BigInt(i)) & 1n) found.push(i);
  }
  return found;
}
