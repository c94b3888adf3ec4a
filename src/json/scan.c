/* SPDX-License-Identifier: Apache-2.0 */
/* scan.c -- the walk over the tokens of a document, in blocks of 64 bytes.
 *
 *   lexer    sorts a block into masks of tokens; carries strings, escapes, UTF-8, words
 *   grammar  says what may follow what
 *   extract  copies objects out and notes metadata, in the containers that the plan tracks
 *
 * Everything below the tracked containers is "deep": checked against the grammar and passed over by
 * walk_deep, the loop that nearly all bytes of a list go through.
 *
 * Invariant: between two blocks the whole state is in lw_scan, so a block may end at any byte.
 * A fault the lexer finds counts only if the walk up to it finds none: errors come in the order of
 * their bytes, however the input was cut. */
#include "json/scan.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "json/scan_bulk.h"
#include "json/scan_extract.h"
#include "json/scan_grammar.h"
#include "json/scan_lexer.h"

struct lw_scan {
    lw_lexer lexer;
    lw_expect expect;
    lw_nest nest;
    unsigned floor; /* while deep: back among the tracked when nest.depth is this again */
    unsigned max_depth;
    bool is_deep;
    bool in_key; /* a tracked key has begun and not ended */
    bool is_stream;
    bool trusts_input;
    lw_plan *plan; /* NULL: nothing is tracked */
    lw_extract extract;
    uint64_t offset;   /* input bytes before the chunk at hand */
    const char *chunk; /* the chunk at hand */
    lw_status st;      /* the first failure; |error| tells of it */
    lw_error error;
};

/* One block and where it stands in the chunk.  |bytes| may be a padded copy of |at|. */
typedef struct walk {
    lw_lex_block lex;
    const uint8_t *bytes;
    const char *at;
    unsigned n;
    bool in_string; /* the block before ended inside a string */
    bool in_word;   /* ... inside a word */
} walk;

static uint64_t offset_of(const lw_scan *s, const char *at)
{
    return s->offset + (uint64_t)(at - s->chunk);
}

/* Turns the syntax error at |at| into a too large object, if that came first. */
static void fail_at(lw_scan *s, const char *at)
{
    lw_status st = lw_extract_flush(&s->extract, at, &s->error);
    s->st = st < 0 ? st : s->error.code;
}

static void fail_token(lw_scan *s, const char *at)
{
    const char *wanted = lw_grammar_expected(s->expect);
    unsigned char c = (unsigned char)*at;
    if (c > 0x20 && c < 0x7f)
        lw_error_set_at(&s->error, LW_ERR_SYNTAX, offset_of(s, at), "unexpected '%c', expected %s",
                        c, wanted);
    else
        lw_error_set_at(&s->error, LW_ERR_SYNTAX, offset_of(s, at),
                        "unexpected byte 0x%02x, expected %s", c, wanted);
    fail_at(s, at);
}

static void fail_word(lw_scan *s, const char *at)
{
    lw_error_set_at(&s->error, LW_ERR_SYNTAX, offset_of(s, at),
                    "neither a number nor true, false or null");
    fail_at(s, at);
}

static void fail_depth(lw_scan *s, const char *at)
{
    lw_error_set_at(&s->error, LW_ERR_LIMIT, offset_of(s, at), "nested deeper than %u levels",
                    s->max_depth);
    fail_at(s, at);
}

static void fail_lexer(lw_scan *s, const char *at, lw_lex_fault fault)
{
    static const char *const words[] = {
        [LW_LEX_BAD_ESCAPE] = "unknown escape in a string",
        [LW_LEX_BAD_HEX] = "\\u needs four hexadecimal digits",
        [LW_LEX_CONTROL] = "control character in a string, where it must be escaped",
        [LW_LEX_BAD_UTF8] = "invalid UTF-8",
    };
    lw_error_set_at(&s->error, LW_ERR_SYNTAX, offset_of(s, at), "%s", words[fault]);
    fail_at(s, at);
}

