/* SPDX-License-Identifier: Apache-2.0 */
/* jsonpath_parse.c -- parses JSONPath templates. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "jsonpath_internal.h"

/* The first failure is remembered; everything after it does nothing. */
typedef struct parser {
    const char *text;
    const char *at;
    int depth;
    lw_status st;
    lw_error *err;
} parser;

static void fail(parser *p, lw_status st, const char *what)
{
    if (p->st < 0)
        return;
    p->st = st;
    if (p->err) {
        p->err->code = st;
        (void)snprintf(p->err->message, sizeof(p->err->message),
                       "invalid JSONPath \"%.200s\": %s at position %zu", p->text, what,
                       (size_t)(p->at - p->text) + 1);
    }
}

static void *make(parser *p, size_t size)
{
    void *made = p->st < 0 ? NULL : calloc(1, size);
    if (!made)
        fail(p, LW_ERR_NOMEM, "out of memory");
    return made;
}

static bool enter(parser *p)
{
    if (p->depth == JSONPATH_DEPTH_MAX)
        fail(p, LW_ERR_LIMIT, "nested too deeply");
    p->depth++;
    return p->st == LW_OK;
}

static void skip_spaces(parser *p)
{
    while (*p->at == ' ' || *p->at == '\t')
        p->at++;
}

static bool eat(parser *p, const char *word)
{
    size_t len = strlen(word);
    if (p->st < 0 || strncmp(p->at, word, len) != 0)
        return false;
    p->at += len;
    return true;
}

static void expect(parser *p, const char *word, const char *what)
{
    if (!eat(p, word))
        fail(p, LW_ERR_SYNTAX, what);
}

static step *add_step(parser *p, step_path *to, step_kind kind)
{
    step *made = make(p, sizeof(*made));
    if (!made)
        return NULL;
    made->kind = kind;
    if (to->last)
        to->last->next = made;
    else
        to->first = made;
    to->last = made;
    return made;
}

/* Adds .name; a backslash makes the next character a part of the name. */
static void add_field(parser *p, step_path *to, const char *name, size_t len)
{
    step *made = add_step(p, to, STEP_FIELD);
    if (!made || !(made->name = make(p, len + 1)))
        return;
    char *out = made->name;
    for (size_t i = 0; i < len; i++) {
        if (name[i] == '\\' && i + 1 < len)
            i++;
        *out++ = name[i];
    }
}

static size_t field_length(const char *name, const char *ends)
{
    size_t len = 0;
    while (name[len] && !strchr(ends, name[len]))
        len += name[len] == '\\' && name[len + 1] ? 2 : 1;
    return len;
}

static void parse_name(parser *p, step_path *to)
{
    size_t len = field_length(p->at, ". []{}()=!<>,\t'\"");
    if (eat(p, "*")) {
        (void)add_step(p, to, STEP_ALL);
        return;
    }
    if (len == 0) {
        fail(p, LW_ERR_SYNTAX, "a field name is missing");
        return;
    }
    add_field(p, to, p->at, len);
    p->at += len;
}

/* 'a.b': a and b are steps. */
static void parse_quoted_names(parser *p, step_path *to)
{
    char quote = *p->at++;
    const char *end = p->at;
    while (*end && *end != quote)
        end += *end == '\\' && end[1] ? 2 : 1;
    if (!*end) {
        fail(p, LW_ERR_SYNTAX, "the quote is not closed");
        return;
    }
    while (p->st == LW_OK && p->at < end) {
        size_t len = field_length(p->at, ".");
        if (p->at + len > end)
            len = (size_t)(end - p->at);
        if (len > 0)
            add_field(p, to, p->at, len);
        p->at += len;
        if (p->at < end)
            p->at++; /* the dot */
    }
    p->at = end + 1;
}

static bool parse_number(parser *p, long *out)
{
    char *end = NULL;
    if (p->st < 0 || (*p->at != '-' && (*p->at < '0' || *p->at > '9')))
        return false;
    errno = 0;
    *out = strtol(p->at, &end, 10);
    if (end == p->at || errno != 0) {
        fail(p, LW_ERR_SYNTAX, "not a valid number");
        return false;
    }
    p->at = end;
    return true;
}

static void parse_slice(parser *p, step_path *to)
{
    step *s = add_step(p, to, STEP_SLICE);
    if (!s)
        return;
    s->stride = 1;
    s->has_from = parse_number(p, &s->from);
    s->is_index = *p->at != ':';
    if (eat(p, ":"))
        s->has_to = parse_number(p, &s->to);
    if (eat(p, ":"))
        (void)parse_number(p, &s->stride);
    if (p->st == LW_OK && s->stride <= 0)
        fail(p, LW_ERR_SYNTAX, "the step must be more than 0");
    if (p->st == LW_OK && s->is_index && !s->has_from)
        fail(p, LW_ERR_SYNTAX, "an index, a name in quotes, * or ?( is missing");
}

