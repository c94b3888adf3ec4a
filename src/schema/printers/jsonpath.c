/* SPDX-License-Identifier: Apache-2.0 */
/* jsonpath.c -- parses a path step by step, and follows it. */
#include "schema/printers/jsonpath.h"

#include <string.h>

#include "base/str.h"
#include "schema/printers/value.h"
#include "json/cursor.h"
#include "json/text.h"

enum {
    PLAIN_SIZE = 512, /* bytes of an unescaped name */
};

typedef enum step_type {
    STEP_NAME,   /* the member |text|; dots in it may be escaped */
    STEP_INDEX,  /* the element |index|; negative: from the end */
    STEP_ALL,    /* every element or member */
    STEP_SLICE,  /* the elements from |index| to |end| with step |stride| */
    STEP_FILTER, /* the elements whose |member| passes the |test| with |text| */
} step_type;

typedef enum filter_test {
    TEST_EXISTS,
    TEST_EQUAL,
    TEST_UNEQUAL,
} filter_test;

typedef struct path_step {
    step_type type;
    lw_str text;
    int64_t index, end, stride;
    lw_str member; /* a path relative to the element */
    filter_test test;
    bool is_quoted; /* |text| is the content of a JSON string; else it is a JSON value */
} path_step;

typedef struct parsed_path {
    path_step steps[LW_JSONPATH_STEPS];
    size_t count;
} parsed_path;

static bool is_name_char(char c)
{
    return c != '.' && c != '[' && c != ']' && c != '(' && c != ')' && c != '{' && c != '}' &&
           c != '*' && c != '@' && c != '$' && c != '?' && !lw_char_is_blank(c);
}

static bool take_name(lw_str *rest, path_step *step)
{
    size_t len = 0;
    while (len < rest->len && is_name_char(rest->ptr[len])) {
        if (rest->ptr[len] == '\\' && len + 1 < rest->len)
            len++;
        len++;
    }
    *step = (path_step){ .type = STEP_NAME, .text = lw_str_make(rest->ptr, len) };
    *rest = lw_str_skip(*rest, len);
    return len > 0;
}

/* Parses 'text' or "text" with escapes. */
static bool take_quoted(lw_str *rest, lw_str *text)
{
    size_t len = 1;
    if (rest->len < 2 || (rest->ptr[0] != '\'' && rest->ptr[0] != '"'))
        return false;
    while (len < rest->len && rest->ptr[len] != rest->ptr[0])
        len += rest->ptr[len] == '\\' ? 2 : 1;
    if (len >= rest->len)
        return false;
    *text = lw_str_make(rest->ptr + 1, len - 1);
    *rest = lw_str_skip(*rest, len + 1);
    return true;
}

static bool take_text(lw_str *rest, const char *text)
{
    if (!lw_str_starts_with(*rest, lw_str_of(text)))
        return false;
    *rest = lw_str_skip(*rest, strlen(text));
    return true;
}

static void skip_blanks(lw_str *rest)
{
    while (rest->len > 0 && lw_char_is_blank(rest->ptr[0]))
        *rest = lw_str_skip(*rest, 1);
}

/* Parses a word up to whitespace, ')' or the operator. */
static lw_str take_word(lw_str *rest)
{
    size_t len = 0;
    while (len < rest->len && !lw_char_is_blank(rest->ptr[len]) &&
           !memchr("=!<>)", rest->ptr[len], 5))
        len++;
    lw_str word = lw_str_make(rest->ptr, len);
    *rest = lw_str_skip(*rest, len);
    skip_blanks(rest);
    return word;
}

/* Parses ?(@.type=="Ready") after the bracket. */
static bool take_filter(lw_str *rest, path_step *step)
{
    *step = (path_step){ .type = STEP_FILTER, .test = TEST_EXISTS };
    if (!take_text(rest, "?("))
        return false;
    skip_blanks(rest);
    if (!take_text(rest, "@."))
        return false;
    step->member = take_word(rest);
    if (step->member.len == 0 || take_text(rest, ")"))
        return step->member.len > 0;
    step->test = take_text(rest, "!=") ? TEST_UNEQUAL : TEST_EQUAL;
    if (step->test == TEST_EQUAL && !take_text(rest, "=="))
        return false;
    skip_blanks(rest);
    step->is_quoted = take_quoted(rest, &step->text);
    if (!step->is_quoted)
        step->text = take_word(rest);
    skip_blanks(rest);
    return (step->is_quoted || step->text.len > 0) && take_text(rest, ")");
}

/* Parses a number if there is one; else |*out| is |otherwise|. */
static bool take_number(lw_str *rest, int64_t otherwise, int64_t *out)
{
    size_t len = 0;
    while (len < rest->len && (lw_char_is_digit(rest->ptr[len]) || rest->ptr[len] == '-'))
        len++;
    lw_str digits = lw_str_make(rest->ptr, len);
    *out = otherwise;
    *rest = lw_str_skip(*rest, len);
    return len == 0 || lw_str_to_int64(digits, out);
}

/* Parses "2", "1:3", "-1:" or "0:9:2". */
static bool take_range(lw_str *rest, path_step *step)
{
    bool has_begin = rest->len > 0 && rest->ptr[0] != ':';
    *step = (path_step){ .type = STEP_INDEX, .end = INT64_MAX, .stride = 1 };
    if (has_begin && (rest->ptr[0] == ']' || !take_number(rest, INT64_MAX, &step->index) ||
                      step->index == INT64_MAX))
        return false;
    if (!take_text(rest, ":"))
        return has_begin;
    step->type = STEP_SLICE;
    if (!take_number(rest, INT64_MAX, &step->end))
        return false;
    return !take_text(rest, ":") || (take_number(rest, 1, &step->stride) && step->stride > 0);
}