/* Bytes of the word from bit |i| on, within the block. */
static unsigned word_length(const walk *w, unsigned i)
{
    uint64_t rest = ~(w->lex.word >> i);
    unsigned len = rest ? (unsigned)__builtin_ctzll(rest) : LW_BLOCK;
    return len < w->n - i ? len : w->n - i;
}

/* Takes the bytes of a word from bit |i| on, and its end if that is in the block. */
static void word_take(lw_scan *s, const walk *w, unsigned i)
{
    unsigned end = i + word_length(w, i);
    lw_word word = s->lexer.word;
    for (; i < end; i++) {
        word = lw_word_step(word, w->bytes[i]);
        if (word == LW_WORD_FAILED) {
            fail_word(s, w->at + i);
            return;
        }
    }
    s->lexer.word = word;
    if (end < w->n && !lw_word_is_complete(word))
        fail_word(s, w->at + end);
}

/* True for the words that make up nearly all of a Kubernetes list: small integers, literals. */
static inline bool word_is_plain(const uint8_t *p, unsigned len)
{
    switch (p[0]) {
    case 't': return len == 4 && memcmp(p, "true", 4) == 0;
    case 'f': return len == 5 && memcmp(p, "false", 5) == 0;
    case 'n': return len == 4 && memcmp(p, "null", 4) == 0;
    case '0': return len == 1;
    default: break;
    }
    for (unsigned i = 0; i < len; i++) {
        if (p[i] < '0' || p[i] > '9')
            return false;
    }
    return true;
}

static inline void word_begin(lw_scan *s, const walk *w, unsigned i)
{
    unsigned len = word_length(w, i);
    if (i + len < w->n && word_is_plain(w->bytes + i, len))
        return;
    s->lexer.word = LW_WORD_START;
    word_take(s, w, i);
}

/* Goes back among the tracked containers, or to the end of the document. */
static void walk_rise(lw_scan *s)
{
    if (s->plan)
        s->is_deep = false;
}

/* A token that may not stand where it does; in a stream it may begin the next document. */
static bool walk_next_document(lw_scan *s)
{
    if (s->expect != LW_EXPECT_NOTHING || !s->is_stream)
        return false;
    s->expect = LW_EXPECT_ROOT;
    return true;
}

/* Takes the token at bit |i| of a deep container. */
static void walk_deep(lw_scan *s, const walk *w, unsigned i)
{
    unsigned token = lw_grammar_token[w->bytes[i]];
    unsigned step = lw_grammar_step[s->expect][token];
    if (step == 0 && walk_next_document(s))
        step = lw_grammar_step[s->expect][token];
    if (step == 0) {
        fail_token(s, w->at + i);
    } else if (step & LW_STEP_CLOSE) {
        lw_nest_pop(&s->nest);
        s->expect = lw_nest_after_value(&s->nest);
        if (s->nest.depth == s->floor)
            walk_rise(s);
    } else if (step & LW_STEP_OPEN && s->nest.depth == s->max_depth) {
        fail_depth(s, w->at + i);
    } else {
        s->expect = (lw_expect)(step & LW_STEP_EXPECT);
        if (step & LW_STEP_OPEN)
            lw_nest_push(&s->nest, token == LW_TOKEN_OBJECT_BEGIN);
        if (step & LW_STEP_WORD)
            word_begin(s, w, i);
    }
}

/* Passes over the deep part of input that is known to be JSON, where only the depth matters;
 * returns the tokens behind it. */
static uint64_t walk_deep_trusting(lw_scan *s, const walk *w, uint64_t tokens)
{
    uint64_t nesting = lw_lex_nesting(&w->lex) & ~lw_lex_empty(&w->lex, tokens) & tokens;
    for (; nesting; nesting &= nesting - 1) {
        uint64_t bit = nesting & -nesting;
        s->nest.depth += w->lex.open & bit ? 1u : -1u;
        if (s->nest.depth == s->floor) {
            s->nest.depth++; /* only the outermost of the deep containers was pushed */
            lw_nest_pop(&s->nest);
            s->expect = lw_nest_after_value(&s->nest);
            walk_rise(s);
            return tokens & -(bit << 1);
        }
    }
    return 0;
}

