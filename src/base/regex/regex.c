/* SPDX-License-Identifier: Apache-2.0 */
/* regex.c -- compiles the text of an expression to its program.
 *
 *     alternation = sequence { "|" sequence }
 *     sequence    = { piece }
 *     piece       = atom [ "*" | "+" | "?" | "{n,m}" ] [ "?" ]
 *
 * For {n,m}, the text of the atom is compiled again for each repetition: there is no tree.  A lazy
 * repetition affects only which match is found, never whether there is one. */
#include "base/regex/regex.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/regex/regex_program.h"
#include "base/str.h"

typedef struct compiler {
    lw_regex *regex;
    lw_str text;
    size_t at;
    size_t passes; /* characters read, including repeated reads: limits the time of nested
                      repetitions */
    unsigned depth;
    bool folds, is_multiline, takes_newline; /* (?i) (?m) (?s) */
    lw_status st;
    lw_error *err;
    bool is_lazy; /* the last repetition is lazy */
} compiler;

enum {
    PASSES_MAX = 4 * 1024 * 1024,
};

static const char too_large[] = "the pattern is too large (more than 4096 steps when its "
                                "repetitions are written out): use fewer or smaller repetitions, "
                                "or maxLength;";

#define OPEN UINT32_MAX /* a step whose target is not known yet */

static bool fail(compiler *c, lw_status st, const char *what)
{
    if (c->st == LW_OK)
        c->st = lw_error_set(c->err, st, "%s at byte %zu", what, c->at);
    return false;
}

static bool at_end(const compiler *c)
{
    return c->at >= c->text.len;
}

static char peek(const compiler *c)
{
    return at_end(c) ? '\0' : c->text.ptr[c->at];
}

static bool take(compiler *c, const char *text)
{
    lw_str rest = lw_str_skip(c->text, c->at);
    if (!lw_str_starts_with(rest, lw_str_of(text)))
        return false;
    c->at += strlen(text);
    return true;
}

static bool emit(compiler *c, lw_regex_step step)
{
    lw_regex *regex = c->regex;
    if (regex->step_count == LW_REGEX_PROGRAM_MAX)
        return fail(c, LW_ERR_LIMIT, too_large);
    regex->steps[regex->step_count++] = step;
    return true;
}

static bool emit_op(compiler *c, lw_regex_op op)
{
    return emit(c, (lw_regex_step){ .op = (uint8_t)op });
}

static bool emit_rune(compiler *c, uint32_t rune)
{
    return emit(c, (lw_regex_step){ .op = LW_REGEX_RUNE, .folds = c->folds, .x = rune });
}

static bool is_same_set(const lw_regex *regex, const lw_regex_set *a, const lw_regex_set *b)
{
    return a->count == b->count && a->is_negated == b->is_negated &&
           memcmp(regex->ranges + a->first, regex->ranges + b->first,
                  a->count * sizeof(*regex->ranges)) == 0;
}

/* |set| is the newest set; if an equal one exists, the ranges of |set| are released. */
static bool emit_set(compiler *c, lw_regex_set set)
{
    lw_regex *regex = c->regex;
    size_t at = 0;
    while (at < regex->set_count && !is_same_set(regex, &regex->sets[at], &set))
        at++;
    if (at < regex->set_count)
        regex->range_count = set.first;
    else if (regex->set_count == LW_REGEX_SETS_MAX)
        return fail(c, LW_ERR_LIMIT, "the pattern has too many character classes");
    else
        regex->sets[regex->set_count++] = set;
    return emit(c, (lw_regex_step){ .op = LW_REGEX_SET, .folds = c->folds, .x = (uint32_t)at });
}

static bool alternation(compiler *c);

/* Parses the class at the current position ([...], \d etc.) into a set. */
static bool read_set(compiler *c)
{
    lw_regex_set set;
    const char *fault = NULL;
    lw_status st = lw_regex_class_read(c->regex, c->text, &c->at, &set, &fault);
    return st == LW_OK ? emit_set(c, set) : fail(c, st, fault);
}

