/* SPDX-License-Identifier: Apache-2.0 */
/* yaml_scalar.c -- converts a YAML scalar to a JSON value.
 *
 * The order matters and is that of Kubernetes: words, timestamps, integers, floats. */
#include "json/yaml/yaml_scalar.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/str.h"
#include "base/text/base64.h"
#include "json/text.h"

static const lw_yaml_scalar string_scalar = { .type = LW_YAML_STRING };

static bool is_one_of(lw_str text, const char *const *words)
{
    for (; *words; words++) {
        if (lw_str_equal(text, lw_str_of(*words)))
            return true;
    }
    return false;
}

/* Resolves null, booleans, NaN and infinities.  Returns false for all other texts. */
static bool resolve_word(lw_str text, lw_yaml_scalar *out)
{
    static const char *const nulls[] = { "", "~", "null", "Null", "NULL", NULL };
    static const char *const trues[] = { "y",    "Y",    "yes", "Yes", "YES", "true",
                                         "True", "TRUE", "on",  "On",  "ON",  NULL };
    static const char *const falses[] = { "n",     "N",     "no",  "No",  "NO",  "false",
                                          "False", "FALSE", "off", "Off", "OFF", NULL };
    static const char *const nans[] = { ".nan", ".NaN", ".NAN", NULL };
    static const char *const infinities[] = { ".inf",  ".Inf",  ".INF", "+.inf",
                                              "+.Inf", "+.INF", NULL };
    static const char *const negatives[] = { "-.inf", "-.Inf", "-.INF", NULL };
    if (text.len > 5)
        return false;
    if (is_one_of(text, nulls))
        *out = (lw_yaml_scalar){ .type = LW_YAML_NULL };
    else if (is_one_of(text, trues))
        *out = (lw_yaml_scalar){ .type = LW_YAML_BOOL, .as.boolean = true };
    else if (is_one_of(text, falses))
        *out = (lw_yaml_scalar){ .type = LW_YAML_BOOL, .as.boolean = false };
    else if (is_one_of(text, nans))
        *out = (lw_yaml_scalar){ .type = LW_YAML_FLOAT, .as.number = (double)NAN };
    else if (is_one_of(text, infinities))
        *out = (lw_yaml_scalar){ .type = LW_YAML_FLOAT, .as.number = HUGE_VAL };
    else if (is_one_of(text, negatives))
        *out = (lw_yaml_scalar){ .type = LW_YAML_FLOAT, .as.number = -HUGE_VAL };
    else
        return false;
    return true;
}

/* Skips underscores and returns the next character without consuming it; '\0' at the end. */
static char peek(lw_str *s)
{
    while (s->len > 0 && s->ptr[0] == '_')
        *s = lw_str_skip(*s, 1);
    return s->len > 0 ? s->ptr[0] : '\0';
}

static char take(lw_str *s)
{
    char c = peek(s);
    *s = lw_str_skip(*s, 1);
    return c;
}

static unsigned digit_value(char c)
{
    if (lw_char_is_digit(c))
        return (unsigned)(c - '0');
    if (c >= 'a' && c <= 'f')
        return (unsigned)(c - 'a') + 10;
    if (c >= 'A' && c <= 'F')
        return (unsigned)(c - 'A') + 10;
    return UINT32_MAX;
}

/* Parses all of |s| as digits of |base|; no digits are allowed if |is_empty_ok|.  Returns false for
 * anything else and if the value does not fit. */
static bool read_digits(lw_str s, unsigned base, bool is_empty_ok, uint64_t *out)
{
    uint64_t value = 0;
    if (peek(&s) == '\0' && s.len == 0 && !is_empty_ok)
        return false;
    while (peek(&s), s.len > 0) {
        unsigned digit = digit_value(take(&s));
        if (digit >= base || value > (UINT64_MAX - digit) / base)
            return false;
        value = value * base + digit;
    }
    *out = value;
    return true;
}

/* Parses digits after the prefix of their base: 0x, 0o or 0b; 0 alone for octal; none for decimal.
 */
static bool read_prefixed(lw_str s, uint64_t *out)
{
    if (peek(&s) != '0')
        return read_digits(s, 10, false, out);
    (void)take(&s);
    unsigned base = 8;
    switch (peek(&s)) {
    case 'x':
    case 'X': base = 16; break;
    case 'b':
    case 'B': base = 2; break;
    case 'o':
    case 'O': break;
    default: return read_digits(s, 8, true, out);
    }
    (void)take(&s);
    return read_digits(s, base, false, out);
}

/* Applies |sign| ('+', '-' or none) to |magnitude|; false if the result does not fit into 64 bits.
 */