static lw_status tracked_string(lw_scan *s, const walk *w, unsigned i)
{
    const char *at = w->at + i;
    bool tracks;
    if (s->expect != LW_EXPECT_FIRST_KEY && s->expect != LW_EXPECT_KEY)
        return lw_extract_value_begin(&s->extract, at, offset_of(s, at), &tracks, &s->error);
    lw_extract_key_begin(&s->extract, at);
    uint64_t closing = w->lex.closing & ~lw_block_below(i + 1) & lw_block_below(w->lex.fault_at);
    s->in_key = closing == 0;
    if (s->in_key)
        return LW_OK;
    return lw_extract_key_end(&s->extract, w->at + __builtin_ctzll(closing), &s->error);
}

static lw_status tracked_word(lw_scan *s, const walk *w, unsigned i)
{
    const char *at = w->at + i;
    bool tracks;
    lw_status st = lw_extract_value_begin(&s->extract, at, offset_of(s, at), &tracks, &s->error);
    if (st < 0)
        return st;
    if (!s->trusts_input)
        word_begin(s, w, i);
    return s->st;
}

static lw_status tracked_open(lw_scan *s, const char *at)
{
    bool tracks;
    if (s->nest.depth == s->max_depth) {
        fail_depth(s, at);
        return s->st;
    }
    if (s->nest.depth == 0)
        lw_extract_reset(&s->extract);
    lw_status st = lw_extract_value_begin(&s->extract, at, offset_of(s, at), &tracks, &s->error);
    if (st < 0)
        return st;
    if (!tracks) {
        s->is_deep = true;
        s->floor = s->nest.depth;
    }
    lw_nest_push(&s->nest, *at == '{');
    return LW_OK;
}

static lw_status tracked_close(lw_scan *s, const char *at)
{
    lw_status st = lw_extract_container_end(&s->extract, at, &s->error);
    if (st < 0)
        return st;
    lw_nest_pop(&s->nest);
    if (s->nest.depth > 0)
        return LW_OK;
    return lw_extract_document_end(&s->extract, offset_of(s, at) + 1, &s->error);
}

/* Takes the token at bit |i| of a tracked container, or of the document itself. */
static void walk_tracked(lw_scan *s, const walk *w, unsigned i)
{
    lw_token token = (lw_token)lw_grammar_token[w->bytes[i]];
    unsigned step = lw_grammar_step[s->expect][token];
    const char *at = w->at + i;
    if (step == 0 && walk_next_document(s))
        step = lw_grammar_step[s->expect][token];
    if (step == 0) {
        fail_token(s, at);
        return;
    }
    lw_status st = LW_OK;
    if (step & LW_STEP_WORD)
        st = tracked_word(s, w, i);
    else if (step & LW_STEP_OPEN)
        st = tracked_open(s, at);
    else if (step & LW_STEP_CLOSE)
        st = tracked_close(s, at);
    else if (token == LW_TOKEN_STRING)
        st = tracked_string(s, w, i);
    else if (token == LW_TOKEN_COMMA)
        st = lw_extract_separator(&s->extract, at, &s->error);
    s->expect =
        step & LW_STEP_CLOSE ? lw_nest_after_value(&s->nest) : (lw_expect)(step & LW_STEP_EXPECT);
    if (st < 0)
        s->st = st;
}

/* Ends the tracked key that began in an earlier block, if its closing quote is in this one. */
static void walk_key(lw_scan *s, const walk *w)
{
    uint64_t closing = w->lex.closing & lw_block_below(w->lex.fault_at);
    if (!closing)
        return;
    s->in_key = false;
    s->st = lw_extract_key_end(&s->extract, w->at + __builtin_ctzll(closing), &s->error);
}

