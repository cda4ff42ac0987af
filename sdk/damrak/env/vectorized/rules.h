/* The rules of one game.

   This is a second statement of the rules in damrak_engine, which remains the authority: referee,
   arbiter and verification never use it. `damrak env selftest` plays both with the same chance and
   compares every observation, mask, number of draws and result. The functions have the names of
   their counterparts in damrak_engine (state, supply, legal, deal, scoring).

   Multisets of cards are packed as in damrak_engine.cards: eight bits per kind, wild highest. */

#include <stdint.h>
#include <string.h>

#ifdef _MSC_VER
#include <intrin.h>
static int lowest(uint64_t set) {
    unsigned long at;
    _BitScanForward64(&at, set);
    return (int)at;
}
#else
static int lowest(uint64_t set) { return __builtin_ctzll(set); }
#endif

enum { COLOURS = 6, WILD = 6, KINDS = 7, NO_CARD = 7, ROW = 5, MOST_SEATS = 4 };
enum { SETUP, TURN, SECOND, KEEP, OVER };
enum { BLIND = 0, TAKE = 1, OFFER = 6, KEEP_FIRST = 7, PASS = 10, FIRST_CLAIM = 11 };
enum { CARTS = 1, STALEMATE, TURN_LIMIT, FORFEIT }; /* why a game ended */
enum { SKIP, SKIP_ONE, DENSE, SPLIT };              /* option goods_ties */
enum { SHARED, GOODS, SEED_DRAW };                  /* option final_tie */
enum { ALL_SEATS = -1, RANDOM_SEAT = -2 };          /* the learner's seat, or a number */
enum { RANDOM_FIRST = -1, ROTATE = -2 };            /* option first_player, or a seat */
enum { TOTAL, PLACE, ROUTE_POINTS, CONTRACT_POINTS, GOODS_POINTS, FULFILLED, OUTCOME };
enum { FLUSH_CAP = 1000, FEW_CARTS = 2, FEWEST_TO_FLUSH = 3 };

#define ONE(kind) (1ull << 8 * (kind))
#define COUNT(pack, kind) ((int)((pack) >> 8 * (kind) & 255))
#define PLAIN (ONE(WILD) - 1)
#define GUARDS 0x0080808080808080ull /* the top bit of each of seven counts */

typedef struct {
    uint64_t cost;
    uint16_t route;
    int8_t colour; /* -1: wilds only */
    uint8_t wilds;
} Claim;

typedef struct {
    int16_t twin; /* -1: none */
    uint8_t a, b, length, points, goods;
} Route;

typedef struct {
    uint8_t a, b, points;
} Contract;

/* Everything that follows from board, seats and options; tables.py fills it from damrak_engine.Rules.
   Sets of claims and of routes are rows of `words` and `route_words` 64-bit words. */
typedef struct {
    const uint64_t *by_carts, *by_wilds, *by_colour; /* claims within a number of carts or cards */
    const uint64_t *open;                            /* claims open at the start */
    const uint64_t *leaves;                          /* for each route: the claims of all others */
    const Claim *claims;
    const Route *route;
    const Contract *contract;
    const float *scale; /* of the counts in an observation */
    uint64_t deck;
    int32_t seats, locations, routes, contracts, actions, words, route_words;
    int32_t carts, goods_cards, deck_size, most_of_colour;
    int32_t lazy, may_pass, may_stop, virtual_goods, equal_turns, unseen_choice, shuffled;
    int32_t twins_open, public_sizes, annul, goods_ties, final_tie;
    int32_t turn_limit, flush_limit, first_player, bonus[MOST_SEATS];
    int32_t at_open, at_owned, at_free, at_label, game_size, log_size;
} Tables;

/* The streams of random numbers, as in damrak_engine/dice.py; most have one for each seat. */
enum { FIRST_SEAT, TURNED_UP, HAND_OF, BLIND_OF = 6, CONTRACTS_OF = 10, RETURNS = 14, TIES, STREAMS };

/* One game. The sets that depend on the board follow it in memory: claims open to each seat, routes
   it owns, routes open to it, and for each location a label of the network that it belongs to. */
