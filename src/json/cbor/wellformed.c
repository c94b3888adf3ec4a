/* SPDX-License-Identifier: Apache-2.0 */
/* wellformed.c -- checks that bytes are one well-formed data item (RFC 8949, appendix C), and says
 * why not in the words of Kubernetes' decoder.
 *
 * The open containers are on a stack of LW_TREE_DEPTH levels; so the check costs no memory and no
 * recursion.  Code that comes after it trusts lengths. */
#include <inttypes.h>
#include <math.h>

#include "base/error.h"
#include "json/cbor/head.h"
#include "json/tree.h"

enum {
    SIMPLE_REST_MIN = 32, /* of a simple value with a byte of its own */
    BIGNUM = 2,
    BIGNUM_NEGATIVE = 3,
    MAP_PAIRS_MAX = 2097152, /* as kube-apiserver has it */
};

static const uint64_t array_items_max = INT32_MAX;

const char *lw_cbor_major_name(lw_cbor_major major)
{
    switch (major) {
    case LW_CBOR_UINT: return "positive integer";
    case LW_CBOR_NEGATIVE: return "negative integer";
    case LW_CBOR_BYTES: return "byte string";
    case LW_CBOR_TEXT: return "UTF-8 text string";
    case LW_CBOR_ARRAY: return "array";
    case LW_CBOR_MAP: return "map";
    case LW_CBOR_TAG: return "tag";
    case LW_CBOR_SIMPLE: break;
    }
    return "primitives";
}

static unsigned byte_at(lw_str cbor, size_t at)
{
    return (unsigned char)cbor.ptr[at];
}

/* Returns how many bytes of argument follow the first byte. */
static size_t argument_bytes(unsigned info)
{
    return info >= LW_CBOR_INFO_1 && info <= LW_CBOR_INFO_8 ? (size_t)1 << (info - LW_CBOR_INFO_1)
                                                            : 0;
}

lw_cbor_head lw_cbor_take_head(lw_str cbor, size_t *at)
{
    unsigned first = byte_at(cbor, (*at)++);
    lw_cbor_head head = { .major = (lw_cbor_major)(first >> 5), .info = first & 31 };
    size_t bytes = argument_bytes(head.info);
    head.value = bytes > 0 ? 0 : head.info;
    for (size_t i = 0; i < bytes; i++)
        head.value = head.value << 8 | byte_at(cbor, (*at)++);
    return head;
}

static double half(uint64_t bits)
{
    int exponent = (int)(bits >> 10 & 31);
    double fraction = (double)(bits & 1023);
    double value = exponent == 0    ? ldexp(fraction, -24)
                   : exponent == 31 ? (fraction > 0 ? (double)NAN : (double)INFINITY)
                                    : ldexp(fraction + 1024, exponent - 25);
    return bits >> 15 ? -value : value;
}

double lw_cbor_float(const lw_cbor_head *head)
{
    union {
        uint32_t bits;
        float value;
    } single = { .bits = (uint32_t)head->value };
    union {
        uint64_t bits;
        double value;
    } full = { .bits = head->value };
    if (head->info == LW_CBOR_INFO_2)
        return half(head->value);
    return head->info == LW_CBOR_INFO_4 ? (double)single.value : full.value;
}

static lw_status cut_short(lw_error *err)
{
    return lw_error_set(err, LW_ERR_SYNTAX, "unexpected EOF");
}

static lw_status check_simple(const lw_cbor_head *head, lw_error *err)
{
    if (head->info == LW_CBOR_INFO_1 && head->value < SIMPLE_REST_MIN)
        return lw_error_set(err, LW_ERR_SYNTAX,
                            "cbor: invalid simple value %" PRIu64 " for type primitives",
                            head->value);
    if (head->info < LW_CBOR_INFO_2 || head->info > LW_CBOR_INFO_8)
        return LW_OK;
    double value = lw_cbor_float(head);
    if (isfinite(value))
        return LW_OK;
    return lw_error_set(err, LW_ERR_SYNTAX,
                        "cbor: data item of cbor type primitives is not accepted by protocol: "
                        "floating-point %s",
                        isnan(value) ? "NaN" : "infinity");
}