/* Takes the deep part from the first of |tokens| on in one go, if it can be; returns the tokens
 * behind it, or all of them. */
static inline uint64_t walk_bulk(lw_scan *s, const walk *w, uint64_t tokens, unsigned from)
{
    lw_bulk bulk = {
        .nest = &s->nest,
        .floor = s->floor,
        .max_depth = s->max_depth,
        .expect = s->expect,
        .in_string = w->in_string,
        .in_word = w->in_word,
    };
    uint64_t part = lw_bulk_accept(&bulk, &w->lex, from);
    if (part == 0)
        return tokens;
    s->expect = bulk.expect;
    for (uint64_t words = w->lex.word_begin & part; words && s->st >= 0; words &= words - 1)
        word_begin(s, w, (unsigned)__builtin_ctzll(words));
    if (s->nest.depth == s->floor)
        walk_rise(s);
    return tokens & ~part;
}

static inline void walk_tokens(lw_scan *s, const walk *w, uint64_t tokens, bool trusts_input)
{
    bool is_plain = w->lex.fault == LW_LEX_FINE;
    unsigned from = 0;
    while (tokens && s->st >= 0) {
        unsigned i = (unsigned)__builtin_ctzll(tokens);
        if (s->is_deep && trusts_input) {
            tokens = walk_deep_trusting(s, w, tokens);
            continue;
        }
        if (s->is_deep && is_plain && s->nest.depth > s->floor) {
            uint64_t left = walk_bulk(s, w, tokens, from);
            is_plain = left != tokens;
            tokens = left;
            continue;
        }
        if (s->is_deep)
            walk_deep(s, w, i);
        else
            walk_tracked(s, w, i);
        tokens &= tokens - 1;
        from = i + 1;
    }
}

static inline void walk_block(lw_scan *s, const uint8_t *bytes, const char *at, unsigned n,
                              bool trusts_input)
{
    walk w; /* not initialised as a whole: clearing it would cost as much as sorting the block */
    w.bytes = bytes;
    w.at = at;
    w.n = n;
    w.in_string = s->lexer.in_string;
    w.in_word = s->lexer.in_word;
    lw_lexer_block(&s->lexer, bytes, n, trusts_input, &w.lex);
    if (w.in_word && !trusts_input)
        word_take(s, &w, 0);
    if (s->in_key && s->st >= 0)
        walk_key(s, &w);
    uint64_t tokens = lw_lex_tokens(&w.lex) & lw_block_below(w.lex.fault_at);
    walk_tokens(s, &w, tokens, trusts_input);
    if (w.lex.fault != LW_LEX_FINE && s->st >= 0)
        fail_lexer(s, at + w.lex.fault_at, w.lex.fault);
}

/* Walks the whole blocks of a chunk, then the rest as a block of its own. */
static void walk_chunk(lw_scan *s, const char *bytes, size_t len)
{
    const uint8_t *p = (const uint8_t *)bytes;
    size_t i = 0;
    if (s->trusts_input) {
        for (; len - i >= LW_BLOCK && s->st >= 0; i += LW_BLOCK)
            walk_block(s, p + i, bytes + i, LW_BLOCK, true);
    } else {
        for (; len - i >= LW_BLOCK && s->st >= 0; i += LW_BLOCK)
            walk_block(s, p + i, bytes + i, LW_BLOCK, false);
    }
    if (i < len && s->st >= 0) {
        uint8_t rest[LW_BLOCK];
        memset(rest, ' ', sizeof(rest));
        memcpy(rest, p + i, len - i);
        walk_block(s, rest, bytes + i, (unsigned)(len - i), s->trusts_input);
    }
}

static lw_status scan_result(const lw_scan *s, lw_error *err)
{
    if (s->st < 0 && err)
        *err = s->error;
    return s->st;
}