typedef struct {
    uint64_t key; /* of its random numbers */
    const uint64_t *tape; /* recorded random numbers, as many for each stream; NULL: none */
    uint64_t pile, discards, undrawn;
    uint64_t hand[MOST_SEATS], known[MOST_SEATS], floor[MOST_SEATS];
    uint64_t contracts[MOST_SEATS], linked[MOST_SEATS], given_back[MOST_SEATS];
    uint32_t draws, lots; /* random numbers used by the rules, and by built-in bots */
    uint32_t deal, turns, logged;
    int32_t points[MOST_SEATS];
    int16_t carts[MOST_SEATS], goods[MOST_SEATS], goods_left, pile_size;
    int8_t phase, actor, first, learner, last; /* last: the seat that decided last */
    uint8_t passes, last_turns, closing, gone, leavers, left[MOST_SEATS], reason, is_waiting;
    uint8_t row[ROW], offers[MOST_SEATS], offer[MOST_SEATS][2];
    uint8_t returned_at, returned_size, returned[64]; /* a ring: the contracts under the pile */
    uint16_t tape_size, tape_at[STREAMS]; /* numbers on each stream, and how many were used */
} Game;

/* ---- sets and multisets -------------------------------------------------------------------- */

static uint64_t *open_to(const Tables *t, const Game *g, int seat) {
    return (uint64_t *)((char *)g + t->at_open) + seat * t->words;
}
static uint64_t *owned_by(const Tables *t, const Game *g, int seat) {
    return (uint64_t *)((char *)g + t->at_owned) + seat * t->route_words;
}
static uint64_t *free_to(const Tables *t, const Game *g, int seat) {
    return (uint64_t *)((char *)g + t->at_free) + seat * t->route_words;
}
static uint8_t *labels_of(const Tables *t, const Game *g, int seat) {
    return (uint8_t *)g + t->at_label + seat * t->locations;
}

static int ones(uint64_t set) { /* popcount, without an instruction that old processors lack */
    set -= set >> 1 & 0x5555555555555555ull;
    set = (set & 0x3333333333333333ull) + (set >> 2 & 0x3333333333333333ull);
    return (int)(((set + (set >> 4)) & 0x0f0f0f0f0f0f0f0full) * 0x0101010101010101ull >> 56);
}

static int nth(uint64_t set, int n) {
    while (n--) set &= set - 1;
    return lowest(set);
}

static int size(uint64_t pack) {
    uint64_t pairs = (pack & 0x00ff00ff00ff00ffull) + (pack >> 8 & 0x00ff00ff00ff00ffull);
    return (int)(pairs * 0x0001000100010001ull >> 48);
}

static uint64_t without(uint64_t pack, uint64_t removed) {
    uint64_t left = (pack | GUARDS) - removed, positive = left & GUARDS;
    return left & (positive - (positive >> 7));
}

/* ---- chance -------------------------------------------------------------------------------- */

