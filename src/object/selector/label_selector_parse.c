/* SPDX-License-Identifier: Apache-2.0 */
/* label_selector_parse.c -- the grammar of label selectors.
 *
 *   selector    = [ requirement { "," requirement } ]
 *   requirement = key | "!" key | key op [ value ] | key ( "in" | "notin" ) "(" [ values ] ")"
 *   op          = "=" | "==" | "!=" | ">" | "<"
 *   values      = [ value ] { "," [ value ] }
 *
 * "in" and "notin" are words like any other where a key or a value is expected.  One token of
 * lookahead.  Errors are found at the same token and worded as in k8s.io/apimachinery. */
#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "object/names.h"
#include "object/selector/label_selector.h"

#define IN_REQUIREMENT "unable to parse requirement: "

typedef enum token_type {
    TOKEN_END,
    TOKEN_WORD,
    TOKEN_OPEN,
    TOKEN_CLOSE,
    TOKEN_COMMA,
    TOKEN_NOT,
    TOKEN_EQUALS,
    TOKEN_DOUBLE_EQUALS,
    TOKEN_NOT_EQUALS,
    TOKEN_GREATER,
    TOKEN_LESS,
} token_type;

typedef struct token {
    token_type type;
    lw_str text;
} token;

typedef struct parser {
    const char *start; /* of the copy of the text in the selector */
    lw_str rest;       /* text after the current token */
    token at;          /* the current token */
    lw_label_selector *selector;
    lw_error *err;
} parser;

static token_type symbol_of(char c)
{
    switch (c) {
    case '(': return TOKEN_OPEN;
    case ')': return TOKEN_CLOSE;
    case ',': return TOKEN_COMMA;
    case '!': return TOKEN_NOT;
    case '=': return TOKEN_EQUALS;
    case '>': return TOKEN_GREATER;
    case '<': return TOKEN_LESS;
    default: return TOKEN_WORD;
    }
}

static void advance(parser *p)
{
    while (p->rest.len > 0 && lw_char_is_blank(p->rest.ptr[0]))
        p->rest = lw_str_skip(p->rest, 1);
    lw_str s = p->rest;
    size_t len = s.len > 0 ? 1 : 0;
    token_type type = s.len > 0 ? symbol_of(s.ptr[0]) : TOKEN_END;
    if (type == TOKEN_WORD) {
        while (len < s.len && symbol_of(s.ptr[len]) == TOKEN_WORD && !lw_char_is_blank(s.ptr[len]))
            len++;
    } else if ((type == TOKEN_EQUALS || type == TOKEN_NOT) && s.len > 1 && s.ptr[1] == '=') {
        type = type == TOKEN_NOT ? TOKEN_NOT_EQUALS : TOKEN_DOUBLE_EQUALS;
        len = 2;
    }
    p->at.type = type;
    p->at.text = lw_str_make(s.ptr, len);
    p->rest = lw_str_skip(s, len);
}

/* Sets the error for the current token: |prefix|found 'token'|expected|. */
static lw_status refuse(parser *p, const char *prefix, const char *expected)
{
    uint64_t offset = (uint64_t)(p->at.text.ptr - p->start);
    return lw_error_set_at(p->err, LW_ERR_SYNTAX, offset, "%sfound '%.*s'%s", prefix,
                           LW_STR_ARG(p->at.text), expected);
}

/* Parses key or !key, which must be followed by a comma or the end. */
static lw_status parse_key(parser *p, lw_str *key, bool *is_unary, lw_label_operator *op)
{
    bool is_negated = p->at.type == TOKEN_NOT;
    if (is_negated)
        advance(p);
    if (p->at.type != TOKEN_WORD)
        return refuse(p, IN_REQUIREMENT, ", expected: identifier");
    if (!lw_name_is_qualified(p->at.text, NULL))
        return lw_label_selector__refuse_key(p->at.text, IN_REQUIREMENT,
                                             (uint64_t)(p->at.text.ptr - p->start), p->err);
    *key = p->at.text;
    advance(p);
    *is_unary = is_negated || p->at.type == TOKEN_END || p->at.type == TOKEN_COMMA;
    *op = is_negated ? LW_LABEL_DOES_NOT_EXIST : LW_LABEL_EXISTS;
    return LW_OK;
}

static lw_status parse_operator(parser *p, lw_label_operator *op)
{
    switch (p->at.type) {
    case TOKEN_EQUALS: *op = LW_LABEL_EQUALS; break;
    case TOKEN_DOUBLE_EQUALS: *op = LW_LABEL_DOUBLE_EQUALS; break;
    case TOKEN_NOT_EQUALS: *op = LW_LABEL_NOT_EQUALS; break;
    case TOKEN_GREATER: *op = LW_LABEL_GREATER_THAN; break;
    case TOKEN_LESS: *op = LW_LABEL_LESS_THAN; break;
    default:
        if (lw_str_equal(p->at.text, LW_STR("in")))
            *op = LW_LABEL_IN;
        else if (lw_str_equal(p->at.text, LW_STR("notin")))
            *op = LW_LABEL_NOT_IN;
        else
            return refuse(p, IN_REQUIREMENT, ", expected: in, notin, =, ==, !=, gt, lt");
    }
    advance(p);
    return LW_OK;
}

