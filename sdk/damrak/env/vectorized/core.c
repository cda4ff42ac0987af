/* Games side by side, in memory that the caller provides, for learning and simulation.

   Nothing here uses Python: native.py declares the same structures with ctypes, allocates all
   memory, and calls damrak_run without the interpreter lock. The rules are in
   rules.h; here are the built-in bots, observations, rewards, and the loop over all games. */

#include "rules.h"

#ifdef _MSC_VER
__declspec(dllimport) int __stdcall SwitchToThread(void);
#define EXPORT __declspec(dllexport)
#define FETCH_ADD(at, number) _InterlockedExchangeAdd64(at, number)
#define REPLACE(at, old, new) (_InterlockedCompareExchange64(at, new, old) == (old))
#define PAUSE() _mm_pause()
#define YIELD() SwitchToThread()
#else
#include <sched.h>
#define EXPORT __attribute__((visibility("default")))
#define YIELD() sched_yield()
#define FETCH_ADD(at, number) __atomic_fetch_add(at, number, __ATOMIC_RELAXED)
#define REPLACE(at, old, new) __sync_bool_compare_and_swap(at, (int64_t)(old), (int64_t)(new))
#if defined(__x86_64__)
#define PAUSE() __builtin_ia32_pause()
#else
#define PAUSE() ((void)0)
#endif
#endif

enum { LEARNER, RANDOM, GREEDY, OUTSIDE };          /* who decides for a seat */
enum { STEP, PLAY, DEAL, SHOW, CHOOSE, RESUME, CHECK, CHECK_PLAY };    /* what damrak_run does */
enum { NO_RESET, SAME_STEP, NEXT_STEP };
enum { BY_PLACE, BY_MARGIN, BY_CALLER }; /* rewards */
enum { AS_SEATED = -1, AS_ACTOR = -2 };            /* whose observation to write, or a seat */
enum { MOST_FLAG_WORDS = 64, MOST_NUMBERS = 160 };
#define CHOICES 0x63686f69636573ull /* makes a key for random_actions of that of a game */
enum { IDLE, READY, BUSY }; /* the state of a helper thread */
enum { PATIENCE = 4096 };   /* rounds of waiting, about 50 us */
enum { CHUNK = 16, MOST_LOCATIONS = 200 };

/* One call: the games, what to do with them, and where the results go (NULL: nowhere). */
typedef struct {
    const Tables *tables;
    uint8_t *games;
    uint64_t *legal;
    uint16_t *log; /* the actions of each game since its deal */
    const uint64_t *seeds;
    int64_t *actions;
    const uint8_t *select; /* rows to work on; NULL: all */
    uint8_t *observations, *final_observations;
    int8_t *masks, *seats;
    float *rewards, *seat_rewards;
    uint8_t *terminals;
    int32_t *outcomes;
    int64_t observation_stride, final_stride, mask_stride; /* bytes from row to row */
    int64_t *taken; /* for each part, on a cache line of its own: rows taken, state of its thread, a row */
    int32_t parts, rows, job, autoreset, reward, learner, viewer, as_bytes, control[MOST_SEATS];
} Batch;

/* ---- bots ---------------------------------------------------------------------------------- */

static int random_action(const Tables *t, const uint64_t *legal, uint64_t key, uint32_t at) {
    int number = 0, w = 0;
    for (int i = 0; i < t->words; i++) number += ones(legal[i]);
    int n = (int)below(key, at, (uint32_t)number), here;
    for (; n >= (here = ones(legal[w])); w++) n -= here;
    return 64 * w + nth(legal[w], n);
}

static int spaces_needed(const Tables *t, const Game *g, int seat, const Contract *it) {
    /* Returns the fewest spaces to claim so that the contract is fulfilled, at most the carts. */
    int spaces[MOST_LOCATIONS], changed = 1, carts = g->carts[seat];
    const uint64_t *owned = owned_by(t, g, seat), *free = free_to(t, g, seat);
    for (int i = 0; i < t->locations; i++) spaces[i] = i == it->a ? 0 : carts;
    while (changed) {
        changed = 0;
        for (int i = 0; i < t->routes; i++) {
            const Route *r = t->route + i;
            int cost = owned[i >> 6] >> (i & 63) & 1 ? 0 : r->length;
            if (cost && !(free[i >> 6] >> (i & 63) & 1)) continue;
            if (spaces[r->a] + cost < spaces[r->b]) spaces[r->b] = spaces[r->a] + cost, changed = 1;
            if (spaces[r->b] + cost < spaces[r->a]) spaces[r->a] = spaces[r->b] + cost, changed = 1;
        }
    }
    return spaces[it->b];
}