static uint64_t mixed(uint64_t z) { /* the output function of SplitMix64 */
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

static uint32_t below(uint64_t key, uint32_t number, uint32_t n) {
    return (uint32_t)((mixed(key + 0x9e3779b97f4a7c15ull * number) >> 32) * n >> 32);
}

static uint32_t pick(Game *g, int stream, uint32_t n) {
    ++g->draws;
    if (!g->tape) return below(g->key, g->draws, n);
    if (g->tape_at[stream] >= g->tape_size) return 0; /* not the recorded game */
    uint64_t raw = g->tape[stream * g->tape_size + g->tape_at[stream]++];
    return (uint32_t)(((raw >> 32) * n + ((raw & 0xffffffff) * n >> 32)) >> 32);
}

static uint32_t lot(Game *g, uint32_t n) { return below(~g->key, ++g->lots, n); }

/* ---- supply -------------------------------------------------------------------------------- */

static void reshuffle_if_empty(const Tables *t, Game *g) {
    if (g->pile_size > 0 || !g->discards) return;
    uint64_t hidden = 0;
    for (int i = 0; i < t->seats; i++) hidden += g->hand[i] - g->known[i];
    for (int i = 0; i < t->seats; i++) g->floor[i] = hidden - g->hand[i] + g->known[i];
    g->pile = g->discards;
    g->pile_size = (int16_t)size(g->discards);
    g->discards = 0;
}

static int draw(const Tables *t, Game *g, int stream) {
    reshuffle_if_empty(t, g);
    if (g->pile_size == 0) return NO_CARD;
    int index = (int)pick(g, stream, (uint32_t)g->pile_size), card = 0;
    for (uint64_t pile = g->pile; card < WILD && index >= (int)(pile & 255); card++, pile >>= 8)
        index -= (int)(pile & 255);
    g->pile -= ONE(card);
    g->pile_size--;
    return card;
}

static void show(const Tables *t, Game *g, int seat, uint64_t cards) {
    uint64_t unexpected = without(cards, g->known[seat]);
    g->known[seat] = without(g->known[seat], cards);
    for (int other = 0; other < t->seats; other++)
        if (other != seat) g->floor[other] = without(g->floor[other], unexpected);
}

static void fill(const Tables *t, Game *g, int slot) {
    g->row[slot] = (uint8_t)draw(t, g, TURNED_UP);
    if (!t->lazy) reshuffle_if_empty(t, g);
}

static int in_row(const Game *g, int card) {
    int number = 0;
    for (int slot = 0; slot < ROW; slot++) number += g->row[slot] == card;
    return number;
}

static void flush(const Tables *t, Game *g) {
    for (int done = 0; in_row(g, WILD) >= FEWEST_TO_FLUSH; done++) {
        if (in_row(g, NO_CARD) || done >= FLUSH_CAP) return;
        uint64_t cards = 0;
        for (int slot = 0; slot < ROW; slot++) cards += ONE(g->row[slot]);
        if (t->flush_limit >= 0 ? done >= t->flush_limit
                                : size((g->pile + g->discards + cards) & PLAIN) < FEWEST_TO_FLUSH)
            return;
        g->discards += cards;
        memset(g->row, NO_CARD, ROW);
        for (int slot = 0; slot < ROW; slot++) fill(t, g, slot);
    }
}

static void restore_row(const Tables *t, Game *g) {
    if (in_row(g, NO_CARD))
        for (int slot = 0; slot < ROW; slot++)
            if (g->row[slot] == NO_CARD) fill(t, g, slot);
    flush(t, g);
}

static int draw_contract(Game *g, int seat) {
    if (!g->undrawn) {
        int contract = g->returned[g->returned_at++ & 63];
        g->returned_size--;
        return contract;
    }
    int contract = nth(g->undrawn, (int)pick(g, CONTRACTS_OF + seat, (uint32_t)ones(g->undrawn)));
    g->undrawn ^= 1ull << contract;
    return contract;
}

static void return_contract(Game *g, int contract) {
    g->returned[(g->returned_at + g->returned_size++) & 63] = (uint8_t)contract;
}

static void put_on_offer(Game *g, int seat, int number) {
    g->offers[seat] = (uint8_t)number;
    for (int i = 0; i < number; i++) g->given_back[seat] &= ~(1ull << g->offer[seat][i]);
}

static void shuffle_returned(Game *g) {
    uint8_t rest[64];
    int number = g->returned_size;
    for (int i = 0; i < number; i++) rest[i] = g->returned[(g->returned_at + i) & 63];
    g->returned_at = g->returned_size = 0;
    while (number) {
        int at = (int)pick(g, RETURNS, (uint32_t)number);
        return_contract(g, rest[at]);
        memmove(rest + at, rest + at + 1, (size_t)(--number - at));
    }
}

/* ---- legal actions ------------------------------------------------------------------------- */

static uint64_t takeable(const Game *g, int below_card) {
    uint64_t legal = 0;
    for (int slot = 0; slot < ROW; slot++)
        if (g->row[slot] < below_card) legal |= 1ull << (TAKE + slot);
    return legal;
}

static uint64_t legal_second(const Tables *t, const Game *g) {
    uint64_t legal = takeable(g, WILD);
    if (g->pile_size > 0 || g->discards) legal |= 1ull << BLIND;
    return legal && t->may_stop ? legal | 1ull << PASS : legal;
}

static void legal_turn(const Tables *t, const Game *g, uint64_t *legal) {
    int seat = g->actor, words = t->words;
    uint64_t hand = g->hand[seat], any = 0;
    const uint64_t *open = open_to(t, g, seat), *carts = t->by_carts + g->carts[seat] * words;
    const uint64_t *wilds = t->by_wilds + COUNT(hand, WILD) * words, *of[COLOURS];
    for (int i = 0; i < COLOURS; i++)
        of[i] = t->by_colour + (i * (t->most_of_colour + 1) + COUNT(hand, i)) * words;
    for (int w = 0; w < words; w++) {
        uint64_t paid = of[0][w] | of[1][w] | of[2][w] | of[3][w] | of[4][w] | of[5][w];
        any |= legal[w] = open[w] & carts[w] & wilds[w] & paid;
    }
    uint64_t fixed = takeable(g, NO_CARD);
    if (g->pile_size > 0 || g->discards) fixed |= 1ull << BLIND;
    if (g->undrawn || g->returned_size) fixed |= 1ull << OFFER;
    if (!(any | fixed) || t->may_pass) fixed |= 1ull << PASS;
    legal[0] |= fixed;
}

static void set_legal(const Tables *t, const Game *g, uint64_t *legal) {
    if (g->phase == TURN) {
        legal_turn(t, g, legal);
        return;
    }
    memset(legal, 0, sizeof *legal * (size_t)t->words);
    if (g->phase == SECOND) legal[0] = legal_second(t, g);
    else if (g->phase != OVER) legal[0] = (g->offers[g->actor] == 2 ? 7ull : 1ull) << KEEP_FIRST;
}

/* ---- turn order ---------------------------------------------------------------------------- */

static uint8_t present(const Tables *t, const Game *g) {
    return (uint8_t)(((1 << t->seats) - 1) & ~g->gone);
}

static void end_game(Game *g, int reason) {
    g->phase = OVER;
    g->actor = -1;
    g->reason = (uint8_t)reason;
}

static void next_turn(const Tables *t, Game *g) {
    int seats = t->seats, seat = g->actor;
    do seat = (seat + 1) % seats;
    while (g->gone >> seat & 1);
    if (g->closing
        && (seat - g->first + seats) % seats <= (g->actor - g->first + seats) % seats) {
        g->closing = 0;
        g->last_turns = present(t, g);
    }
    g->actor = (int8_t)seat;
    g->phase = TURN;
}

static void end_turn(const Tables *t, Game *g) {
    int seat = g->actor;
    g->turns++;
    if (g->last_turns) {
        g->last_turns &= (uint8_t)~(1 << seat);
        if (!g->last_turns) {
            end_game(g, CARTS);
            return;
        }
    } else if (g->carts[seat] <= FEW_CARTS && !g->closing) {
        if (t->equal_turns) g->closing = 1;
        else g->last_turns = present(t, g);
    }
    if (t->turn_limit && g->turns == (uint32_t)t->turn_limit) end_game(g, TURN_LIMIT);
    else next_turn(t, g);
}

static void next_first_choice(const Tables *t, Game *g) {
    int following = (g->actor + 1) % t->seats;
    if (following != g->first) {
        g->actor = (int8_t)following;
        return;
    }
    if (t->shuffled) shuffle_returned(g);
    next_turn(t, g);
}

/* ---- effects ------------------------------------------------------------------------------- */

static void close_route(const Tables *t, Game *g, int seat, int route) {
    uint64_t *open = open_to(t, g, seat);
    const uint64_t *leaves = t->leaves + route * t->words;
    for (int w = 0; w < t->words; w++) open[w] &= leaves[w];
    free_to(t, g, seat)[route >> 6] &= ~(1ull << (route & 63));
}

static void join(const Tables *t, Game *g, int seat, int a, int b) {
    uint8_t *label = labels_of(t, g, seat), from = label[b], to = label[a];
    if (from == to) return;
    for (int i = 0; i < t->locations; i++)
        if (label[i] == from) label[i] = to;
    uint64_t linked = 0;
    for (int i = 0; i < t->contracts; i++)
        linked |= (uint64_t)(label[t->contract[i].a] == label[t->contract[i].b]) << i;
    g->linked[seat] = linked;
}

static void claim(const Tables *t, Game *g, const Claim *it) {
    int seat = g->actor;
    const Route *route = t->route + it->route;
    g->passes = 0;
    g->hand[seat] -= it->cost;
    g->discards += it->cost;
    show(t, g, seat, it->cost);
    owned_by(t, g, seat)[it->route >> 6] |= 1ull << (it->route & 63);
    g->carts[seat] -= route->length;
    g->points[seat] += route->points;
    for (int other = 0; other < t->seats; other++) {
        close_route(t, g, other, it->route);
        if (route->twin >= 0 && (other == seat || !t->twins_open))
            close_route(t, g, other, route->twin);
    }
    join(t, g, seat, route->a, route->b);
    if (route->goods && (g->goods_left > 0 || t->virtual_goods)) {
        g->goods[seat]++;
        g->goods_left--;
    }
    restore_row(t, g);
    end_turn(t, g);
}

static void after_card(const Tables *t, Game *g) {
    if (g->phase == TURN) {
        g->phase = SECOND;
        if (legal_second(t, g)) return;
    }
    end_turn(t, g);
}

static void draw_blind(const Tables *t, Game *g) {
    g->passes = 0;
    g->hand[g->actor] += ONE(draw(t, g, BLIND_OF + g->actor));
    if (!t->lazy) reshuffle_if_empty(t, g);
    after_card(t, g);
}

static void take(const Tables *t, Game *g, int slot) {
    int card = g->row[slot];
    g->passes = 0;
    g->hand[g->actor] += ONE(card);
    g->known[g->actor] += ONE(card);
    fill(t, g, slot);
    flush(t, g);
    if (card == WILD) end_turn(t, g);
    else after_card(t, g);
}

static void offer(Game *g) {
    int seat = g->actor, number = 1;
    g->passes = 0;
    g->offer[seat][0] = (uint8_t)draw_contract(g, seat);
    if (g->undrawn || g->returned_size) g->offer[seat][number++] = (uint8_t)draw_contract(g, seat);
    put_on_offer(g, seat, number);
    g->phase = KEEP;
}

static void keep(const Tables *t, Game *g, int kept) {
    int seat = g->actor;
    for (int i = 0; i < g->offers[seat]; i++) {
        int contract = g->offer[seat][i];
        if (kept >> i & 1) {
            g->contracts[seat] |= 1ull << contract;
        } else {
            g->given_back[seat] |= 1ull << contract;
            return_contract(g, contract);
        }
    }
    g->offers[seat] = 0;
    if (g->phase == SETUP) next_first_choice(t, g);
    else end_turn(t, g);
}

static void pass(const Tables *t, Game *g) {
    if (g->phase == TURN && ++g->passes == t->seats - ones(g->gone)) end_game(g, STALEMATE);
    else end_turn(t, g);
}

static void play(const Tables *t, Game *g, uint64_t *legal, uint16_t *log, int action) {
    if (log && g->logged < (uint32_t)t->log_size) log[g->logged] = (uint16_t)action;
    g->logged++;
    g->last = g->actor;
    if (action >= FIRST_CLAIM) claim(t, g, t->claims + action - FIRST_CLAIM);
    else if (action == BLIND) draw_blind(t, g);
    else if (action < OFFER) take(t, g, action - TAKE);
    else if (action == OFFER) offer(g);
    else if (action == PASS) pass(t, g);
    else keep(t, g, action - OFFER);
    set_legal(t, g, legal);
}

static void deal(const Tables *t, Game *g, uint64_t *legal, uint64_t seed, int row, int learner) {
    uint32_t number = g->deal + 1;
    const uint64_t *tape = g->tape;
    uint16_t tape_size = g->tape_size;
    memset(g, 0, (size_t)t->game_size);
    g->tape = tape, g->tape_size = tape_size;
    g->deal = number;
    g->key = mixed(mixed(mixed(seed) + (uint64_t)row) + number);
    g->learner = (int8_t)(learner == RANDOM_SEAT ? (int)lot(g, (uint32_t)t->seats) : learner);
    g->pile = t->deck;
    g->pile_size = (int16_t)t->deck_size;
    memset(g->row, NO_CARD, ROW);
    g->goods_left = (int16_t)t->goods_cards;
    g->undrawn = (1ull << t->contracts) - 1;
    for (int seat = 0; seat < t->seats; seat++) {
        g->carts[seat] = (int16_t)t->carts;
        memcpy(open_to(t, g, seat), t->open, sizeof *t->open * (size_t)t->words);
        for (int i = 0; i < t->routes; i++) free_to(t, g, seat)[i >> 6] |= 1ull << (i & 63);
        for (int i = 0; i < t->locations; i++) labels_of(t, g, seat)[i] = (uint8_t)i;
    }
    if (t->first_player == RANDOM_FIRST) g->first = (int8_t)pick(g, FIRST_SEAT, (uint32_t)t->seats);
    else if (t->first_player == ROTATE) g->first = (int8_t)((number - 1) % (uint32_t)t->seats);
    else g->first = (int8_t)t->first_player;
    g->actor = g->last = g->first;
    for (int i = 0; i < 2 * t->seats; i++) g->hand[i % t->seats] += ONE(draw(t, g, HAND_OF + i % t->seats));
    for (int slot = 0; slot < ROW; slot++) fill(t, g, slot);
    for (int i = 0; i < 2 * t->seats; i++)
        g->offer[i % t->seats][i / t->seats] = (uint8_t)draw_contract(g, i % t->seats);
    for (int seat = 0; seat < t->seats; seat++) put_on_offer(g, seat, 2);
    restore_row(t, g);
    set_legal(t, g, legal);
}

/* ---- scoring ------------------------------------------------------------------------------- */

static int goods_bonus(const Tables *t, const Game *g, int seat) {
    int own = g->goods[seat], rank = 0, equal = 0, sum = 0;
    for (int i = 0; i < t->seats; i++) {
        int before = 0; /* seats before this one with as many */
        for (int j = 0; j < i; j++) before += g->goods[j] == g->goods[i];
        equal += g->goods[i] == own;
        if (g->goods[i] <= own) continue;
        rank += t->goods_ties == DENSE ? before == 0 : t->goods_ties == SKIP_ONE ? before < 2 : 1;
    }
    if (!own) return 0;
    if (t->goods_ties != SPLIT) return t->bonus[rank];
    for (int i = rank; i < rank + equal; i++) sum += t->bonus[i];
    return sum / equal;
}

static void draw_lots_for_ties(const Tables *t, Game *g, int64_t *merit) {
    int order[MOST_SEATS] = {0}, drawn = 0;
    while (drawn != (1 << t->seats) - 1) {
        int hat[MOST_SEATS], number = 0, best = -1;
        for (int i = 0; i < t->seats; i++)
            if (!(drawn >> i & 1) && (best < 0 || merit[i] > merit[best])) best = i;
        for (int i = 0; i < t->seats; i++)
            if (merit[i] == merit[best]) hat[number++] = i, drawn |= 1 << i;
        while (number > 1) {
            int at = (int)pick(g, TIES, (uint32_t)number);
            order[hat[at]] = number--;
            memmove(hat + at, hat + at + 1, sizeof *hat * (size_t)(number - at));
        }
    }
    for (int i = 0; i < t->seats; i++) merit[i] = merit[i] * 8 + order[i];
}

static void score(const Tables *t, Game *g, int32_t (*outcome)[OUTCOME]) {
    int64_t merit[MOST_SEATS];
    int annulled = t->annul && g->reason == STALEMATE;
    for (int i = 0; i < t->seats; i++) {
        int32_t *it = outcome[i];
        it[CONTRACT_POINTS] = 0;
        for (uint64_t rest = g->contracts[i]; rest; rest &= rest - 1) {
            int contract = lowest(rest), points = t->contract[contract].points;
            it[CONTRACT_POINTS] += g->linked[i] >> contract & 1 ? points : -points;
        }
        it[ROUTE_POINTS] = g->points[i];
        it[GOODS_POINTS] = goods_bonus(t, g, i);
        it[TOTAL] = it[ROUTE_POINTS] + it[CONTRACT_POINTS] + it[GOODS_POINTS];
        it[FULFILLED] = ones(g->contracts[i] & g->linked[i]);
        merit[i] = annulled ? 0 : ((int64_t)it[TOTAL] * 4096 + it[FULFILLED]) * 4096;
        if (t->final_tie == GOODS && !annulled) merit[i] += g->goods[i];
    }
    for (int i = 0; i < g->leavers; i++) merit[g->left[i]] = INT64_MIN / 16 + i;
    if (t->final_tie == SEED_DRAW && !annulled) draw_lots_for_ties(t, g, merit);
    for (int i = 0; i < t->seats; i++) {
        outcome[i][PLACE] = 1;
        for (int j = 0; j < t->seats; j++) outcome[i][PLACE] += merit[j] > merit[i];
    }
}
