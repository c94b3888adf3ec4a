/* SPDX-License-Identifier: Apache-2.0 */
/* scan_walk.c -- processes single tokens, and sets the error messages.  See scan_walk.h. */
#include "json/scan_walk.h"

#include "base/error.h"

static uint64_t offset_of(const lw_scan *s, const char *at)
{
    return s->offset + (uint64_t)(at - s->chunk);
}

/* Stops the scan with s->error, unless an object exceeded its limit before |at|. */
static void fail_at(lw_scan *s, const char *at)
{
    lw_status st = lw_extract_flush(&s->extract, at, &s->error);
    s->st = st < 0 ? st : s->error.code;
}

/* Stops the scan with |st|, the result of extracting or of a callback. */
static void fail_with(lw_scan *s, const char *at, lw_status st)
{
    if (s->error.code != st)
        lw_error_set(&s->error, st, "the scan was stopped: %s", lw_status_name(st));
    fail_at(s, at);
}

void lw_walk__fail_token(lw_scan *s, const char *at)
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
                    "invalid literal: expected a number, true, false or null");
    fail_at(s, at);
}

void lw_walk__fail_depth(lw_scan *s, const char *at)
{
    lw_error_set_at(&s->error, LW_ERR_LIMIT, offset_of(s, at), "nested deeper than %u levels",
                    s->max_depth);
    fail_at(s, at);
}

void lw_walk__fail_lexer(lw_scan *s, const char *at, lw_lex_fault fault)
{
    static const char *const words[] = {
        [LW_LEX_BAD_ESCAPE] = "invalid escape sequence in a string",
        [LW_LEX_BAD_HEX] = "\\u needs four hexadecimal digits",
        [LW_LEX_CONTROL] = "unescaped control character in a string",
        [LW_LEX_BAD_UTF8] = "invalid UTF-8",
    };
    lw_error_set_at(&s->error, LW_ERR_SYNTAX, offset_of(s, at), "%s", words[fault]);
    fail_at(s, at);
}

