/* SPDX-License-Identifier: Apache-2.0 */
/* regex_match.c -- runs the program over a text, with all states in parallel. */
#include "base/regex/regex_program.h"

#include "base/alloc.h"
#include "base/str.h"

/* The states at one position of the text, each once. */
typedef struct states {
    uint32_t *at;    /* in the order of insertion */
    uint32_t *place; /* for each state: its index in |at|, if it is there */
    size_t count;
} states;

typedef lw_regex_run run;

uint32_t lw_regex_rune(lw_str text, size_t *len)
{
    const unsigned char *s = (const unsigned char *)text.ptr;
    unsigned lead = s[0];
    size_t more = lead >= 0xf0 && lead < 0xf8 ? 3 : lead >= 0xe0 ? 2 : lead >= 0xc0 ? 1 : 0;
    *len = 1;
    if (lead < 0xc0 || lead >= 0xf8 || text.len <= more)
        return lead;
    uint32_t rune = lead & (0x3fu >> more);
    for (size_t i = 1; i <= more; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return lead;
        rune = rune << 6 | (s[i] & 0x3fu);
    }
    *len = more + 1;
    return rune;
}

static bool states_have(const states *set, uint32_t state)
{
    return set->place[state] < set->count && set->at[set->place[state]] == state;
}

static bool is_word(uint32_t rune)
{
    return (rune >= '0' && rune <= '9') || (rune >= 'A' && rune <= 'Z') ||
           (rune >= 'a' && rune <= 'z') || rune == '_';
}

bool lw_regex_holds(const run *r, lw_regex_op op)
{
    bool is_border = (r->before != LW_REGEX_NONE && is_word(r->before)) !=
                     (r->after != LW_REGEX_NONE && is_word(r->after));
    switch (op) {
    case LW_REGEX_BEGIN: return r->before == LW_REGEX_NONE;
    case LW_REGEX_END: return r->after == LW_REGEX_NONE;
    case LW_REGEX_LINE_BEGIN: return r->before == LW_REGEX_NONE || r->before == '\n';
    case LW_REGEX_LINE_END: return r->after == LW_REGEX_NONE || r->after == '\n';
    case LW_REGEX_WORD: return is_border;
    case LW_REGEX_NO_WORD: return !is_border;
    default: return false;
    }
}

/* Enters |state|, and all states that are reached from it without a character. Returns true if one
 * of them matches. */
static bool enter(run *r, states *set, uint32_t state)
{
    size_t depth = 0;
    r->stack[depth++] = state;
    while (depth > 0) {
        uint32_t at = r->stack[--depth];
        if (states_have(set, at))
            continue;
        set->place[at] = (uint32_t)set->count;
        set->at[set->count++] = at;
        r->work++;
        const lw_regex_step *step = &r->regex->steps[at];
        switch ((lw_regex_op)step->op) {
        case LW_REGEX_MATCH: return true;
        case LW_REGEX_JUMP: r->stack[depth++] = step->x; break;
        case LW_REGEX_SPLIT:
            r->stack[depth++] = step->y;
            r->stack[depth++] = step->x;
            break;
        case LW_REGEX_RUNE:
        case LW_REGEX_SET:
        case LW_REGEX_ANY: break;
        default:
            if (lw_regex_holds(r, (lw_regex_op)step->op))
                r->stack[depth++] = at + 1;
            break;
        }
    }
    return false;
}

static bool set_has(const lw_regex *regex, uint32_t index, uint32_t rune)
{
    const lw_regex_set *set = &regex->sets[index];
    for (uint32_t i = 0; i < set->count; i++) {
        const lw_regex_range *range = &regex->ranges[set->first + i];
        if (rune >= range->low && rune <= range->high)
            return true;
    }
    return false;
}

/* Returns the letter in the other case; other characters are returned unchanged. */
static uint32_t other_case(uint32_t rune)
{
    bool is_letter = (rune >= 'A' && rune <= 'Z') || (rune >= 'a' && rune <= 'z');
    return is_letter ? rune ^ 0x20u : rune;
}