static bool read_escape(compiler *c)
{
    char next = c->at + 1 < c->text.len ? c->text.ptr[c->at + 1] : '\0';
    uint32_t rune;
    if (lw_regex_escape_is_class(lw_str_skip(c->text, c->at)))
        return read_set(c);
    if (next != '\0' && strchr("bBAz", next)) {
        c->at += 2;
        return emit_op(c, next == 'b'   ? LW_REGEX_WORD
                          : next == 'B' ? LW_REGEX_NO_WORD
                          : next == 'A' ? LW_REGEX_BEGIN
                                        : LW_REGEX_END);
    }
    if (!lw_regex_escape_read(c->text, &c->at, &rune))
        return fail(c, LW_ERR_SYNTAX, "unsupported escape sequence");
    return emit_rune(c, rune);
}

/* Parses the flags of (?i) and (?i:...); returns true if a group follows. */
static bool read_flags(compiler *c, bool *has_group)
{
    bool value = true;
    *has_group = false;
    for (;;) {
        char flag = peek(c);
        c->at++;
        switch (flag) {
        case 'i': c->folds = value; break;
        case 'm': c->is_multiline = value; break;
        case 's': c->takes_newline = value; break;
        case 'U': break; /* which match is found does not matter */
        case '-': value = false; break;
        case ':': *has_group = true; return true;
        case ')': return true;
        default: c->at--; return fail(c, LW_ERR_SYNTAX, "unsupported group");
        }
    }
}

/* Parses what follows "(". */
static bool read_group(compiler *c)
{
    bool has_group = true;
    compiler outer = *c;
    if (take(c, "?P<") || take(c, "?<")) {
        const char *end = memchr(c->text.ptr + c->at, '>', c->text.len - c->at);
        if (!end || end == c->text.ptr + c->at || *(c->text.ptr + c->at) == '=' ||
            *(c->text.ptr + c->at) == '!')
            return fail(c, LW_ERR_SYNTAX, "unsupported group");
        c->at = (size_t)(end - c->text.ptr) + 1;
    } else if (take(c, "?") && !read_flags(c, &has_group)) {
        return false;
    }
    if (!has_group)
        return true; /* the flags apply to the end of the enclosing group */
    if (++c->depth > LW_REGEX_DEPTH_MAX)
        return fail(c, LW_ERR_LIMIT, "groups are nested too deeply");
    if (!alternation(c))
        return false;
    if (!take(c, ")"))
        return fail(c, LW_ERR_SYNTAX, "group is not closed");
    c->depth--;
    c->folds = outer.folds;
    c->is_multiline = outer.is_multiline;
    c->takes_newline = outer.takes_newline;
    return true;
}

static bool read_any(compiler *c)
{
    static const lw_regex_range newline = { '\n', '\n' };
    if (c->takes_newline)
        return emit_op(c, LW_REGEX_ANY);
    lw_regex_set set = { .first = (uint32_t)c->regex->range_count, .is_negated = true };
    return (lw_regex_class_add(c->regex, &set, newline) == LW_OK ||
            fail(c, LW_ERR_LIMIT, "the pattern has too many character classes")) &&
           emit_set(c, set);
}

static bool atom(compiler *c)
{
    size_t len;
    if (++c->passes > PASSES_MAX)
        return fail(c, LW_ERR_LIMIT, too_large);
    switch (peek(c)) {
    case '(': c->at++; return read_group(c);
    case '[': return read_set(c);
    case '\\': return read_escape(c);
    case '.': c->at++; return read_any(c);
    case '^': c->at++; return emit_op(c, c->is_multiline ? LW_REGEX_LINE_BEGIN : LW_REGEX_BEGIN);
    case '$': c->at++; return emit_op(c, c->is_multiline ? LW_REGEX_LINE_END : LW_REGEX_END);
    case '*':
    case '+':
    case '?': return fail(c, LW_ERR_SYNTAX, "repetition operator without an expression before it");
    default: break;
    }
    uint32_t rune = lw_regex_rune(lw_str_skip(c->text, c->at), &len);
    c->at += len;
    return emit_rune(c, rune);
}

static bool take_count(compiler *c, unsigned *out)
{
    size_t begin = c->at;
    *out = 0;
    while (lw_char_is_digit(peek(c)) && *out <= LW_REGEX_REPEAT_MAX)
        *out = *out * 10 + (unsigned)(c->text.ptr[c->at++] - '0');
    return c->at > begin;
}

/* Parses {n}, {n,} or {n,m}; false: it is none of these, and the brace is a literal. */
static bool take_bounds(compiler *c, unsigned *low, unsigned *high)
{
    size_t begin = c->at;
    bool is_good = take(c, "{") && take_count(c, low);
    *high = *low;
    if (is_good && take(c, ",") && !take_count(c, high))
        *high = UINT32_MAX;
    if (is_good && take(c, "}"))
        return true;
    c->at = begin;
    return false;
}