static void parse_steps(parser *p, step_path *to);

static char *copy(parser *p, const char *from, size_t len)
{
    char *made = make(p, len + 1);
    if (made)
        memcpy(made, from, len);
    return made;
}

/* One side of a filter: @.path, $.path, 'text', "text", a number, true, false or null. */
static step_path *parse_operand(parser *p)
{
    step_path *made = make(p, sizeof(*made));
    skip_spaces(p);
    if (!made)
        return NULL;
    if (*p->at == '@' || *p->at == '$') {
        if (*p->at == '$')
            (void)add_step(p, made, STEP_ROOT);
        p->at++;
        parse_steps(p, made);
    } else if (*p->at == '\'' || *p->at == '"') {
        const char *end = strchr(p->at + 1, *p->at);
        if (end)
            made->literal = copy(p, p->at + 1, (size_t)(end - p->at - 1));
        else
            fail(p, LW_ERR_SYNTAX, "the quote is not closed");
        p->at = end ? end + 1 : p->at;
    } else {
        size_t len = strcspn(p->at, " )]=!<>{}");
        if (len == 0)
            fail(p, LW_ERR_SYNTAX, "@, a text in quotes or a number is missing");
        made->literal = copy(p, p->at, len);
        p->at += len;
    }
    skip_spaces(p);
    return made;
}

static filter_operator parse_operator(parser *p)
{
    static const struct {
        const char *word;
        filter_operator op;
    } words[] = { { "==", FILTER_EQUAL },      { "!=", FILTER_NOT_EQUAL },
                  { "<=", FILTER_LESS_EQUAL }, { ">=", FILTER_GREATER_EQUAL },
                  { "<", FILTER_LESS },        { ">", FILTER_GREATER } };
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (eat(p, words[i].word))
            return words[i].op;
    }
    return FILTER_EXISTS;
}

/* After "?(". */
static void parse_filter(parser *p, step_path *to)
{
    step *s = enter(p) ? add_step(p, to, STEP_FILTER) : NULL;
    if (!s)
        return;
    s->paths = parse_operand(p);
    s->op = parse_operator(p);
    if (s->op != FILTER_EXISTS && s->paths)
        s->paths->next = parse_operand(p);
    expect(p, ")", "\")\" is missing");
    p->depth--;
}

static void parse_selection(parser *p, step_path *to)
{
    if (eat(p, "*"))
        (void)add_step(p, to, STEP_ALL);
    else if (eat(p, "?("))
        parse_filter(p, to);
    else if (*p->at == '\'' || *p->at == '"')
        parse_quoted_names(p, to);
    else
        parse_slice(p, to);
}

/* After "[": one selection, or a union of several. */
static void parse_bracket(parser *p, step_path *to)
{
    step_path *one = make(p, sizeof(*one)), **next = NULL;
    step *all = NULL;
    if (!one || !(all = add_step(p, to, STEP_UNION)) || !enter(p)) {
        free(one);
        return;
    }
    all->paths = one;
    next = &one->next;
    for (;;) {
        skip_spaces(p);
        parse_selection(p, one);
        skip_spaces(p);
        if (!eat(p, ",") || !(one = make(p, sizeof(*one))))
            break;
        *next = one;
        next = &one->next;
    }
    expect(p, "]", "\"]\" is missing");
    p->depth--;
}

static void parse_steps(parser *p, step_path *to)
{
    while (p->st == LW_OK) {
        if (eat(p, "..")) {
            (void)add_step(p, to, STEP_DESCEND);
            if (*p->at != '[')
                parse_name(p, to);
        } else if (eat(p, ".")) {
            if (*p->at != '[' && *p->at != '\0' && !strchr(" })\t", *p->at))
                parse_name(p, to);
        } else if (eat(p, "[")) {
            parse_bracket(p, to);
        } else {
            return;
        }
    }
}

static step_path *parse_path(parser *p)
{
    step_path *made = make(p, sizeof(*made));
    if (!made)
        return NULL;
    if (*p->at == '$' || *p->at == '@')
        (void)(*p->at++ == '$' ? add_step(p, made, STEP_ROOT) : NULL);
    if (*p->at && !strchr(".[ }\t", *p->at))
        parse_name(p, made);
    parse_steps(p, made);
    return made;
}