/* Reads the head at |*at|, of which nothing is known yet. */
static lw_status check_head(lw_str cbor, size_t *at, lw_cbor_head *head, lw_error *err)
{
    if (*at == cbor.len)
        return cut_short(err);
    unsigned info = byte_at(cbor, *at) & 31;
    lw_cbor_major major = (lw_cbor_major)(byte_at(cbor, *at) >> 5);
    bool is_counted = major >= LW_CBOR_BYTES && major <= LW_CBOR_MAP;
    if (cbor.len - *at - 1 < argument_bytes(info))
        return cut_short(err);
    if (info == LW_CBOR_INFO_INDEFINITE && major == LW_CBOR_SIMPLE)
        return lw_error_set(err, LW_ERR_SYNTAX, "cbor: unexpected \"break\" code");
    if (info > LW_CBOR_INFO_8 && !(info == LW_CBOR_INFO_INDEFINITE && is_counted))
        return lw_error_set(err, LW_ERR_SYNTAX,
                            "cbor: invalid additional information %u for type %s", info,
                            lw_cbor_major_name(major));
    *head = lw_cbor_take_head(cbor, at);
    return major == LW_CBOR_SIMPLE ? check_simple(head, err) : LW_OK;
}

static lw_status check_length(const lw_cbor_head *head, lw_error *err)
{
    bool is_string = head->major < LW_CBOR_ARRAY;
    if (head->value > INT64_MAX)
        return lw_error_set(err, LW_ERR_SYNTAX, "cbor: %s length %" PRIu64 " is too large, %s",
                            lw_cbor_major_name(head->major), head->value,
                            is_string ? "causing integer overflow"
                                      : "it would cause integer overflow");
    if (head->major == LW_CBOR_ARRAY && head->value > array_items_max)
        return lw_error_set(err, LW_ERR_SYNTAX,
                            "cbor: exceeded max number of elements %" PRIu64 " for CBOR array",
                            array_items_max);
    if (head->major == LW_CBOR_MAP && head->value > MAP_PAIRS_MAX)
        return lw_error_set(err, LW_ERR_SYNTAX,
                            "cbor: exceeded max number of key-value pairs %d for CBOR map",
                            MAP_PAIRS_MAX);
    return LW_OK;
}

/* Passes a string: its bytes, or its chunks up to the break. */
static lw_status check_string(lw_str cbor, size_t *at, const lw_cbor_head *head, lw_error *err)
{
    lw_cbor_head chunk = *head;
    const char *name = lw_cbor_major_name(head->major);
    lw_status st = LW_OK;
    if (!lw_cbor_is_indefinite(head)) {
        st = check_length(head, err);
        if (st == LW_OK && cbor.len - *at < head->value)
            return cut_short(err);
        *at += st == LW_OK ? (size_t)head->value : 0;
        return st;
    }
    for (;;) {
        if (*at == cbor.len)
            return cut_short(err);
        if (byte_at(cbor, *at) == LW_CBOR_BREAK_BYTE) {
            (*at)++;
            return LW_OK;
        }
        lw_cbor_major major = (lw_cbor_major)(byte_at(cbor, *at) >> 5);
        if (major != head->major)
            return lw_error_set(err, LW_ERR_SYNTAX,
                                "cbor: wrong element type %s for indefinite-length %s",
                                lw_cbor_major_name(major), name);
        if ((byte_at(cbor, *at) & 31) == LW_CBOR_INFO_INDEFINITE)
            return lw_error_set(err, LW_ERR_SYNTAX,
                                "cbor: indefinite-length %s chunk is not definite-length", name);
        st = check_head(cbor, at, &chunk, err);
        if (st == LW_OK)
            st = check_string(cbor, at, &chunk, err);
        if (st < 0)
            return st;
    }
}

/* A container that has begun, or a tag: one with a single item. */
typedef struct level {
    uint64_t left; /* items to come, if it has a length */
    bool is_indefinite;
    bool is_map;
    bool is_odd; /* a key has come without its value */
} level;

static lw_status check_bignum(lw_cbor_head head, lw_error *err)
{
    if (head.value != BIGNUM && head.value != BIGNUM_NEGATIVE)
        return LW_OK;
    return lw_error_set(err, LW_ERR_SYNTAX,
                        "cbor: data item of cbor type tag is not accepted by protocol: bignum");
}