static int greedy_claim(const Tables *t, const Game *g, const uint64_t *legal) {
    /* Returns the claim with most points per space, paid with few wilds and many cards; -1: none */
    int best = -1, best_held = 0;
    for (int w = 0; w < t->words; w++) {
        for (uint64_t rest = w ? legal[w] : legal[w] & ~((1ull << FIRST_CLAIM) - 1); rest; rest &= rest - 1) {
            int action = 64 * w + lowest(rest);
            const Claim *it = t->claims + action - FIRST_CLAIM, *than = t->claims + best - FIRST_CLAIM;
            int held = it->colour < 0 ? 0 : COUNT(g->hand[g->actor], it->colour), better = best < 0;
            if (!better && it->route == than->route) {
                better = it->wilds != than->wilds ? it->wilds < than->wilds : held > best_held;
            } else if (!better) {
                const Route *a = t->route + it->route, *b = t->route + than->route;
                int each = a->points * b->length - b->points * a->length;
                better = each ? each > 0 : a->points > b->points;
            }
            if (better) best = action, best_held = held;
        }
    }
    return best;
}

static int greedy_action(const Tables *t, const Game *g, const uint64_t *legal) {
    int seat = g->actor, best = -1, best_liking = -1;
    if (g->phase == SETUP || g->phase == KEEP) {
        const uint8_t *offered = g->offer[seat];
        return g->offers[seat] == 2
                && spaces_needed(t, g, seat, t->contract + offered[1])
                    < spaces_needed(t, g, seat, t->contract + offered[0])
            ? KEEP_FIRST + 1
            : KEEP_FIRST;
    }
    if ((best = greedy_claim(t, g, legal)) >= 0) return best;
    for (int action = BLIND; action < OFFER; action++) {
        if (!(legal[0] >> action & 1)) continue;
        int card = action == BLIND ? NO_CARD : g->row[action - TAKE];
        int liking = card == NO_CARD ? 5 : card == WILD ? 4 : 10 * COUNT(g->hand[seat], card);
        if (liking > best_liking) best = action, best_liking = liking;
    }
    return best >= 0 ? best : legal[0] >> PASS & 1 ? PASS : OFFER;
}

/* ---- observations -------------------------------------------------------------------------- */

static uint64_t byte_of[256];   /* eight flags as eight bytes */
static float floats_of[256][8]; /* and as eight numbers */

EXPORT void damrak_prepare(void) {
    for (int i = 0; i < 256; i++)
        for (int j = 0; j < 8; j++) {
            ((uint8_t *)(byte_of + i))[j] = (uint8_t)(i >> j & 1);
            floats_of[i][j] = (float)(i >> j & 1);
        }
}

static void put(uint64_t *flags, int *at, uint64_t value, int bits) {
    int word = *at >> 6, shift = *at & 63;
    flags[word] |= value << shift;
    if (shift + bits > 64) flags[word + 1] |= value >> (64 - shift);
    *at += bits;
}

static void put_set(uint64_t *flags, int *at, const uint64_t *set, int bits) {
    for (; bits > 0; bits -= 64) put(flags, at, *set++, bits < 64 ? bits : 64);
}

static int turned(const Tables *t, int set, int seat) {
    return (set >> seat | set << (t->seats - seat)) & ((1 << t->seats) - 1);
}