static bool take_all(path_step *step)
{
    *step = (path_step){ .type = STEP_ALL };
    return true;
}

static bool take_bracket(lw_str *rest, path_step *step)
{
    bool is_good;
    if (take_text(rest, "*")) {
        is_good = take_all(step);
    } else if (lw_str_starts_with(*rest, LW_STR("?"))) {
        is_good = take_filter(rest, step);
    } else if (rest->len > 0 && (rest->ptr[0] == '\'' || rest->ptr[0] == '"')) {
        *step = (path_step){ .type = STEP_NAME };
        is_good = take_quoted(rest, &step->text);
    } else {
        is_good = take_range(rest, step);
    }
    return is_good && take_text(rest, "]");
}

static bool parse(lw_str path, parsed_path *out)
{
    out->count = 0;
    bool is_first = true;
    while (path.len > 0) {
        if (out->count == LW_JSONPATH_STEPS)
            return false;
        path_step *step = &out->steps[out->count++];
        bool is_good;
        if (take_text(&path, "["))
            is_good = take_bracket(&path, step);
        else if (take_text(&path, ".*"))
            is_good = take_all(step);
        else if (take_text(&path, ".") || is_first)
            is_good = take_name(&path, step);
        else
            is_good = false;
        if (!is_good)
            return false;
        is_first = false;
    }
    return out->count > 0;
}

/* True if |text|, unescaped, is the content of the JSON string |raw|. */
static bool is_same_text(lw_str raw, lw_str text)
{
    char plain[PLAIN_SIZE];
    size_t len = 0;
    if (text.len == 0 || !memchr(text.ptr, '\\', text.len))
        return lw_json_text_equal(raw, text);
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '\\' && i + 1 < text.len)
            i++;
        if (len == sizeof(plain))
            return false;
        plain[len++] = text.ptr[i];
    }
    return lw_json_text_equal(raw, lw_str_make(plain, len));
}

static bool follow(lw_str json, const path_step *steps, size_t count, lw_str *value);

static bool follow_member(lw_str json, const path_step *steps, size_t count, lw_str *value)
{
    lw_value_walk walk = lw_value_members(json, "");
    lw_str raw_key, member;
    while (lw_value_next_member(&walk, &raw_key, &member)) {
        if (steps->type == STEP_ALL ? follow(member, steps + 1, count - 1, value)
                                    : is_same_text(raw_key, steps->text))
            return steps->type == STEP_ALL || follow(member, steps + 1, count - 1, value);
    }
    return false;
}

static bool passes(lw_str element, const path_step *filter)
{
    lw_str found;
    bool is_equal;
    if (!lw_jsonpath_first(element, filter->member, &found))
        return false;
    if (filter->test == TEST_EXISTS)
        return true;
    bool is_text = found.len >= 2 && found.ptr[0] == '"';
    if (is_text != filter->is_quoted)
        return false;
    if (is_text)
        is_equal = is_same_text(lw_str_make(found.ptr + 1, found.len - 2), filter->text);
    else
        is_equal = lw_str_equal(found, filter->text);
    return is_equal == (filter->test == TEST_EQUAL);
}

/* True if |step|, whose indices count from the beginning, selects the |element| at |at|. */
static bool is_meant(const path_step *step, int64_t at, lw_str element)
{
    switch (step->type) {
    case STEP_ALL: return true;
    case STEP_INDEX: return at == step->index;
    case STEP_SLICE:
        return at >= step->index && at < step->end && (at - step->index) % step->stride == 0;
    case STEP_FILTER: return passes(element, step);
    case STEP_NAME: break;
    }
    return false;
}

static bool follow_element(lw_str json, const path_step *steps, size_t count, lw_str *value)
{
    lw_value_walk walk = lw_value_elements(json, "");
    path_step step = *steps;
    lw_str element;
    if (step.index < 0 || step.end < 0) {
        int64_t all = (int64_t)lw_value_count(json, "");
        step.index += step.index < 0 ? all : 0;
        step.end += step.end < 0 ? all : 0;
    }
    if (step.type == STEP_SLICE && step.index < 0)
        step.index = 0;
    for (int64_t at = 0; lw_value_next_element(&walk, &element); at++) {
        if (is_meant(&step, at, element) && follow(element, steps + 1, count - 1, value))
            return true;
    }
    return false;
}

static bool follow(lw_str json, const path_step *steps, size_t count, lw_str *value)
{
    if (json.len == 0 || lw_str_equal(json, LW_STR("null")))
        return false;
    if (count == 0) {
        *value = json;
        return true;
    }
    if (steps->type == STEP_NAME || (steps->type == STEP_ALL && json.ptr[0] == '{'))
        return follow_member(json, steps, count, value);
    return follow_element(json, steps, count, value);
}

bool lw_jsonpath_first(lw_str json, lw_str path, lw_str *value)
{
    parsed_path parsed;
    return parse(path, &parsed) && follow(json, parsed.steps, parsed.count, value);
}

bool lw_jsonpath_append_pointer(lw_str path, lw_buf *out)
{
    parsed_path parsed;
    if (!parse(path, &parsed))
        return false;
    for (size_t i = 0; i < parsed.count; i++) {
        lw_str name = parsed.steps[i].text;
        bool is_plain = parsed.steps[i].type == STEP_NAME && name.len > 0 &&
                        !memchr(name.ptr, '\\', name.len) && !memchr(name.ptr, '~', name.len) &&
                        !memchr(name.ptr, '/', name.len);
        if (!is_plain)
            return false;
        lw_buf_append_char(out, '/');
        lw_buf_append_str(out, name);
    }
    return true;
}
