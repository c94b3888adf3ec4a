/* SPDX-License-Identifier: Apache-2.0 */
/* writer.c -- valid JSON becomes CBOR, in one pass.
 *
 * How many elements a container has is known at its end.  Its first byte is written then: with the
 * number if that fits into it, else with "indefinite length", and a break follows. */
#include <math.h>
#include <string.h>

#include "base/str.h"
#include "json/cbor/cbor.h"
#include "json/cbor/head.h"
#include "json/cursor.h"
#include "json/text.h"
#include "json/tree.h"

enum {
    SMALL_MAX = 23, /* arguments up to here are in the first byte */
    HEAD_MAX = 9,   /* bytes of a head */
    HALF_BIAS = 15,
    SINGLE_BIAS = 127,
    SINGLE_FRACTION = 23, /* bits */
    HALF_FRACTION = 10,
};

/* Writes the head to |to|, which has room for HEAD_MAX bytes; returns its length. */
static size_t put_head(char *to, lw_cbor_major major, uint64_t value)
{
    unsigned type = (unsigned)major << 5;
    if (value <= SMALL_MAX) {
        to[0] = (char)(type | (unsigned)value);
        return 1;
    }
    unsigned info = value <= UINT8_MAX    ? LW_CBOR_INFO_1
                    : value <= UINT16_MAX ? LW_CBOR_INFO_2
                    : value <= UINT32_MAX ? LW_CBOR_INFO_4
                                          : LW_CBOR_INFO_8;
    size_t bytes = (size_t)1 << (info - LW_CBOR_INFO_1);
    to[0] = (char)(type | info);
    for (size_t i = 0; i < bytes; i++)
        to[1 + i] = (char)(value >> 8 * (bytes - 1 - i));
    return 1 + bytes;
}

static void append_head(lw_buf *out, lw_cbor_major major, uint64_t value)
{
    if (lw_buf_reserve(out, HEAD_MAX) == LW_OK)
        out->len += put_head(out->data + out->len, major, value);
}

void lw_cbor_append_text(lw_str text, lw_buf *out)
{
    append_head(out, LW_CBOR_BYTES, text.len);
    lw_buf_append_str(out, text);
}

/* Appends the text of which |raw| is the escaped form.  It is decoded to where it would be if it
 * had no escapes, and moved if its length needs fewer bytes. */
static void append_escaped(lw_str raw, lw_buf *out)
{
    char head[HEAD_MAX];
    size_t room = put_head(head, LW_CBOR_BYTES, raw.len);
    if (lw_buf_reserve(out, HEAD_MAX + raw.len) < 0)
        return;
    char *at = out->data + out->len;
    size_t len = lw_json_unescape(at + room, raw);
    size_t used = put_head(head, LW_CBOR_BYTES, len);
    if (used < room)
        memmove(at + used, at + room, len);
    memcpy(at, head, used);
    out->len += used + len;
}

static void append_bits(lw_buf *out, unsigned info, uint64_t bits)
{
    size_t bytes = (size_t)1 << (info - LW_CBOR_INFO_1);
    lw_buf_append_char(out, (char)((unsigned)LW_CBOR_SIMPLE << 5 | info));
    for (size_t i = 0; i < bytes; i++)
        lw_buf_append_char(out, (char)(bits >> 8 * (bytes - 1 - i)));
}

/* Sets |*half| to the half that has the value of the single |bits|; false: there is none. */
static bool half_of(uint32_t bits, uint32_t *half)
{
    uint32_t sign = bits >> 16 & 0x8000, fraction = bits & 0x7fffff;
    int exponent = (int)(bits >> SINGLE_FRACTION & 0xff) - SINGLE_BIAS + HALF_BIAS;
    int dropped = SINGLE_FRACTION - HALF_FRACTION;
    if ((bits & 0x7fffffff) == 0) {
        *half = sign;
        return true;
    }
    if (exponent <= 0) { /* subnormal as a half */
        dropped += 1 - exponent;
        fraction |= 0x800000;
        exponent = 0;
    }
    if (exponent > 30 || dropped > SINGLE_FRACTION || (fraction & ((1U << dropped) - 1)) != 0)
        return false;
    *half = sign | (uint32_t)exponent << HALF_FRACTION | fraction >> dropped;
    return true;
}