static int put_flags(const Tables *t, const Game *g, int seat, uint64_t *flags) {
    /* Writes all parts of the observation that are flags, in the order of damrak.env.layout. */
    int at = 0, seats = t->seats, contracts = t->contracts;
    int unseen = g->phase == SETUP && t->unseen_choice;
    int actor = !unseen ? g->actor : g->offers[seat] ? seat : -1;
    put(flags, &at, 1ull << g->phase, 5);
    put(flags, &at, actor < 0 ? 0 : 1ull << (actor - seat + seats) % seats, seats);
    put(flags, &at, 1ull << (g->first - seat + seats) % seats, seats);
    put(flags, &at, (uint64_t)turned(t, g->gone, seat), seats);
    put(flags, &at, (uint64_t)turned(t, g->last_turns, seat), seats);
    put(flags, &at, g->closing, 1);
    for (int slot = 0; slot < ROW; slot++) put(flags, &at, 1ull << g->row[slot], KINDS + 1);
    for (int i = 0; i < seats; i++)
        put_set(flags, &at, owned_by(t, g, (seat + i) % seats), t->routes);
    put_set(flags, &at, free_to(t, g, seat), t->routes);
    put(flags, &at, g->contracts[seat], contracts);
    put(flags, &at, g->linked[seat], contracts);
    for (int i = 0; i < 2; i++)
        put(flags, &at, i < g->offers[seat] ? 1ull << g->offer[seat][i] : 0, contracts);
    put(flags, &at, g->given_back[seat], contracts);
    return at;
}

static int put_numbers(const Tables *t, const Game *g, int seat, int32_t *numbers) {
    /* Writes all other parts: cards of each kind, then quantities. */
    int at = 0, seats = t->seats, unseen = g->phase == SETUP && t->unseen_choice;
    uint64_t hidden = t->deck - g->hand[seat] - g->discards;
    for (int slot = 0; slot < ROW; slot++)
        if (g->row[slot] != NO_CARD) hidden -= ONE(g->row[slot]);
    for (int i = 0; i < seats; i++)
        if (i != seat) hidden -= g->known[i];
    uint64_t packs[4 + MOST_SEATS] = {g->hand[seat], g->discards, hidden, g->floor[seat]};
    for (int i = 0; i < seats; i++) packs[4 + i] = g->known[(seat + i) % seats];
    for (int i = 0; i < 4 + seats; i++)
        for (int kind = 0; kind < KINDS; kind++) numbers[at++] = COUNT(packs[i], kind);
    int most_turns = t->deck_size * seats, left = t->contracts, *rest = numbers + at + 5;
    for (int i = 0; i < seats; i++) {
        int it = (seat + i) % seats, is_hidden = unseen && i;
        int kept = is_hidden ? 0 : ones(g->contracts[it]);
        left -= kept + (is_hidden && !(g->gone >> it & 1) ? 2 : g->offers[it]);
        rest[i] = i == 0 || t->public_sizes ? size(g->hand[it]) : 0;
        rest[seats + i] = g->carts[it];
        rest[2 * seats + i] = g->points[it];
        rest[3 * seats + i] = g->goods[it];
        rest[4 * seats + i] = kept;
    }
    numbers[at] = g->pile_size;
    numbers[at + 1] = left;
    numbers[at + 2] = g->goods_left > 0 ? g->goods_left : 0;
    numbers[at + 3] = g->turns < (uint32_t)most_turns ? (int)g->turns : most_turns;
    numbers[at + 4] = g->passes;
    return at + 5 + 5 * seats;
}

static void observe(const Tables *t, const Game *g, int seat, uint8_t *out, int as_bytes) {
    uint64_t flags[MOST_FLAG_WORDS] = {0};
    int32_t numbers[MOST_NUMBERS];
    int bits = put_flags(t, g, seat, flags), number = put_numbers(t, g, seat, numbers), i = 0;
    if (as_bytes) {
        for (; i + 8 <= bits; i += 8) memcpy(out + i, byte_of + (flags[i >> 6] >> (i & 63) & 255), 8);
        for (; i < bits; i++) out[i] = flags[i >> 6] >> (i & 63) & 1;
        for (i = 0; i < number; i++) out[bits + i] = (uint8_t)numbers[i];
        return;
    }
    float *floats = (float *)(void *)out;
    for (; i + 8 <= bits; i += 8) memcpy(floats + i, floats_of[flags[i >> 6] >> (i & 63) & 255], 32);
    for (; i < bits; i++) floats[i] = (float)(flags[i >> 6] >> (i & 63) & 1);
    for (i = 0; i < number; i++) floats[bits + i] = (float)numbers[i] * t->scale[i];
}