static bool make_integer(uint64_t magnitude, char sign, lw_yaml_scalar *out)
{
    if (magnitude <= INT64_MAX) {
        int64_t value = (int64_t)magnitude;
        *out = (lw_yaml_scalar){ .type = LW_YAML_INT, .as.integer = sign == '-' ? -value : value };
        return true;
    }
    if (sign == '-' && magnitude == (uint64_t)INT64_MAX + 1) {
        *out = (lw_yaml_scalar){ .type = LW_YAML_INT, .as.integer = INT64_MIN };
        return true;
    }
    if (sign != '\0')
        return false;
    *out = (lw_yaml_scalar){ .type = LW_YAML_UINT, .as.unsigned_integer = magnitude };
    return true;
}

static char take_sign(lw_str *s)
{
    char c = peek(s);
    return c == '-' || c == '+' ? take(s) : '\0';
}

static bool resolve_integer(lw_str text, lw_yaml_scalar *out)
{
    lw_str s = text;
    char sign = take_sign(&s);
    uint64_t magnitude;
    if (read_prefixed(s, &magnitude))
        return make_integer(magnitude, sign, out);
    /* Kubernetes' reader also takes the sign behind the prefix of a binary number. */
    if (sign || take(&s) != '0' || take(&s) != 'b')
        return false;
    sign = take_sign(&s);
    return sign && read_digits(s, 2, false, &magnitude) && make_integer(magnitude, sign, out);
}

/* Where underscores are not removed first, they are allowed between digits only. */
static bool has_stray_underscore(lw_str text)
{
    for (size_t at = 0; at < text.len; at++) {
        if (text.ptr[at] == '_' && (at == 0 || !lw_char_is_digit(text.ptr[at - 1]) ||
                                    at + 1 == text.len || !lw_char_is_digit(text.ptr[at + 1])))
            return true;
    }
    return false;
}

static bool resolve_number(lw_str text, lw_yaml_scalar *out)
{
    char first = text.ptr[0];
    if (first == '.') {
        out->type = LW_YAML_FLOAT;
        return !has_stray_underscore(text) && lw_yaml_float_parse(text, &out->as.number);
    }
    if (!lw_char_is_digit(first) && first != '+' && first != '-')
        return false;
    if (resolve_integer(text, out))
        return true;
    out->type = LW_YAML_FLOAT;
    return lw_yaml_float_parse(text, &out->as.number);
}

lw_yaml_scalar lw_yaml_scalar_plain(lw_str text)
{
    lw_yaml_scalar s;
    if (resolve_word(text, &s))
        return s;
    if (lw_yaml_is_timestamp(text))
        return (lw_yaml_scalar){ .type = LW_YAML_TIMESTAMP };
    if (resolve_number(text, &s))
        return s;
    return string_scalar;
}

static bool is_integer_for_float(lw_yaml_scalar *s)
{
    if (s->type != LW_YAML_INT)
        return false;
    *s = (lw_yaml_scalar){ .type = LW_YAML_FLOAT, .as.number = (double)s->as.integer };
    return true;
}

bool lw_yaml_scalar_tagged(lw_str tag, lw_str text, lw_yaml_scalar *out)
{
    static const struct {
        const char *tag;
        lw_yaml_type type;
    } known[] = {
        { "tag:yaml.org,2002:null", LW_YAML_NULL },
        { "tag:yaml.org,2002:bool", LW_YAML_BOOL },
        { "tag:yaml.org,2002:int", LW_YAML_INT },
        { "tag:yaml.org,2002:float", LW_YAML_FLOAT },
        { "tag:yaml.org,2002:timestamp", LW_YAML_TIMESTAMP },
        { "tag:yaml.org,2002:binary", LW_YAML_BINARY },
    };
    lw_yaml_type wanted = LW_YAML_STRING;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (lw_str_equal(tag, lw_str_of(known[i].tag)))
            wanted = known[i].type;
    }
    if (wanted == LW_YAML_STRING || wanted == LW_YAML_BINARY) {
        *out = (lw_yaml_scalar){ .type = wanted };
        return true;
    }
    *out = lw_yaml_scalar_plain(text);
    return out->type == wanted || (wanted == LW_YAML_INT && out->type == LW_YAML_UINT) ||
           (wanted == LW_YAML_FLOAT && is_integer_for_float(out));
}

const char *lw_yaml_type_name(lw_yaml_type type)
{
    switch (type) {
    case LW_YAML_NULL: return "!!null";
    case LW_YAML_BOOL: return "!!bool";
    case LW_YAML_INT:
    case LW_YAML_UINT: return "!!int";
    case LW_YAML_FLOAT: return "!!float";
    case LW_YAML_STRING: return "!!str";
    case LW_YAML_TIMESTAMP: return "!!timestamp";
    case LW_YAML_BINARY: return "!!binary";
    }
    return "!!str";
}

