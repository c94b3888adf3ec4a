/* SPDX-License-Identifier: Apache-2.0 */
/* regex_find.c -- finds the leftmost match of an expression in a text, and of these the preferred
 * one, as RE2 and Go do.
 *
 * All states are followed in parallel, the preferred ones first; each knows where its match began.
 * A state that matches cuts off the less preferred ones. */
#include "base/alloc.h"
#include "base/regex/regex_program.h"
#include "base/str.h"

/* The states at one position of the text, in the order of preference. */
typedef struct threads {
    uint32_t *at;
    uint32_t *place; /* for each state: its index in |at|, if it is there */
    size_t *begin;   /* for each state in |at|: where its match began */
    size_t count;
} threads;

typedef struct finder {
    lw_regex_run run;
    size_t begin, end; /* of the best match so far */
    bool is_found;
} finder;

static bool has(const threads *set, uint32_t state)
{
    return set->place[state] < set->count && set->at[set->place[state]] == state;
}

/* Enters |state| at byte |at|, and all states that are reached from it without a character. Returns
 * true if one of them matches; then less preferred states are ignored. */
static bool enter(finder *f, threads *set, uint32_t state, size_t begin, size_t at)
{
    size_t depth = 0;
    f->run.stack[depth++] = state;
    while (depth > 0) {
        uint32_t now = f->run.stack[--depth];
        if (has(set, now))
            continue;
        set->place[now] = (uint32_t)set->count;
        set->begin[set->count] = begin;
        set->at[set->count++] = now;
        f->run.work++;
        const lw_regex_step *step = &f->run.regex->steps[now];
        switch ((lw_regex_op)step->op) {
        case LW_REGEX_MATCH:
            f->begin = begin;
            f->end = at;
            f->is_found = true;
            return true;
        case LW_REGEX_JUMP: f->run.stack[depth++] = step->x; break;
        case LW_REGEX_SPLIT:
            f->run.stack[depth++] = step->is_lazy ? step->x : step->y;
            f->run.stack[depth++] = step->is_lazy ? step->y : step->x;
            break;
        case LW_REGEX_RUNE:
        case LW_REGEX_SET:
        case LW_REGEX_ANY: break;
        default:
            if (lw_regex_holds(&f->run, (lw_regex_op)step->op))
                f->run.stack[depth++] = now + 1;
            break;
        }
    }
    return false;
}

/* Runs the program over |text| from byte |at| on. */
static lw_status search(finder *f, threads *now, threads *next, lw_str text, size_t at)
{
    lw_regex_run *r = &f->run;
    size_t len = 0;
    for (;;) {
        r->after = at < text.len ? lw_regex_rune(lw_str_skip(text, at), &len) : LW_REGEX_NONE;
        /* A match that began further left is preferred. */
        if (!f->is_found)
            (void)enter(f, now, 0, at, at);
        if (now->count == 0 || at >= text.len)
            return LW_OK;
        if (r->work > LW_REGEX_WORK_MAX)
            return LW_ERR_LIMIT;
        uint32_t rune = r->after;
        at += len;
        r->before = rune;
        size_t unused;
        r->after = at < text.len ? lw_regex_rune(lw_str_skip(text, at), &unused) : LW_REGEX_NONE;
        next->count = 0;
        for (size_t i = 0; i < now->count; i++) {
            uint32_t state = now->at[i];
            r->work++;
            if (lw_regex_takes(r, &r->regex->steps[state], rune) &&
                enter(f, next, state + 1, now->begin[i], at))
                break;
        }
        threads swap = *now;
        *now = *next;
        *next = swap;
    }
}

/* Returns the character before byte |at|. */
static uint32_t rune_before(lw_str text, size_t at)
{
    size_t len;
    if (at == 0)
        return LW_REGEX_NONE;
    do {
        at--;
    } while (at > 0 && ((unsigned char)text.ptr[at] & 0xc0) == 0x80);
    return lw_regex_rune(lw_str_skip(text, at), &len);
}

lw_status lw_regex_find(const lw_regex *regex, lw_str text, size_t from, lw_str *match,
                        bool *is_match)
{
    size_t count = regex->step_count;
    uint32_t *memory = lw_alloc_zero(count * 6 + 2, sizeof(*memory));
    size_t *begins = lw_alloc_zero(count * 2, sizeof(*begins));
    lw_status st = LW_ERR_NOMEM;
    if (memory && begins) {
        threads now = { memory, memory + count, begins, 0 };
        threads next = { memory + 2 * count, memory + 3 * count, begins + count, 0 };
        finder f = { .run = { .regex = regex, .stack = memory + 4 * count } };
        f.run.before = rune_before(text, from);
        st = search(&f, &now, &next, text, from);
        if (st == LW_OK) {
            *is_match = f.is_found;
            if (f.is_found)
                *match = lw_str_make(text.ptr + f.begin, f.end - f.begin);
        }
    }
    lw_free(begins);
    lw_free(memory);
    return st;
}