static void write_mask(const Tables *t, const uint64_t *legal, int8_t *out) {
    int i = 0;
    for (; i + 8 <= t->actions; i += 8) memcpy(out + i, byte_of + (legal[i >> 6] >> (i & 63) & 255), 8);
    for (; i < t->actions; i++) out[i] = (int8_t)(legal[i >> 6] >> (i & 63) & 1);
}

/* ---- rows ---------------------------------------------------------------------------------- */

static float reward_of(const Tables *t, int32_t (*outcome)[OUTCOME], int seat, int reward) {
    int sum = 0, others = t->seats - 1;
    if (reward == BY_MARGIN) {
        for (int i = 0; i < t->seats; i++) sum += outcome[i][TOTAL];
        sum -= outcome[seat][TOTAL];
        return (float)(outcome[seat][TOTAL] - (double)sum / others);
    }
    for (int i = 0; i < t->seats; i++)
        sum += (outcome[i][PLACE] > outcome[seat][PLACE]) - (outcome[i][PLACE] < outcome[seat][PLACE]);
    return (float)((double)sum / others);
}

typedef struct {
    Game *game;
    uint64_t *legal;
    uint16_t *log;
} Row;

static Row row_of(const Batch *b, int64_t i) {
    const Tables *t = b->tables;
    Row row = {(Game *)(b->games + i * t->game_size), b->legal + i * t->words,
               b->log ? b->log + i * t->log_size : 0};
    return row;
}

static void finish_row(const Batch *b, Row r, int64_t i) {
    const Tables *t = b->tables;
    Game *g = r.game;
    int32_t(*outcome)[OUTCOME] = (int32_t(*)[OUTCOME])(b->outcomes + i * t->seats * OUTCOME);
    score(t, g, outcome);
    g->is_waiting = 1;
    b->terminals[i] = 1;
    if (b->reward == BY_CALLER) return;
    for (int seat = 0; seat < t->seats; seat++)
        b->seat_rewards[i * t->seats + seat] = reward_of(t, outcome, seat, b->reward);
    b->rewards[i] = b->seat_rewards[i * t->seats + (g->learner >= 0 ? g->learner : g->last)];
}

static void let_bots_play(const Batch *b, Row r, int64_t i) {
    const Tables *t = b->tables;
    Game *g = r.game;
    while (g->phase != OVER && g->learner >= 0) {
        int control = b->control[(g->actor - g->learner + t->seats) % t->seats];
        if (control == RANDOM) play(t, g, r.legal, r.log, random_action(t, r.legal, ~g->key, ++g->lots));
        else if (control == GREEDY) play(t, g, r.legal, r.log, greedy_action(t, g, r.legal));
        else break;
    }
    if (g->phase == OVER && !g->is_waiting) finish_row(b, r, i);
}

static void deal_row(const Batch *b, Row r, int64_t i) {
    deal(b->tables, r.game, r.legal, b->seeds[i], (int)i, b->learner);
    let_bots_play(b, r, i);
}

static void play_row(const Batch *b, Row r, int64_t i) {
    play(b->tables, r.game, r.legal, r.log, (int)b->actions[i]);
    let_bots_play(b, r, i);
}

static void show_row(const Batch *b, Row r, int64_t i) {
    const Tables *t = b->tables;
    const Game *g = r.game;
    int seat = b->viewer;
    if (seat == AS_SEATED && g->learner >= 0) seat = g->learner;
    if (seat < 0) seat = g->phase == OVER ? g->last : g->actor;
    if (b->observations)
        observe(t, g, seat, b->observations + i * b->observation_stride, b->as_bytes);
    if (b->masks) {
        int8_t *mask = b->masks + i * b->mask_stride;
        if (seat == g->actor) write_mask(t, r.legal, mask);
        else memset(mask, 0, (size_t)t->actions);
    }
    if (b->seats) b->seats[i] = (int8_t)seat;
}

