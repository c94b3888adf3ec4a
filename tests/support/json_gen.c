/* SPDX-License-Identifier: Apache-2.0 */
/* json_gen.c -- generates random JSON. */
#include "support/json_gen.h"

#include <string.h>

enum {
    GEN_LIMIT = 16 << 20,
    MEMBERS = 5, /* maximum of a random container */
};

static bool chance(json_gen *gen, unsigned of_100)
{
    return json_gen_below(gen, 100) < of_100;
}

void json_gen_init(json_gen *gen, uint64_t seed)
{
    *gen = (json_gen){ .state = seed * 0x9E3779B97F4A7C15U + 1 };
    lw_buf_init(&gen->out, GEN_LIMIT);
}

void json_gen_done(json_gen *gen)
{
    lw_buf_done(&gen->out);
}

/* splitmix64 */
static uint64_t next(json_gen *gen)
{
    uint64_t z = gen->state += 0x9E3779B97F4A7C15U;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
}

uint64_t json_gen_below(json_gen *gen, uint64_t n)
{
    return next(gen) % n;
}

static void put(json_gen *gen, const char *text)
{
    lw_buf_append_text(&gen->out, text);
}

static void put_blanks(json_gen *gen)
{
    if (!chance(gen, gen->blanks))
        return;
    /* Rarely enough to fill whole scanner blocks with whitespace. */
    uint64_t count = chance(gen, 2) ? json_gen_below(gen, 200) : 1 + json_gen_below(gen, 3);
    while (count-- > 0)
        lw_buf_append_char(&gen->out, " \t\n\r"[json_gen_below(gen, 4)]);
}

static void put_token(json_gen *gen, char c)
{
    put_blanks(gen);
    lw_buf_append_char(&gen->out, c);
    put_blanks(gen);
}

static void put_utf8(json_gen *gen, uint32_t code)
{
    char bytes[4];
    size_t len = 0;
    if (code < 0x80) {
        bytes[len++] = (char)code;
    } else if (code < 0x800) {
        bytes[len++] = (char)(0xC0 | code >> 6);
    } else if (code < 0x10000) {
        bytes[len++] = (char)(0xE0 | code >> 12);
        bytes[len++] = (char)(0x80 | (code >> 6 & 0x3F));
    } else {
        bytes[len++] = (char)(0xF0 | code >> 18);
        bytes[len++] = (char)(0x80 | (code >> 12 & 0x3F));
        bytes[len++] = (char)(0x80 | (code >> 6 & 0x3F));
    }
    if (code >= 0x80)
        bytes[len++] = (char)(0x80 | (code & 0x3F));
    lw_buf_append(&gen->out, bytes, len);
}

/* Any Unicode scalar value; the limits of each UTF-8 length are more frequent. */
static uint32_t any_code(json_gen *gen)
{
    static const uint32_t edges[] = { 0x80,    0x7FF,   0x800,  0xFFF,  0x1000,   0xD7FF,
                                      0xE000,  0xFEFF,  0xFFFD, 0xFFFF, 0x10000,  0x3FFFF,
                                      0x40000, 0xFFFFF, 0x7F,   0x2028, 0x100000, 0x10FFFF };
    if (chance(gen, 40))
        return edges[json_gen_below(gen, sizeof(edges) / sizeof(edges[0]))];
    uint32_t code = 0x80 + (uint32_t)json_gen_below(gen, chance(gen, 50) ? 0x800 : 0x10FF80);
    return code >= 0xD800 && code <= 0xDFFF ? 0x20AC : code;
}

static void put_hex_escape(json_gen *gen, uint32_t unit)
{
    lw_buf_printf(&gen->out, chance(gen, 50) ? "\\u%04x" : "\\u%04X", unit);
}