lw_status lw_scan_feed(lw_scan *s, const char *bytes, size_t len, lw_error *err)
{
    if (s->st < 0 || len == 0)
        return scan_result(s, err);
    s->chunk = bytes;
    if (s->extract.copy_from)
        s->extract.copy_from = bytes;
    walk_chunk(s, bytes, len);
    if (s->st >= 0)
        s->st = lw_extract_flush(&s->extract, bytes + len, &s->error);
    s->offset += len;
    return scan_result(s, err);
}

lw_status lw_scan_finish(lw_scan *s, lw_error *err)
{
    if (s->st < 0)
        return scan_result(s, err);
    const char *why = NULL;
    if (s->lexer.in_string)
        why = "the document ends inside a string";
    else if (s->lexer.in_word && !s->trusts_input && !lw_word_is_complete(s->lexer.word))
        why = "the document ends inside a number or word";
    else if (s->expect == LW_EXPECT_ROOT && !s->is_stream)
        why = "the document is empty";
    if (why)
        s->st = lw_error_set_at(&s->error, LW_ERR_SYNTAX, s->offset, "%s", why);
    else if (s->expect != LW_EXPECT_NOTHING && s->expect != LW_EXPECT_ROOT)
        s->st = lw_error_set_at(&s->error, LW_ERR_SYNTAX, s->offset,
                                "the document ends too early, expected %s",
                                lw_grammar_expected(s->expect));
    return scan_result(s, err);
}

static void scan_init(lw_scan *s, lw_plan *plan, const lw_scan_options *options)
{
    s->plan = plan;
    s->max_depth = options->max_depth ? options->max_depth : LW_SCAN_DEPTH;
    s->is_stream = options->is_stream;
    s->trusts_input = options->trusts_input && plan;
    lw_extract_init(&s->extract, plan, options);
    lw_scan_reset(s);
}

void lw_scan_reset(lw_scan *s)
{
    s->lexer = (lw_lexer){ 0 };
    s->expect = LW_EXPECT_ROOT;
    s->nest.depth = 0;
    s->nest.types = 0;
    s->floor = 0;
    s->is_deep = s->plan == NULL;
    s->in_key = false;
    s->offset = 0;
    s->st = LW_OK;
    s->error = (lw_error)LW_ERROR_INIT;
    lw_extract_reset(&s->extract);
}

static lw_status options_check(const lw_scan_options *options, lw_error *err)
{
    if (options->max_depth > LW_SCAN_DEPTH_MAX)
        return lw_error_set(err, LW_ERR_INVALID, "max_depth is %u, more than %d",
                            options->max_depth, LW_SCAN_DEPTH_MAX);
    if (options->max_item > LW_SCAN_ITEM_LIMIT_MAX)
        return lw_error_set(err, LW_ERR_INVALID, "max_item is %zu, more than %d", options->max_item,
                            LW_SCAN_ITEM_LIMIT_MAX);
    return LW_OK;
}

lw_status lw_scan_new(lw_scan **out, const lw_scan_options *options, lw_error *err)
{
    lw_plan *plan = NULL;
    lw_status st = options_check(options, err);
    if (st >= 0 && options->shape != LW_SCAN_VALUE)
        st = lw_plan_new(&plan, options, err);
    if (st < 0)
        return st;
    lw_scan *s = lw_alloc(sizeof(*s));
    if (!s) {
        lw_plan_free(plan);
        return lw_error_nomem(err);
    }
    scan_init(s, plan, options);
    *out = s;
    return LW_OK;
}

void lw_scan_free(lw_scan *s)
{
    if (!s)
        return;
    lw_extract_done(&s->extract);
    lw_plan_free(s->plan);
    lw_free(s);
}

lw_status lw_json_validate(lw_str json, unsigned max_depth, lw_error *err)
{
    const lw_scan_options options = { .shape = LW_SCAN_VALUE, .max_depth = max_depth };
    lw_status st = options_check(&options, err);
    if (st < 0)
        return st;
    lw_scan s;
    scan_init(&s, NULL, &options);
    st = lw_scan_feed(&s, json.ptr, json.len, err);
    return st < 0 ? st : lw_scan_finish(&s, err);
}