/* Writes an integer in decimal; returns 0 if |s| is not an integer. */
static size_t print_integer(const lw_yaml_scalar *s, char out[LW_YAML_FLOAT_SIZE])
{
    int len = 0;
    if (s->type == LW_YAML_INT)
        len = snprintf(out, LW_YAML_FLOAT_SIZE, "%" PRId64, s->as.integer);
    else if (s->type == LW_YAML_UINT)
        len = snprintf(out, LW_YAML_FLOAT_SIZE, "%" PRIu64, s->as.unsigned_integer);
    return (size_t)len;
}

size_t lw_yaml_scalar_json(const lw_yaml_scalar *s, char out[LW_YAML_FLOAT_SIZE])
{
    if (s->type != LW_YAML_FLOAT)
        return print_integer(s, out);
    assert(isfinite(s->as.number));
    return lw_yaml_float_json(out, s->as.number);
}

size_t lw_yaml_scalar_yaml(const lw_yaml_scalar *s, char out[LW_YAML_FLOAT_SIZE])
{
    if (s->type != LW_YAML_FLOAT)
        return print_integer(s, out);
    assert(isfinite(s->as.number));
    return lw_yaml_float_general(out, s->as.number);
}

size_t lw_yaml_scalar_key(const lw_yaml_scalar *s, char out[LW_YAML_FLOAT_SIZE])
{
    switch (s->type) {
    case LW_YAML_BOOL:
        return (size_t)snprintf(out, LW_YAML_FLOAT_SIZE, s->as.boolean ? "true" : "false");
    case LW_YAML_INT: return print_integer(s, out);
    case LW_YAML_FLOAT: return lw_yaml_float_key(out, s->as.number);
    default: return 0;
    }
}

/* [+-]digits(:[0-5]digit)+[.digits]: other YAML 1.1 readers read it as a number of base 60. */
static bool is_base_60(lw_str text)
{
    if (text.len > 0 && (text.ptr[0] == '+' || text.ptr[0] == '-'))
        text = lw_str_skip(text, 1);
    if (text.len == 0 || !lw_char_is_digit(text.ptr[0]))
        return false;
    while (text.len > 0 && (lw_char_is_digit(text.ptr[0]) || text.ptr[0] == '_'))
        text = lw_str_skip(text, 1);
    size_t groups = 0;
    for (; text.len > 1 && text.ptr[0] == ':' && lw_char_is_digit(text.ptr[1]); groups++) {
        bool is_pair = text.ptr[1] <= '5' && text.len > 2 && lw_char_is_digit(text.ptr[2]);
        text = lw_str_skip(text, is_pair ? 3 : 2);
    }
    if (text.len > 0 && text.ptr[0] == '.') {
        do {
            text = lw_str_skip(text, 1);
        } while (text.len > 0 && (lw_char_is_digit(text.ptr[0]) || text.ptr[0] == '_'));
    }
    return groups > 0 && text.len == 0;
}

bool lw_yaml_is_ambiguous(lw_str text)
{
    return lw_yaml_scalar_plain(text).type != LW_YAML_STRING || is_base_60(text);
}

/* Returns the length of the valid UTF-8 character at the start of |s|; 0 if there is none. */
static size_t character_length(lw_str s)
{
    unsigned char lead = (unsigned char)s.ptr[0];
    size_t len = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    return len <= s.len && lw_utf8_is_valid(lw_str_make(s.ptr, len)) ? len : 0;
}

static void append_repaired(lw_buf *out, lw_str bytes)
{
    for (size_t at = 0; at < bytes.len;) {
        lw_str rest = lw_str_make(bytes.ptr + at, bytes.len - at);
        size_t len = character_length(rest);
        if (len > 0)
            lw_buf_append(out, rest.ptr, len);
        else
            lw_buf_append_text(out, "\xEF\xBF\xBD");
        at += len > 0 ? len : 1;
    }
}

bool lw_yaml_binary_decode(lw_buf *out, lw_str text)
{
    lw_buf bytes;
    lw_buf_init(&bytes, out->limit);
    bool is_base64 = lw_base64_decode_lenient(&bytes, text);
    if (is_base64 && bytes.st < 0)
        out->st = bytes.st;
    else if (is_base64 && lw_utf8_is_valid(lw_buf_view(&bytes)))
        lw_buf_append_str(out, lw_buf_view(&bytes));
    else if (is_base64)
        append_repaired(out, lw_buf_view(&bytes));
    lw_buf_done(&bytes);
    return is_base64;
}