static void put_escape(json_gen *gen)
{
    static const char *const shorts[] = { "\\\"", "\\\\", "\\/", "\\b",    "\\f",
                                          "\\n",  "\\r",  "\\t", "\\u0000" };
    if (chance(gen, 60)) {
        put(gen, shorts[json_gen_below(gen, sizeof(shorts) / sizeof(shorts[0]))]);
    } else if (gen->has_lone_surrogates && chance(gen, 20)) {
        put_hex_escape(gen, 0xD800 + (uint32_t)json_gen_below(gen, 0x800));
    } else {
        uint32_t code = any_code(gen);
        if (code >= 0x10000) {
            put_hex_escape(gen, 0xD800 + ((code - 0x10000) >> 10));
            put_hex_escape(gen, 0xDC00 + ((code - 0x10000) & 0x3FF));
        } else {
            put_hex_escape(gen, code);
        }
    }
}

static void put_ascii(json_gen *gen)
{
    static const char likely[] = "abcdefghijklmnopqrstuvwxyz0123456789-./ {}[]:,";
    char c = likely[json_gen_below(gen, sizeof(likely) - 1)];
    if (chance(gen, 5))
        c = (char)(0x20 + json_gen_below(gen, 0x60));
    lw_buf_append_char(&gen->out, c == '"' || c == '\\' ? '_' : c);
}

static void put_string(json_gen *gen)
{
    uint64_t len = chance(gen, 3) ? json_gen_below(gen, 300) : json_gen_below(gen, 24);
    lw_buf_append_char(&gen->out, '"');
    while (len-- > 0) {
        if (chance(gen, gen->escapes))
            put_escape(gen);
        else if (chance(gen, 6))
            put_utf8(gen, any_code(gen));
        else
            put_ascii(gen);
    }
    lw_buf_append_char(&gen->out, '"');
}

static void put_digits(json_gen *gen)
{
    uint64_t count = chance(gen, 2) ? 1 + json_gen_below(gen, 120) : 1 + json_gen_below(gen, 6);
    while (count-- > 0)
        lw_buf_append_char(&gen->out, (char)('0' + json_gen_below(gen, 10)));
}

static void put_number(json_gen *gen)
{
    if (chance(gen, 20))
        lw_buf_append_char(&gen->out, '-');
    if (chance(gen, 15)) {
        lw_buf_append_char(&gen->out, '0');
    } else {
        lw_buf_append_char(&gen->out, (char)('1' + json_gen_below(gen, 9)));
        if (chance(gen, 60))
            put_digits(gen);
    }
    if (chance(gen, 25)) {
        lw_buf_append_char(&gen->out, '.');
        put_digits(gen);
    }
    if (chance(gen, 15)) {
        static const char *const exponents[] = { "e", "E", "e+", "E+", "e-", "E-" };
        put(gen, exponents[json_gen_below(gen, 6)]);
        lw_buf_append_uint(&gen->out, json_gen_below(gen, chance(gen, 10) ? 1000 : 30));
    }
}

static void put_scalar(json_gen *gen)
{
    static const char *const literals[] = { "true", "false", "null" };
    if (chance(gen, 45))
        put_string(gen);
    else if (chance(gen, 60))
        put_number(gen);
    else
        put(gen, literals[json_gen_below(gen, 3)]);
}

static void put_key(json_gen *gen)
{
    static const char *const keys[] = { "name", "metadata", "items", "",     "spec",
                                        "kind", "labels",   "*",     "a/b~c" };
    if (chance(gen, 30))
        put_string(gen);
    else
        lw_buf_printf(&gen->out, "\"%s\"",
                      keys[json_gen_below(gen, sizeof(keys) / sizeof(keys[0]))]);
}

static void put_inner(json_gen *gen, unsigned depth);

static void put_container(json_gen *gen, unsigned depth)
{
    bool is_object = chance(gen, 50);
    uint64_t count = chance(gen, 25) ? 0 : json_gen_below(gen, MEMBERS + 1);
    put_token(gen, is_object ? '{' : '[');
    for (uint64_t i = 0; i < count; i++) {
        if (i > 0)
            put_token(gen, ',');
        if (is_object) {
            put_key(gen);
            put_token(gen, ':');
        }
        put_inner(gen, depth - 1);
    }
    put_token(gen, is_object ? '}' : ']');
}

