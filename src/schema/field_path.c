/* SPDX-License-Identifier: Apache-2.0 */
/* field_path.c -- takes a path apart step by step, and follows it. */
#include "schema/field_path.h"

#include <string.h>

#include "base/str.h"
#include "schema/value.h"
#include "json/cursor.h"
#include "json/text.h"

typedef enum step_type {
    STEP_NAME,   /* the member text; dots in it may be escaped */
    STEP_INDEX,  /* the element |index|; negative: from the end */
    STEP_ALL,    /* every element or member */
    STEP_FILTER, /* the elements whose |member| is, or is not, the JSON text |text| */
} step_type;

typedef struct path_step {
    step_type type;
    lw_str text;
    int64_t index;
    lw_str member;
    bool is_negated;
} path_step;

typedef struct parsed_path {
    path_step steps[LW_FIELD_PATH_STEPS];
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

/* Takes 'text' or "text". */
static bool take_quoted(lw_str *rest, lw_str *text)
{
    if (rest->len < 2 || (rest->ptr[0] != '\'' && rest->ptr[0] != '"'))
        return false;
    const char *end = memchr(rest->ptr + 1, rest->ptr[0], rest->len - 1);
    if (!end)
        return false;
    *text = lw_str_make(rest->ptr + 1, (size_t)(end - rest->ptr) - 1);
    *rest = lw_str_skip(*rest, text->len + 2);
    return memchr(text->ptr, '\\', text->len) == NULL;
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

/* ?(@.type=="Ready") behind its bracket */
static bool take_filter(lw_str *rest, path_step *step)
{
    path_step name;
    *step = (path_step){ .type = STEP_FILTER };
    size_t len = 0;
    if (!take_text(rest, "?(@."))
        return false;
    while (len < rest->len && is_name_char(rest->ptr[len]) && rest->ptr[len] != '=' &&
           rest->ptr[len] != '!' && rest->ptr[len] != '\\')
        len++;
    name.text = lw_str_make(rest->ptr, len);
    *rest = lw_str_skip(*rest, len);
    step->member = name.text;
    skip_blanks(rest);
    step->is_negated = take_text(rest, "!=");
    if (len == 0 || (!step->is_negated && !take_text(rest, "==")))
        return false;
    skip_blanks(rest);
    if (!take_quoted(rest, &step->text))
        return false;
    skip_blanks(rest);
    return take_text(rest, ")");
}

static bool take_index(lw_str *rest, path_step *step)
{
    size_t len = 0;
    while (len < rest->len && (lw_char_is_digit(rest->ptr[len]) || rest->ptr[len] == '-'))
        len++;
    *step = (path_step){ .type = STEP_INDEX };
    bool is_good = lw_str_to_int64(lw_str_make(rest->ptr, len), &step->index);
    *rest = lw_str_skip(*rest, len);
    return is_good;
}

static bool take_bracket(lw_str *rest, path_step *step)
{
    bool is_good;
    if (take_text(rest, "*")) {
        *step = (path_step){ .type = STEP_ALL };
        is_good = true;
    } else if (lw_str_starts_with(*rest, LW_STR("?"))) {
        is_good = take_filter(rest, step);
    } else if (rest->len > 0 && (rest->ptr[0] == '\'' || rest->ptr[0] == '"')) {
        *step = (path_step){ .type = STEP_NAME };
        is_good = take_quoted(rest, &step->text);
    } else {
        is_good = take_index(rest, step);
    }
    return is_good && take_text(rest, "]");
}

static bool parse(lw_str path, parsed_path *out)
{
    out->count = 0;
    bool is_first = true;
    while (path.len > 0) {
        if (out->count == LW_FIELD_PATH_STEPS)
            return false;
        path_step *step = &out->steps[out->count++];
        bool is_good;
        if (take_text(&path, "["))
            is_good = take_bracket(&path, step);
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

bool lw_field_path_is_valid(lw_str path)
{
    parsed_path parsed;
    return parse(path, &parsed);
}

/* |name| with its escapes is the raw key of a member. */
static bool is_named(lw_str raw_key, lw_str name)
{
    char plain[256];
    size_t len = 0;
    if (name.len == 0 || !memchr(name.ptr, '\\', name.len))
        return lw_json_text_equal(raw_key, name);
    for (size_t i = 0; i < name.len && len < sizeof(plain); i++) {
        if (name.ptr[i] == '\\' && i + 1 < name.len)
            i++;
        plain[len++] = name.ptr[i];
    }
    return lw_json_text_equal(raw_key, lw_str_make(plain, len));
}

static bool follow(lw_str json, const path_step *steps, size_t count, lw_str *value);

static bool follow_member(lw_str json, const path_step *steps, size_t count, lw_str *value)
{
    lw_value_walk walk = lw_value_members(json, "");
    lw_str raw_key, member;
    while (lw_value_next_member(&walk, &raw_key, &member)) {
        if (steps->type == STEP_ALL ? follow(member, steps + 1, count - 1, value)
                                    : is_named(raw_key, steps->text))
            return steps->type == STEP_ALL || follow(member, steps + 1, count - 1, value);
    }
    return false;
}

static bool passes(lw_str element, const path_step *filter)
{
    const path_step name = { .type = STEP_NAME, .text = filter->member };
    lw_str found;
    if (!follow(element, &name, 1, &found) || found.len < 2 || found.ptr[0] != '"')
        return false;
    bool is_equal = lw_json_text_equal(lw_str_make(found.ptr + 1, found.len - 2), filter->text);
    return is_equal != filter->is_negated;
}

static bool follow_element(lw_str json, const path_step *steps, size_t count, lw_str *value)
{
    lw_value_walk walk = lw_value_elements(json, "");
    int64_t at = 0, wanted = steps->index;
    lw_str element;
    if (steps->type == STEP_INDEX && wanted < 0)
        wanted += (int64_t)lw_value_count(json, "");
    for (; lw_value_next_element(&walk, &element); at++) {
        bool is_meant = steps->type == STEP_ALL ||
                        (steps->type == STEP_INDEX ? at == wanted : passes(element, steps));
        if (is_meant && follow(element, steps + 1, count - 1, value))
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

bool lw_field_path_first(lw_str json, lw_str path, lw_str *value)
{
    parsed_path parsed;
    return parse(path, &parsed) && follow(json, parsed.steps, parsed.count, value);
}

bool lw_field_path_append_pointer(lw_str path, lw_buf *out)
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