static void step_row(const Batch *b, Row r, int64_t i) {
    int seats = b->tables->seats;
    b->rewards[i] = 0;
    memset(b->seat_rewards + i * seats, 0, sizeof(float) * (size_t)seats);
    b->terminals[i] = 0;
    if (r.game->is_waiting) deal_row(b, r, i);
    else play_row(b, r, i);
    if (r.game->is_waiting && b->autoreset == SAME_STEP) {
        int seat = r.game->learner >= 0 ? r.game->learner : r.game->last;
        if (b->final_observations)
            observe(b->tables, r.game, seat, b->final_observations + i * b->final_stride, b->as_bytes);
        deal_row(b, r, i);
    }
    show_row(b, r, i);
}

static int choice(const Batch *b, Row r) {
    Game *g = r.game;
    return g->phase == OVER ? 0 : random_action(b->tables, r.legal, g->key ^ CHOICES, g->logged + 1);
}

/* Whether the action of a row is legal. Rows that wait for a deal ignore their action. */
static int is_legal(const Batch *b, int64_t i) {
    Row r = row_of(b, i);
    int64_t action = b->actions[i];
    if (b->job == CHECK && r.game->is_waiting && b->autoreset != NO_RESET) return 1;
    return action >= 0 && action < b->tables->actions && r.legal[action >> 6] >> (action & 63) & 1;
}

static void do_row(const Batch *b, int64_t i) {
    Row r = row_of(b, i);
    if (b->job == STEP) step_row(b, r, i);
    else if (b->job == PLAY) play_row(b, r, i);
    else if (b->job == DEAL) deal_row(b, r, i);
    else if (b->job == RESUME) let_bots_play(b, r, i);
    else if (b->job == SHOW) show_row(b, r, i);
    else b->actions[i] = choice(b, r);
}

/* Does the job of the batch. Several threads may call this at once with the same batch, each with a
   part of its own, whose games stay in the cache of its core. A thread that has finished its part
   helps with the others. Rows are independent, so the results do not depend on the threads. */
EXPORT void damrak_run(Batch *b, int32_t part) {
    int64_t *wrong = b->taken + 8 * part + 2; /* the first row of this thread that failed a check */
    for (int32_t k = 0; k < b->parts; k++) {
        int64_t p = (part + k) % b->parts, taken;
        int64_t start = p * b->rows / b->parts, end = (p + 1) * b->rows / b->parts;
        while ((taken = FETCH_ADD(b->taken + 8 * p, CHUNK)) < end - start)
            for (int64_t i = start + taken; i < start + taken + CHUNK && i < end; i++) {
                if (b->select && !b->select[i]) continue;
                if (b->job < CHECK) do_row(b, i);
                else if (!is_legal(b, i) && (*wrong < 0 || i < *wrong)) *wrong = i;
            }
    }
}

/* Runs the part of a helper thread whenever there is work, and returns when there was none for a
   while: waking a thread takes longer than many steps. */
EXPORT void damrak_help(Batch *b, int32_t part) {
    int64_t *state = b->taken + 8 * part + 1;
    for (int waited = 0; waited < PATIENCE; waited++) {
        if (REPLACE(state, READY, BUSY)) {
            damrak_run(b, part);
            REPLACE(state, BUSY, IDLE);
            waited = 0;
        }
        PAUSE();
    }
}

/* Does the job of the batch together with the helpers, which are idle. It is taken back where a
   helper has not begun, and nothing is running any more when this returns. */
EXPORT void damrak_together(Batch *b) {
    for (int32_t p = 1; p < b->parts; p++) REPLACE(b->taken + 8 * p + 1, IDLE, READY);
    damrak_run(b, 0);
    for (int32_t p = 1; p < b->parts; p++) {
        int64_t *state = b->taken + 8 * p + 1;
        REPLACE(state, READY, IDLE);
        for (int waited = 1; REPLACE(state, BUSY, BUSY); waited++)
            if (waited % PATIENCE) PAUSE();
            else YIELD();
    }
}

/* Returns a checksum of the source. */
EXPORT int64_t damrak_source(void) { return DAMRAK_SOURCE; }

/* Returns the sizes of the structures, which native.py compares with its own. */
EXPORT int64_t damrak_sizes(void) {
    return (int64_t)sizeof(Tables) << 40 | (int64_t)sizeof(Game) << 20 | (int64_t)sizeof(Batch);
}