/* Processes the bytes of a word from bit |i| on, and its end if that is in the block. */
void lw_walk__word(lw_scan *s, const lw_walk *w, unsigned i)
{
    unsigned end = i + lw_walk__word_length(w, i);
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

/* Processes a word from its first byte on. */
static void word_begin(lw_scan *s, const lw_walk *w, unsigned i)
{
    s->lexer.word = LW_WORD_START;
    lw_walk__word(s, w, i);
}

/* A token that is not allowed here; in a stream it may begin the next document. */
static bool walk_next_document(lw_scan *s)
{
    if (s->expect != LW_EXPECT_NOTHING || !s->is_stream)
        return false;
    s->expect = LW_EXPECT_ROOT;
    return true;
}

/* Processes the token at bit |i| of a deep container. */
void lw_walk__deep(lw_scan *s, const lw_walk *w, unsigned i)
{
    unsigned token = lw_grammar_token[w->bytes[i]];
    unsigned step = lw_grammar_step[s->expect][token];
    if (step == 0 && walk_next_document(s))
        step = lw_grammar_step[s->expect][token];
    if (step == 0) {
        lw_walk__fail_token(s, w->at + i);
    } else if (step & LW_STEP_CLOSE) {
        lw_nest_pop(&s->nest);
        s->expect = lw_nest_after_value(&s->nest);
        if (s->nest.depth == s->floor)
            lw_walk__rise(s);
    } else if (step & LW_STEP_OPEN && s->nest.depth == s->max_depth) {
        lw_walk__fail_depth(s, w->at + i);
    } else {
        s->expect = (lw_expect)(step & LW_STEP_EXPECT);
        if (step & LW_STEP_OPEN)
            lw_nest_push(&s->nest, token == LW_TOKEN_OBJECT_BEGIN);
        if (step & LW_STEP_WORD)
            word_begin(s, w, i);
    }
}

static lw_status tracked_string(lw_scan *s, const lw_walk *w, unsigned i)
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

static lw_status tracked_word(lw_scan *s, const lw_walk *w, unsigned i)
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
        lw_walk__fail_depth(s, at);
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

/* Processes the token at bit |i| of a tracked container, or of the document itself. */
static void tracked_token(lw_scan *s, const lw_walk *w, unsigned i)
{
    lw_token token = (lw_token)lw_grammar_token[w->bytes[i]];
    unsigned step = lw_grammar_step[s->expect][token];
    const char *at = w->at + i;
    if (step == 0 && walk_next_document(s))
        step = lw_grammar_step[s->expect][token];
    if (step == 0) {
        lw_walk__fail_token(s, at);
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
    if (st < 0 && s->st >= 0)
        fail_with(s, at, st);
}

/* Each processes one part of a member; false if the scan has failed. */
static bool tracked_key(lw_scan *s, const char *begin, const char *end)
{
    lw_extract_key_begin(&s->extract, begin);
    lw_status st = lw_extract_key_end(&s->extract, end, &s->error);
    if (st < 0)
        fail_with(s, end, st);
    return st >= 0;
}

static bool tracked_value(lw_scan *s, const char *at)
{
    bool tracks;
    lw_status st = lw_extract_value_begin(&s->extract, at, offset_of(s, at), &tracks, &s->error);
    if (st < 0)
        fail_with(s, at, st);
    return st >= 0;
}

static bool tracked_comma(lw_scan *s, const char *at)
{
    lw_status st = lw_extract_separator(&s->extract, at, &s->error);
    if (st < 0)
        fail_with(s, at, st);
    return st >= 0;
}

/* Processes members whose key and colon are completely in the block, and their values and commas if
 * the values are strings, like most of the metadata.  The next token is a key. */
static uint64_t tracked_members(lw_scan *s, const lw_walk *w, uint64_t tokens)
{
    while (tokens) {
        uint64_t behind_key = tokens & (tokens - 1);
        unsigned key = (unsigned)__builtin_ctzll(tokens);
        unsigned colon = behind_key ? (unsigned)__builtin_ctzll(behind_key) : key;
        if (w->bytes[key] != '"' || w->bytes[colon] != ':')
            break;
        /* There is a token after the key, so the block contains its closing quote. */
        uint64_t key_end = w->lex.closing & ~lw_block_below(key);
        if (!tracked_key(s, w->at + key, w->at + __builtin_ctzll(key_end)))
            break;
        tokens = behind_key & (behind_key - 1);
        s->expect = LW_EXPECT_MEMBER;
        unsigned value = tokens ? (unsigned)__builtin_ctzll(tokens) : 0;
        if (!tokens || w->bytes[value] != '"' || !tracked_value(s, w->at + value))
            break;
        tokens &= tokens - 1;
        s->expect = LW_EXPECT_MEMBER_END;
        unsigned comma = tokens ? (unsigned)__builtin_ctzll(tokens) : 0;
        if (!tokens || w->bytes[comma] != ',' || !tracked_comma(s, w->at + comma))
            break;
        tokens &= tokens - 1;
        s->expect = LW_EXPECT_KEY;
    }
    return tokens;
}

uint64_t lw_walk__tracked(lw_scan *s, const lw_walk *w, uint64_t tokens)
{
    while (tokens && !s->is_deep && s->st >= 0) {
        if (s->expect == LW_EXPECT_KEY || s->expect == LW_EXPECT_FIRST_KEY)
            tokens = tracked_members(s, w, tokens);
        if (!tokens || s->st < 0)
            break;
        tracked_token(s, w, (unsigned)__builtin_ctzll(tokens));
        tokens &= tokens - 1;
    }
    return tokens;
}

/* Ends a tracked key that began in an earlier block, if its closing quote is in this block. */
void lw_walk__key(lw_scan *s, const lw_walk *w)
{
    uint64_t closing = w->lex.closing & lw_block_below(w->lex.fault_at);
    if (!closing)
        return;
    const char *at = w->at + __builtin_ctzll(closing);
    s->in_key = false;
    lw_status st = lw_extract_key_end(&s->extract, at, &s->error);
    if (st < 0)
        fail_with(s, at, st);
}