static bool take_repetition(compiler *c, unsigned *low, unsigned *high)
{
    bool is_bounded = false;
    if (take(c, "*")) {
        *low = 0;
        *high = UINT32_MAX;
    } else if (take(c, "+")) {
        *low = 1;
        *high = UINT32_MAX;
    } else if (take(c, "?")) {
        *low = 0;
        *high = 1;
    } else if (take_bounds(c, low, high)) {
        is_bounded = true;
    } else {
        return false;
    }
    c->is_lazy = take(c, "?");
    if (is_bounded && (*low > LW_REGEX_REPEAT_MAX ||
                       (*high != UINT32_MAX && (*high > LW_REGEX_REPEAT_MAX || *high < *low))))
        return fail(c, LW_ERR_SYNTAX, "repetition is out of bounds");
    return true;
}

/* Compiles the atom at |begin| again. */
static bool again(compiler *c, size_t begin)
{
    size_t end = c->at;
    c->at = begin;
    bool is_good = atom(c);
    c->at = end;
    return is_good;
}

/* Sets the target of the open steps from |begin| on to the next step. */
static void close_steps(compiler *c, uint32_t begin)
{
    uint32_t end = (uint32_t)c->regex->step_count;
    for (uint32_t i = begin; i < end; i++) {
        lw_regex_step *step = &c->regex->steps[i];
        if (step->op == LW_REGEX_SPLIT && step->y == OPEN)
            step->y = end;
        if (step->op == LW_REGEX_JUMP && step->x == OPEN)
            step->x = end;
    }
}

static bool emit_split(compiler *c, bool is_lazy)
{
    uint32_t at = (uint32_t)c->regex->step_count;
    return emit(c, (lw_regex_step){
                       .op = LW_REGEX_SPLIT, .is_lazy = is_lazy, .x = at + 1, .y = OPEN });
}

/* Compiles the atom at |begin| for |low| to |high| repetitions, once for each. */
static bool emit_times(compiler *c, size_t begin, unsigned low, unsigned high)
{
    uint32_t first = (uint32_t)c->regex->step_count;
    bool is_good = true, is_lazy = c->is_lazy;
    for (unsigned i = 0; is_good && i < low; i++)
        is_good = again(c, begin);
    uint32_t loop = (uint32_t)c->regex->step_count;
    if (is_good && high == UINT32_MAX)
        is_good = emit_split(c, is_lazy) && again(c, begin) &&
                  emit(c, (lw_regex_step){ .op = LW_REGEX_JUMP, .x = loop });
    for (unsigned i = low; is_good && high != UINT32_MAX && i < high; i++)
        is_good = emit_split(c, is_lazy) && again(c, begin);
    close_steps(c, first);
    return is_good;
}

/* Compiles an optional or repeated group; |slot| before it is reserved for the split. */
static bool repeat_group(compiler *c, uint32_t slot, unsigned high)
{
    c->regex->steps[slot] =
        (lw_regex_step){ .op = LW_REGEX_SPLIT, .is_lazy = c->is_lazy, .x = slot + 1, .y = OPEN };
    bool is_good = high == 1 || emit(c, (lw_regex_step){ .op = LW_REGEX_JUMP, .x = slot });
    close_steps(c, slot);
    return is_good;
}

static bool piece(compiler *c)
{
    const compiler before = *c;
    uint32_t slot = (uint32_t)c->regex->step_count;
    unsigned low = 1, high = 1;
    bool is_group = peek(c) == '(';
    if (is_group && !emit(c, (lw_regex_step){ .op = LW_REGEX_JUMP, .x = slot + 1 }))
        return false;
    uint32_t first = (uint32_t)c->regex->step_count;
    if (!atom(c))
        return false;
    if (!take_repetition(c, &low, &high))
        return c->st == LW_OK;
    bool is_good;
    if (low == 1 && high == UINT32_MAX) {
        is_good = emit(c, (lw_regex_step){
                              .op = LW_REGEX_SPLIT, .is_lazy = c->is_lazy, .x = first, .y = OPEN });
        close_steps(c, first);
    } else if (is_group && low == 0 && (high == 1 || high == UINT32_MAX)) {
        is_good = repeat_group(c, slot, high);
    } else {
        c->folds = before.folds;
        c->is_multiline = before.is_multiline;
        c->takes_newline = before.takes_newline;
        c->regex->step_count = slot;
        is_good = emit_times(c, before.at, low, high);
    }
    if (is_good && !at_end(c) && strchr("*+?", peek(c)))
        return fail(c, LW_ERR_SYNTAX,
                    "nested repetition operator: put the inner repetition in a group");
    return is_good;
}