bool lw_regex_takes(run *r, const lw_regex_step *step, uint32_t rune)
{
    uint32_t other = step->folds ? other_case(rune) : rune;
    switch ((lw_regex_op)step->op) {
    case LW_REGEX_ANY: return true;
    case LW_REGEX_RUNE: return step->x == rune || step->x == other;
    case LW_REGEX_SET:
        r->work += r->regex->sets[step->x].count;
        return (set_has(r->regex, step->x, rune) || set_has(r->regex, step->x, other)) !=
               r->regex->sets[step->x].is_negated;
    default: return false;
    }
}

/* Runs the program over |text|; LW_ERR_LIMIT: it takes too long. */
static lw_status search(run *r, states *now, states *next, lw_str text, bool *is_match)
{
    size_t len = 0;
    r->before = LW_REGEX_NONE;
    r->after = text.len > 0 ? lw_regex_rune(text, &len) : LW_REGEX_NONE;
    *is_match = enter(r, now, 0);
    while (!*is_match && text.len > 0) {
        if (r->work > LW_REGEX_WORK_MAX)
            return LW_ERR_LIMIT;
        r->work++;
        uint32_t rune = r->after;
        text = lw_str_skip(text, len);
        r->before = rune;
        r->after = text.len > 0 ? lw_regex_rune(text, &len) : LW_REGEX_NONE;
        next->count = 0;
        for (size_t i = 0; !*is_match && i < now->count; i++) {
            uint32_t at = now->at[i];
            r->work++;
            if (lw_regex_takes(r, &r->regex->steps[at], rune))
                *is_match = enter(r, next, at + 1);
        }
        /* A match may begin anywhere, unless the expression is anchored. */
        if (!r->regex->is_anchored)
            *is_match = *is_match || enter(r, next, 0);
        else if (next->count == 0)
            break;
        states swap = *now;
        *now = *next;
        *next = swap;
    }
    return LW_OK;
}

void lw_regex_matcher_init(lw_regex_matcher *matcher)
{
    *matcher = (lw_regex_matcher){ .work = 0 };
}

void lw_regex_matcher_done(lw_regex_matcher *matcher)
{
    lw_free(matcher->memory);
    matcher->memory = NULL;
    matcher->count = 0;
}

/* Reserves space for |count| numbers. Values of an earlier match do no harm: an index is valid only
 * if the state is there. */
static lw_status matcher_reserve(lw_regex_matcher *matcher, size_t count)
{
    if (count <= matcher->count)
        return LW_OK;
    lw_regex_matcher_done(matcher);
    matcher->memory = lw_alloc_zero(count, sizeof(*matcher->memory));
    if (!matcher->memory)
        return LW_ERR_NOMEM;
    matcher->count = count;
    return LW_OK;
}

lw_status lw_regex_match_many(lw_regex_matcher *matcher, const lw_regex *regex, lw_str text,
                              bool *is_match)
{
    size_t count = regex->step_count;
    /* Two lists with their indexes, and a stack: a state pushes at most two others. */
    lw_status st = matcher_reserve(matcher, count * 4 + count * 2 + 2);
    if (st < 0)
        return st;
    uint32_t *memory = matcher->memory;
    states now = { memory, memory + count, 0 };
    states next = { memory + 2 * count, memory + 3 * count, 0 };
    run r = { .regex = regex, .stack = memory + 4 * count, .work = matcher->work };
    st = search(&r, &now, &next, text, is_match);
    matcher->work = r.work;
    return st;
}

lw_status lw_regex_match(const lw_regex *regex, lw_str text, bool *is_match)
{
    lw_regex_matcher matcher;
    lw_regex_matcher_init(&matcher);
    lw_status st = lw_regex_match_many(&matcher, regex, text, is_match);
    lw_regex_matcher_done(&matcher);
    return st;
}