/* "text" or 'text' with the escapes \n, \t, \r, \\ and quotes. */
static void parse_quoted_text(parser *p, part *out)
{
    static const char letters[] = "ntr", meanings[] = "\n\t\r";
    char quote = *p->at++;
    out->text = make(p, strlen(p->at) + 1);
    while (out->text && *p->at && *p->at != quote) {
        char c = *p->at++;
        if (c == '\\' && *p->at) {
            c = *p->at++;
            const char *letter = strchr(letters, c);
            c = letter ? meanings[letter - letters] : c;
        }
        out->text[out->len++] = c;
    }
    expect(p, (const char[]){ quote, '\0' }, "the quote is not closed");
}

static part *add_part(parser *p, part ***next, part_kind kind)
{
    part *made = make(p, sizeof(*made));
    if (!made)
        return NULL;
    made->kind = kind;
    **next = made;
    *next = &made->next;
    return made;
}

static void parse_parts(parser *p, part **out, bool is_inside);

/* After "{". */
static bool parse_expression(parser *p, part ***next, bool is_inside)
{
    part *made = NULL;
    skip_spaces(p);
    if (is_inside && eat(p, "end")) {
        skip_spaces(p);
        expect(p, "}", "\"}\" is missing");
        return true;
    }
    if (eat(p, "range ")) {
        skip_spaces(p);
        if ((made = add_part(p, next, PART_RANGE)))
            made->path = parse_path(p);
    } else if (*p->at == '"' || *p->at == '\'') {
        if ((made = add_part(p, next, PART_TEXT)))
            parse_quoted_text(p, made);
    } else if ((made = add_part(p, next, PART_PATH))) {
        made->path = parse_path(p);
    }
    skip_spaces(p);
    expect(p, "}", "\"}\" is missing");
    if (made && made->kind == PART_RANGE && enter(p)) {
        parse_parts(p, &made->inside, true);
        p->depth--;
    }
    return false;
}

static void parse_parts(parser *p, part **out, bool is_inside)
{
    part **next = out;
    while (p->st == LW_OK && *p->at) {
        size_t len = strcspn(p->at, "{");
        if (len > 0) {
            part *made = add_part(p, &next, PART_TEXT);
            if (made && (made->text = copy(p, p->at, len)))
                made->len = len;
            p->at += len;
        } else if (eat(p, "{") && parse_expression(p, &next, is_inside)) {
            return;
        }
    }
    if (is_inside)
        fail(p, LW_ERR_SYNTAX, "{end} is missing");
}

lw_status jsonpath_parse(jsonpath **out, const char *text, lw_error *err)
{
    parser p = { .text = text, .at = text, .err = err };
    if (strlen(text) > JSONPATH_TEXT_MAX)
        fail(&p, LW_ERR_LIMIT, "too long");
    jsonpath *made = make(&p, sizeof(*made));
    if (made)
        parse_parts(&p, &made->first, false);
    if (p.st < 0) {
        jsonpath_free(made);
        return p.st;
    }
    *out = made;
    return LW_OK;
}

lw_status jsonpath_parse_relaxed(jsonpath **out, const char *text, lw_error *err)
{
    size_t len = strlen(text);
    const char *dot = text[0] == '.' || text[0] == '[' || text[0] == '$' ? "" : ".";
    if (text[0] == '{')
        return jsonpath_parse(out, text, err);
    if (len > JSONPATH_TEXT_MAX)
        return jsonpath_parse(out, text, err); /* reports the length */
    char *braced = calloc(1, len + sizeof("{.}"));
    if (!braced)
        return LW_ERR_NOMEM;
    (void)snprintf(braced, len + sizeof("{.}"), "{%s%s}", dot, text);
    lw_status st = jsonpath_parse(out, braced, err);
    free(braced);
    return st;
}

static void free_path(step_path *first);

static void free_steps(step *s)
{
    while (s) {
        step *next = s->next;
        free(s->name);
        free_path(s->paths);
        free(s);
        s = next;
    }
}

static void free_path(step_path *first)
{
    while (first) {
        step_path *next = first->next;
        free_steps(first->first);
        free(first->literal);
        free(first);
        first = next;
    }
}

static void free_parts(part *first)
{
    while (first) {
        part *next = first->next;
        free_parts(first->inside);
        free_path(first->path);
        free(first->text);
        free(first);
        first = next;
    }
}

void jsonpath_free(jsonpath *path)
{
    if (!path)
        return;
    free_parts(path->first);
    free(path);
}