static bool sequence(compiler *c)
{
    while (!at_end(c) && peek(c) != '|' && peek(c) != ')') {
        if (!piece(c))
            return false;
    }
    return true;
}

/* a|b|c: split; a; jump to the end; split; b; jump to the end; c. */
static bool alternation(compiler *c)
{
    uint32_t begin = (uint32_t)c->regex->step_count;
    for (;;) {
        uint32_t first = (uint32_t)c->regex->step_count;
        /* The position of the split, in case a "|" follows. */
        if (!emit(c, (lw_regex_step){ .op = LW_REGEX_JUMP, .x = first + 1 }) || !sequence(c))
            return false;
        if (!take(c, "|"))
            break;
        uint32_t jump = (uint32_t)c->regex->step_count;
        if (!emit(c, (lw_regex_step){ .op = LW_REGEX_JUMP, .x = OPEN }))
            return false;
        c->regex->steps[first] =
            (lw_regex_step){ .op = LW_REGEX_SPLIT, .x = first + 1, .y = jump + 1 };
    }
    close_steps(c, begin);
    return true;
}

static lw_status pattern_alloc(lw_regex **out)
{
    lw_regex *regex = lw_alloc_zero(1, sizeof(*regex));
    if (!regex)
        return LW_ERR_NOMEM;
    regex->steps = lw_alloc(LW_REGEX_PROGRAM_MAX * sizeof(*regex->steps));
    regex->sets = lw_alloc(LW_REGEX_SETS_MAX * sizeof(*regex->sets));
    regex->ranges = lw_alloc(LW_REGEX_RANGES_MAX * sizeof(*regex->ranges));
    *out = regex;
    return regex->steps && regex->sets && regex->ranges ? LW_OK : LW_ERR_NOMEM;
}

static void *shrink(void *block, size_t count, size_t size)
{
    void *smaller = lw_realloc_array(block, count + 1, size);
    return smaller ? smaller : block;
}

/* Returns true if every match begins at the beginning of the text. */
static bool begins_with_anchor(const lw_regex *regex)
{
    size_t at = 0;
    while (regex->steps[at].op == LW_REGEX_JUMP)
        at = regex->steps[at].x; /* forward: no loop begins a pattern with a jump */
    return regex->steps[at].op == LW_REGEX_BEGIN;
}

lw_status lw_regex_new(lw_regex **out, lw_str text, lw_error *err)
{
    lw_regex *regex = NULL;
    if (text.len > LW_REGEX_MAX)
        return lw_error_set(err, LW_ERR_LIMIT, "the pattern is longer than %d bytes", LW_REGEX_MAX);
    lw_status st = pattern_alloc(&regex);
    compiler c = { .regex = regex, .text = text, .st = st, .err = err };
    if (st == LW_OK && alternation(&c) && !at_end(&c))
        (void)fail(&c, LW_ERR_SYNTAX, "unmatched closing parenthesis");
    if (c.st == LW_OK)
        (void)emit_op(&c, LW_REGEX_MATCH);
    if (c.st < 0) {
        lw_regex_free(regex);
        return c.st == LW_ERR_NOMEM ? lw_error_nomem(err) : c.st;
    }
    regex->is_anchored = begins_with_anchor(regex);
    regex->steps = shrink(regex->steps, regex->step_count, sizeof(*regex->steps));
    regex->sets = shrink(regex->sets, regex->set_count, sizeof(*regex->sets));
    regex->ranges = shrink(regex->ranges, regex->range_count, sizeof(*regex->ranges));
    *out = regex;
    return LW_OK;
}

size_t lw_regex_size(const lw_regex *regex)
{
    return regex->step_count;
}

void lw_regex_free(lw_regex *regex)
{
    if (!regex)
        return;
    lw_free(regex->steps);
    lw_free(regex->sets);
    lw_free(regex->ranges);
    lw_free(regex);
}