/* Nested brackets reach depths that random containers rarely do. */
static void put_chain(json_gen *gen)
{
    uint64_t depth = 1 + json_gen_below(gen, 150);
    uint64_t types = next(gen);
    for (uint64_t i = 0; i < depth; i++)
        put(gen, types >> (i & 63) & 1 ? "{\"\":" : "[");
    put_scalar(gen);
    while (depth-- > 0)
        put(gen, types >> (depth & 63) & 1 ? "}" : "]");
}

static void put_inner(json_gen *gen, unsigned depth)
{
    if (depth > 0 && chance(gen, 60))
        put_container(gen, depth);
    else if (chance(gen, 1))
        put_chain(gen);
    else
        put_scalar(gen);
}

void json_gen_value(json_gen *gen, unsigned depth)
{
    put_blanks(gen);
    put_inner(gen, depth);
    put_blanks(gen);
}

/* Writes |text| as a key, sometimes with an escaped letter. */
static void put_name(json_gen *gen, const char *text)
{
    size_t len = strlen(text);
    size_t escaped = chance(gen, 4) ? json_gen_below(gen, len) : len;
    lw_buf_append_char(&gen->out, '"');
    for (size_t i = 0; i < len; i++) {
        if (i == escaped)
            put_hex_escape(gen, (unsigned char)text[i]);
        else
            lw_buf_append_char(&gen->out, text[i]);
    }
    lw_buf_append_char(&gen->out, '"');
    put_token(gen, ':');
}

static void put_text(json_gen *gen)
{
    if (chance(gen, 4))
        put(gen, "null");
    else
        put_string(gen);
}

static void put_labels(json_gen *gen)
{
    uint64_t count = json_gen_below(gen, 5);
    put_token(gen, '{');
    for (uint64_t i = 0; i < count; i++) {
        if (i > 0)
            put_token(gen, ',');
        put_key(gen);
        put_token(gen, ':');
        put_text(gen);
    }
    put_token(gen, '}');
}

/* Writes the members |names| in random order, each with some probability; |put_member| writes the
 * value. */
static void put_members(json_gen *gen, const char *const *names, size_t count,
                        void (*put_member)(json_gen *, size_t))
{
    uint64_t begin = json_gen_below(gen, count);
    bool is_first = true;
    put_token(gen, '{');
    for (size_t i = 0; i < count; i++) {
        size_t which = (i + begin) % count;
        if (chance(gen, 20))
            continue;
        if (!is_first)
            put_token(gen, ',');
        is_first = false;
        put_name(gen, names[which]);
        put_member(gen, which);
    }
    put_token(gen, '}');
}

static void put_metadata_member(json_gen *gen, size_t which)
{
    switch (which) {
    case 0:
    case 1:
    case 2:
    case 3: put_text(gen); break;
    case 4:
        if (chance(gen, 5))
            put(gen, "null");
        else
            put_labels(gen);
        break;
    default: put_inner(gen, 3); break;
    }
}

static void put_object_member(json_gen *gen, size_t which)
{
    static const char *const names[] = { "name",   "namespace",   "uid",          "resourceVersion",
                                         "labels", "annotations", "managedFields" };
    if (which <= 1)
        put_text(gen);
    else if (which > 2)
        put_inner(gen, 4);
    else if (chance(gen, 3))
        put(gen, "null");
    else
        put_members(gen, names, sizeof(names) / sizeof(names[0]), put_metadata_member);
}

void json_gen_object(json_gen *gen)
{
    static const char *const names[] = { "apiVersion", "kind", "metadata", "spec", "status" };
    put_members(gen, names, sizeof(names) / sizeof(names[0]), put_object_member);
}