static void append_float(lw_buf *out, double value)
{
    uint64_t full;
    uint32_t bits, half;
    float single = (float)value;
    memcpy(&full, &value, sizeof(full));
    memcpy(&bits, &single, sizeof(bits));
    if ((double)single != value)
        append_bits(out, LW_CBOR_INFO_8, full);
    else if (half_of(bits, &half))
        append_bits(out, LW_CBOR_INFO_2, half);
    else
        append_bits(out, LW_CBOR_INFO_4, bits);
}

/* A number without fraction and exponent is an integer if it fits into int64, as in Kubernetes. */
static void append_number(lw_str text, lw_buf *out)
{
    int64_t value;
    bool is_plain = !memchr(text.ptr, '.', text.len) && !memchr(text.ptr, 'e', text.len) &&
                    !memchr(text.ptr, 'E', text.len);
    if (is_plain && lw_json_number_to_int64(text, &value)) {
        if (value >= 0)
            append_head(out, LW_CBOR_UINT, (uint64_t)value);
        else
            append_head(out, LW_CBOR_NEGATIVE, (uint64_t)(-1 - value));
        return;
    }
    double number = lw_json_number_to_double(text);
    if (isfinite(number))
        append_float(out, number);
    else if (out->st == LW_OK)
        out->st = LW_ERR_LIMIT;
}

/* Writes the first byte of the container that began at |begin|. */
static void finish(lw_buf *out, size_t begin, lw_cbor_major major, size_t count)
{
    bool is_small = count <= SMALL_MAX;
    if (!is_small)
        lw_buf_append_char(out, LW_CBOR_BREAK);
    if (out->st == LW_OK)
        out->data[begin] =
            (char)((unsigned)major << 5 | (is_small ? (unsigned)count : LW_CBOR_INFO_INDEFINITE));
}

static void append_value(lw_json_cursor *c, unsigned depth, lw_buf *out);

static void append_string(lw_json_cursor *c, lw_buf *out)
{
    bool is_escaped;
    lw_str raw = lw_json_cursor_text(c, &is_escaped);
    if (is_escaped)
        append_escaped(raw, out);
    else
        lw_cbor_append_text(raw, out);
}

static void append_container(lw_json_cursor *c, bool is_map, unsigned depth, lw_buf *out)
{
    size_t begin = out->len, count = 0;
    if (depth == LW_TREE_DEPTH && out->st == LW_OK)
        out->st = LW_ERR_LIMIT;
    lw_buf_append_char(out, '\0');
    lw_json_cursor_enter(c);
    for (; out->st == LW_OK && lw_json_cursor_next(c, is_map ? '}' : ']'); count++) {
        if (is_map) {
            append_string(c, out);
            lw_json_cursor_skip_blanks(c);
            c->at++; /* the colon */
        }
        append_value(c, depth + 1, out);
    }
    finish(out, begin, is_map ? LW_CBOR_MAP : LW_CBOR_ARRAY, count);
}

static void append_value(lw_json_cursor *c, unsigned depth, lw_buf *out)
{
    switch (lw_json_cursor_type(c)) {
    case LW_JSON_STRING: append_string(c, out); break;
    case LW_JSON_OBJECT: append_container(c, true, depth, out); break;
    case LW_JSON_ARRAY: append_container(c, false, depth, out); break;
    case LW_JSON_NUMBER: append_number(lw_json_cursor_skip(c), out); break;
    case LW_JSON_BOOL:
        append_head(out, LW_CBOR_SIMPLE,
                    lw_json_cursor_skip(c).ptr[0] == 't' ? LW_CBOR_TRUE : LW_CBOR_FALSE);
        break;
    case LW_JSON_NULL:
        (void)lw_json_cursor_skip(c);
        append_head(out, LW_CBOR_SIMPLE, LW_CBOR_NULL);
        break;
    }
}

void lw_cbor_append_json(lw_str json, lw_buf *out)
{
    lw_json_cursor c = lw_json_cursor_on(json);
    append_value(&c, 0, out);
}

lw_status lw_cbor_append_document(lw_str json, lw_buf *out)
{
    lw_buf_append_text(out, LW_CBOR_SELF_DESCRIBED);
    lw_cbor_append_json(json, out);
    return out->st;
}