/* Opens the container or tag |head|. */
static lw_status open_level(level levels[LW_TREE_DEPTH], size_t *depth, const lw_cbor_head *head,
                            lw_error *err)
{
    bool is_map = head->major == LW_CBOR_MAP;
    lw_status st = LW_OK;
    if (*depth == LW_TREE_DEPTH)
        return lw_error_set(err, LW_ERR_LIMIT, "cbor: exceeded max nested level %d", LW_TREE_DEPTH);
    if (head->major == LW_CBOR_TAG)
        st = check_bignum(*head, err);
    else if (!lw_cbor_is_indefinite(head))
        st = check_length(head, err);
    if (st < 0)
        return st;
    levels[(*depth)++] = (level){
        .left = head->major == LW_CBOR_TAG ? 1 : head->value * (is_map ? 2 : 1),
        .is_indefinite = head->major != LW_CBOR_TAG && lw_cbor_is_indefinite(head),
        .is_map = is_map,
    };
    return LW_OK;
}

/* An item is complete: closes the levels of which it was the last. */
static void close_levels(level levels[LW_TREE_DEPTH], size_t *depth)
{
    while (*depth > 0) {
        level *top = &levels[*depth - 1];
        if (top->is_indefinite) {
            top->is_odd = top->is_map && !top->is_odd;
            return;
        }
        if (--top->left > 0)
            return;
        (*depth)--;
    }
}

/* Passes the breaks that end indefinite containers at |*at|. */
static lw_status check_breaks(lw_str cbor, size_t *at, level levels[LW_TREE_DEPTH], size_t *depth,
                              lw_error *err)
{
    while (*depth > 0 && levels[*depth - 1].is_indefinite && *at < cbor.len &&
           byte_at(cbor, *at) == LW_CBOR_BREAK_BYTE) {
        if (levels[*depth - 1].is_odd)
            return lw_error_set(err, LW_ERR_SYNTAX, "cbor: unexpected \"break\" code");
        (*at)++;
        (*depth)--;
        close_levels(levels, depth);
    }
    return LW_OK;
}

/* Passes one head and, if it is a whole item, closes what it ends. */
static lw_status check_item(lw_str cbor, size_t *at, level levels[LW_TREE_DEPTH], size_t *depth,
                            lw_error *err)
{
    lw_cbor_head head;
    lw_status st = check_head(cbor, at, &head, err);
    if (st < 0)
        return st;
    bool is_string = head.major == LW_CBOR_BYTES || head.major == LW_CBOR_TEXT;
    bool is_container = head.major == LW_CBOR_ARRAY || head.major == LW_CBOR_MAP;
    if (is_string)
        st = check_string(cbor, at, &head, err);
    else if (is_container || head.major == LW_CBOR_TAG)
        st = open_level(levels, depth, &head, err);
    if (st < 0)
        return st;
    bool is_empty = is_container && head.value == 0;
    if (is_empty)
        (*depth)--;
    if (is_empty || (!is_container && head.major != LW_CBOR_TAG))
        close_levels(levels, depth);
    return check_breaks(cbor, at, levels, depth, err);
}

lw_status lw_cbor_check(lw_str cbor, lw_error *err)
{
    level levels[LW_TREE_DEPTH];
    size_t at = 0, depth = 0;
    lw_status st;
    if (cbor.len == 0)
        return lw_error_set(err, LW_ERR_SYNTAX, "EOF");
    do
        st = check_item(cbor, &at, levels, &depth, err);
    while (st == LW_OK && depth > 0);
    if (st == LW_OK && at < cbor.len)
        return lw_error_set(err, LW_ERR_SYNTAX,
                            "cbor: %zu bytes of extraneous data starting at index %zu",
                            cbor.len - at, at);
    return st;
}

void lw_cbor_skip(lw_str cbor, size_t *at)
{
    level levels[LW_TREE_DEPTH];
    size_t depth = 0;
    do
        (void)check_item(cbor, at, levels, &depth, NULL);
    while (depth > 0);
}