static void put_list_metadata_member(json_gen *gen, size_t which)
{
    if (which == 2)
        lw_buf_append_uint(&gen->out, json_gen_below(gen, 1000));
    else if (which == 3)
        put_inner(gen, 2);
    else
        put_text(gen);
}

static void put_list_member(json_gen *gen, size_t which)
{
    static const char *const names[] = { "resourceVersion", "continue", "remainingItemCount",
                                         "selfLink" };
    if (which <= 1)
        put_text(gen);
    else if (which == 2)
        put_members(gen, names, sizeof(names) / sizeof(names[0]), put_list_metadata_member);
    else
        put_inner(gen, 2);
}

void json_gen_list(json_gen *gen, unsigned items)
{
    static const char *const names[] = { "apiVersion", "kind", "metadata", "other" };
    uint64_t place = json_gen_below(gen, 5);
    put_token(gen, '{');
    for (size_t i = 0; i < 5; i++) {
        if (i > 0)
            put_token(gen, ',');
        if (i != place) {
            size_t which = i < place ? i : i - 1;
            put_name(gen, names[which]);
            put_list_member(gen, which);
            continue;
        }
        put_name(gen, "items");
        put_token(gen, '[');
        for (unsigned k = 0; k < items; k++) {
            if (k > 0)
                put_token(gen, ',');
            json_gen_object(gen);
        }
        put_token(gen, ']');
    }
    put_token(gen, '}');
}

static void put_event_member(json_gen *gen, size_t which)
{
    static const char *const types[] = { "ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR" };
    if (which == 0)
        lw_buf_printf(&gen->out, "\"%s\"", types[json_gen_below(gen, 5)]);
    else if (which == 1)
        json_gen_object(gen);
    else
        put_inner(gen, 2);
}

void json_gen_event(json_gen *gen)
{
    static const char *const names[] = { "type", "object", "extra" };
    put_members(gen, names, sizeof(names) / sizeof(names[0]), put_event_member);
}

static void remove_at(lw_buf *out, size_t at)
{
    memmove(out->data + at, out->data + at + 1, out->len - at - 1);
    lw_buf_truncate(out, out->len - 1);
}

static void insert_at(lw_buf *out, size_t at, char c)
{
    lw_buf_append_char(out, c);
    if (out->st < 0)
        return;
    memmove(out->data + at + 1, out->data + at, out->len - 1 - at);
    out->data[at] = c;
}

static char any_byte(json_gen *gen)
{
    static const char likely[] =
        "{}[]:,\"\\ \n\t\r0123456789-+.eEtfnulrasb/\x01\x80\xBF\xC3\xED\xF4";
    return chance(gen, 85) ? likely[json_gen_below(gen, sizeof(likely) - 1)]
                           : (char)json_gen_below(gen, 256);
}

static void damage_once(json_gen *gen)
{
    lw_buf *out = &gen->out;
    if (out->len == 0)
        return;
    size_t at = (size_t)json_gen_below(gen, out->len);
    size_t other = (size_t)json_gen_below(gen, out->len);
    char c = out->data[at];
    switch (json_gen_below(gen, 8)) {
    case 0: out->data[at] = any_byte(gen); break;
    case 1: out->data[at] = (char)(c ^ 1 << json_gen_below(gen, 8)); break;
    case 2: remove_at(out, at); break;
    case 3: insert_at(out, at, any_byte(gen)); break;
    case 4: insert_at(out, at, c); break;
    case 5: insert_at(out, at, out->data[other]); break;
    case 6:
        out->data[at] = out->data[other];
        out->data[other] = c;
        break;
    default:
        if (chance(gen, 30))
            lw_buf_truncate(out, at);
        else
            out->data[at] = any_byte(gen);
        break;
    }
}

void json_gen_damage(json_gen *gen)
{
    uint64_t times = 1 + json_gen_below(gen, 3);
    while (times-- > 0)
        damage_once(gen);
}