static lw_status parse_value(parser *p)
{
    if (p->at.type == TOKEN_END || p->at.type == TOKEN_COMMA) {
        lw_label_selector__add_value(p->selector, lw_str_make(NULL, 0));
        return LW_OK;
    }
    if (p->at.type != TOKEN_WORD)
        return refuse(p, IN_REQUIREMENT, ", expected: identifier");
    lw_label_selector__add_value(p->selector, p->at.text);
    advance(p);
    return LW_OK;
}

/* Parses the values up to the closing parenthesis; at least one comma or word.  An omitted value is
 * the empty string. */
static lw_status parse_listed_values(parser *p)
{
    for (;;) {
        bool is_word = p->at.type == TOKEN_WORD;
        lw_label_selector__add_value(p->selector, is_word ? p->at.text : lw_str_make(NULL, 0));
        if (is_word)
            advance(p);
        if (p->at.type == TOKEN_CLOSE)
            return LW_OK;
        if (p->at.type != TOKEN_COMMA)
            return refuse(p, IN_REQUIREMENT,
                          is_word ? ", expected: ',' or ')'" : ", expected: ',', or identifier");
        advance(p);
    }
}

static lw_status parse_value_set(parser *p)
{
    if (p->at.type != TOKEN_OPEN)
        return refuse(p, IN_REQUIREMENT, " expected: '('");
    advance(p);
    if (p->at.type != TOKEN_WORD && p->at.type != TOKEN_COMMA && p->at.type != TOKEN_CLOSE)
        return refuse(p, IN_REQUIREMENT, ", expected: ',', ')' or identifier");
    lw_status st = parse_listed_values(p);
    if (st < 0)
        return st;
    advance(p);
    lw_label_selector__sort_newest(p->selector, true);
    return LW_OK;
}

static lw_status parse_requirement(parser *p)
{
    lw_str key = { 0 };
    lw_label_operator op = LW_LABEL_EXISTS;
    bool is_unary = false;
    lw_status st = parse_key(p, &key, &is_unary, &op);
    if (st < 0)
        return st;
    if (is_unary) {
        lw_label_selector__add(p->selector, key, op);
        return LW_OK;
    }
    st = parse_operator(p, &op);
    if (st < 0)
        return st;
    lw_label_selector__add(p->selector, key, op);
    bool is_set = op == LW_LABEL_IN || op == LW_LABEL_NOT_IN;
    st = is_set ? parse_value_set(p) : parse_value(p);
    return st < 0 ? st : lw_label_selector__check_newest(p->selector, IN_REQUIREMENT, p->err);
}

static bool begins_requirement(const parser *p)
{
    return p->at.type == TOKEN_WORD || p->at.type == TOKEN_NOT;
}

static lw_status parse_selector(parser *p)
{
    advance(p);
    if (p->at.type == TOKEN_END)
        return LW_OK;
    if (!begins_requirement(p))
        return refuse(p, "", ", expected: !, identifier, or 'end of string'");
    for (;;) {
        lw_status st = parse_requirement(p);
        if (st < 0 || p->at.type == TOKEN_END)
            return st;
        if (p->at.type != TOKEN_COMMA)
            return refuse(p, "", ", expected: ',' or 'end of string'");
        advance(p);
        if (!begins_requirement(p))
            return refuse(p, "", ", expected: identifier after ','");
    }
}

/* An upper limit: the number of commas plus one. */
static size_t count_terms(lw_str text)
{
    size_t terms = 1;
    for (size_t i = 0; i < text.len; i++)
        terms += text.ptr[i] == ',';
    return terms;
}

lw_status lw_label_selector_parse(lw_label_selector **out, lw_str text, lw_error *err)
{
    /* Kubernetes treats a NUL as the end of the text, which would silently widen the selector. */
    const char *nul = text.len > 0 ? memchr(text.ptr, '\0', text.len) : NULL;
    if (nul)
        return lw_error_set_at(err, LW_ERR_SYNTAX, (uint64_t)(nul - text.ptr),
                               "label selector contains a NUL byte");
    lw_label_selector *selector = NULL;
    lw_status st = lw_label_selector__new(&selector, count_terms(text), text.len, err);
    if (st < 0)
        return st;
    if (text.len > 0)
        memcpy(selector->bytes, text.ptr, text.len);
    parser p = {
        .start = selector->bytes,
        .rest = lw_str_make(selector->bytes, text.len),
        .selector = selector,
        .err = err,
    };
    st = parse_selector(&p);
    if (st == LW_OK)
        st = lw_label_selector__seal(selector, err);
    if (st < 0) {
        lw_label_selector_free(selector);
        return st;
    }
    *out = selector;
    return LW_OK;
}
