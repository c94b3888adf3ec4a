/* SPDX-License-Identifier: Apache-2.0 */
/* reader.c -- a CBOR document becomes a tree.
 *
 * The document is checked as a whole first (wellformed.c); then lengths are trusted, and the
 * nesting is at most LW_TREE_DEPTH.  Reading ends at the first value that is refused. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "base/text/base64.h"
#include "base/text/time_text.h"
#include "json/cbor/cbor.h"
#include "json/cbor/head.h"
#include "json/node.h"
#include "json/text.h"
#include "json/yaml/yaml_scalar.h"

enum {
    TAG_TIME = 0,
    TAG_EPOCH = 1,
    TAG_BASE64URL = 21, /* of a byte string that is to become text later */
    TAG_BASE64 = 22,
    TAG_BASE16 = 23,
    NO_TAG = 0,
    NS_DIGITS = 9,
};

typedef struct reader {
    lw_str cbor;
    size_t at;
    size_t depth; /* of open containers */
    lw_tree *tree;
    lw_buf text; /* a text that is not in |cbor| as it is */
    lw_status st;
    lw_error *err;
} reader;

/* Remembers why the value is refused; in the outermost map it concerns the document as a whole. */
static void refuse(reader *r, bool is_key, const char *format, const char *word, const char *more)
{
    r->st = is_key && r->depth == 1 ? LW_ERR_SYNTAX : LW_ERR_INVALID;
    (void)lw_error_set(r->err, r->st, "cbor: %s%s%s", format, word, more);
}

static lw_cbor_major next_major(const reader *r)
{
    return (lw_cbor_major)((unsigned char)r->cbor.ptr[r->at] >> 5);
}

static bool take_break(reader *r)
{
    bool is_break = (unsigned char)r->cbor.ptr[r->at] == LW_CBOR_BREAK_BYTE;
    r->at += is_break;
    return is_break;
}

/* Joins the chunks of a string in |r->text|. */
static lw_str join_chunks(reader *r, bool *is_utf8)
{
    lw_buf_reset(&r->text);
    while (!take_break(r)) {
        lw_cbor_head chunk = lw_cbor_take_head(r->cbor, &r->at);
        lw_str piece = lw_str_make(r->cbor.ptr + r->at, (size_t)chunk.value);
        *is_utf8 = *is_utf8 && lw_utf8_is_valid(piece);
        lw_buf_append_str(&r->text, piece);
        r->at += piece.len;
    }
    return lw_buf_view(&r->text);
}

static void append_hex(lw_buf *out, lw_str bytes)
{
    for (size_t i = 0; i < bytes.len; i++)
        lw_buf_printf(out, "%02x", (unsigned char)bytes.ptr[i]);
}

/* Returns |bytes|, which may be in |r->text|, as the text that |tag| asks for. */
static lw_str encode(reader *r, lw_str bytes, uint64_t tag)
{
    lw_buf encoded;
    lw_buf_init(&encoded, r->text.limit);
    if (tag == TAG_BASE64URL)
        lw_base64url_encode(&encoded, bytes);
    else if (tag == TAG_BASE64)
        lw_base64_encode(&encoded, bytes);
    else
        append_hex(&encoded, bytes);
    lw_buf_done(&r->text);
    r->text = encoded;
    return lw_buf_view(&r->text);
}

/* Returns |bytes| with U+FFFD for what is not UTF-8, as they would be in JSON. */
static lw_str replace_invalid(reader *r, lw_str bytes)
{
    lw_buf quoted;
    lw_buf_init(&quoted, 6 * r->text.limit);
    lw_json_append_quoted(&quoted, bytes);
    lw_buf_reset(&r->text);
    if (quoted.st == LW_OK)
        lw_json_append_unescaped(&r->text, lw_str_make(quoted.data + 1, quoted.len - 2));
    else
        r->text.st = quoted.st;
    lw_buf_done(&quoted);
    return lw_buf_view(&r->text);
}

/* Reads the text or byte string |head|; the view is valid until the next one. */
static lw_str read_text(reader *r, const lw_cbor_head *head, uint64_t tag)
{
    bool is_utf8 = true, is_encoded = head->major == LW_CBOR_BYTES && tag != NO_TAG;
    lw_str text;
    if (lw_cbor_is_indefinite(head)) {
        text = join_chunks(r, &is_utf8);
    } else {
        text = lw_str_make(r->cbor.ptr + r->at, (size_t)head->value);
        r->at += text.len;
        is_utf8 = is_encoded || lw_utf8_is_valid(text);
    }
    if (head->major == LW_CBOR_TEXT && !is_utf8)
        refuse(r, false, "invalid UTF-8 string", "", "");
    else if (is_encoded)
        text = encode(r, text, tag);
    else if (!is_utf8 && !lw_utf8_is_valid(text))
        text = replace_invalid(r, text);
    if (r->text.st < 0 && r->st == LW_OK)
        r->st = r->text.st;
    return text;
}

/* Reads a key: a string, or null, which is an empty one. */
static lw_str read_key(reader *r, uint64_t tag)
{
    lw_cbor_head head = lw_cbor_take_head(r->cbor, &r->at);
    while (head.major == LW_CBOR_TAG)
        head = lw_cbor_take_head(r->cbor, &r->at);
    if (head.major == LW_CBOR_BYTES || head.major == LW_CBOR_TEXT)
        return read_text(r, &head, tag);
    if (head.major != LW_CBOR_SIMPLE || head.info != LW_CBOR_NULL)
        refuse(r, false, "cannot unmarshal ", lw_cbor_major_name(head.major),
               " into Go value of type string");
    return lw_str_make("", 0);
}

static lw_node *read_item(reader *r, uint64_t tag);

static bool has_next(reader *r, const lw_cbor_head *head, uint64_t done)
{
    if (r->st < 0 || lw_tree_status(r->tree) < 0)
        return false;
    return lw_cbor_is_indefinite(head) ? !take_break(r) : done < head->value;
}

static void refuse_duplicate(reader *r, lw_str key, uint64_t index)
{
    char name[LW_ERROR_MESSAGE_SIZE], place[64];
    lw_error_copy_text(name, sizeof(name), key.ptr, key.len);
    (void)snprintf(place, sizeof(place), "\" at map element index %" PRIu64, index);
    refuse(r, true, "found duplicate map key \"", name, place);
}

/* Keys are kept in the memory of the tree: |r->text| is used again for the value. */
static lw_node *read_map(reader *r, const lw_cbor_head *head, uint64_t tag)
{
    lw_node *object = lw_tree_object(r->tree);
    r->depth++;
    for (uint64_t i = 0; has_next(r, head, i); i++) {
        lw_str key = read_key(r, tag);
        if (r->st < 0)
            break;
        if (lw_node_get(object, key)) {
            refuse_duplicate(r, key, i);
            break;
        }
        char *kept = lw_tree__text_room(r->tree, key.len);
        if (!kept)
            break;
        if (key.len > 0)
            memcpy(kept, key.ptr, key.len);
        lw_node *value = read_item(r, tag);
        if (r->st == LW_OK && value)
            lw_node__add_owned(r->tree, object, lw_str_make(kept, key.len), value);
    }
    r->depth--;
    return object;
}

static lw_node *read_array(reader *r, const lw_cbor_head *head, uint64_t tag)
{
    lw_node *array = lw_tree_array(r->tree);
    r->depth++;
    for (uint64_t i = 0; has_next(r, head, i); i++)
        lw_node_append(r->tree, array, read_item(r, tag));
    r->depth--;
    return array;
}

/* Refuses an integer beyond int64; |value| is its argument. */
static lw_node *refuse_integer(reader *r, bool is_negative, uint64_t value)
{
    char text[128];
    if (is_negative && value == UINT64_MAX) /* one more does not fit here either */
        (void)snprintf(text, sizeof(text),
                       " into Go value of type int64 (-18446744073709551616 overflows Go's "
                       "int64)");
    else
        (void)snprintf(text, sizeof(text),
                       " into Go value of type int64 (%s%" PRIu64 " overflows Go's int64)",
                       is_negative ? "-" : "", value + is_negative);
    refuse(r, false, "cannot unmarshal ",
           lw_cbor_major_name(is_negative ? LW_CBOR_NEGATIVE : LW_CBOR_UINT), text);
    return NULL;
}

static lw_node *read_float(reader *r, const lw_cbor_head *head)
{
    char text[LW_YAML_FLOAT_SIZE];
    return lw_tree_number(r->tree,
                          lw_str_make(text, lw_yaml_float_json(text, lw_cbor_float(head))));
}

static lw_node *read_simple(reader *r, const lw_cbor_head *head)
{
    char text[64];
    if (head->info >= LW_CBOR_INFO_2)
        return read_float(r, head);
    switch (head->value) {
    case LW_CBOR_FALSE:
    case LW_CBOR_TRUE: return lw_tree_bool(r->tree, head->value == LW_CBOR_TRUE);
    case LW_CBOR_NULL: return lw_tree_null(r->tree);
    default: break;
    }
    (void)snprintf(text, sizeof(text), "%" PRIu64 " is not recognized", head->value);
    refuse(r, false, "data item of cbor type primitives is not accepted by protocol: simple value ",
           text, "");
    return NULL;
}

/* |seconds| since 1970; beyond what has a text, so is the time. */
static lw_time time_of(double seconds)
{
    static const double seconds_max = 1e12; /* beyond the year 9999 */
    if (!(seconds > -seconds_max && seconds < seconds_max))
        return (lw_time){ .s = INT64_MAX / 2 };
    int64_t whole = (int64_t)seconds;
    whole -= (double)whole > seconds;
    int32_t ns = (int32_t)((seconds - (double)whole) * 1e9);
    bool is_next = ns == 1000000000; /* just below a second */
    return (lw_time){ .s = whole + is_next, .ns = is_next ? 0 : ns };
}

/* A time in seconds since 1970 becomes RFC 3339 text with the digits that its fraction has. */
static lw_node *read_epoch(reader *r)
{
    char text[LW_TIME_TEXT_SIZE], fraction[NS_DIGITS + 3] = "";
    lw_cbor_head head = lw_cbor_take_head(r->cbor, &r->at);
    double seconds = head.major == LW_CBOR_SIMPLE     ? lw_cbor_float(&head)
                     : head.major == LW_CBOR_NEGATIVE ? -1 - (double)head.value
                                                      : (double)head.value;
    lw_time time = time_of(seconds);
    if (lw_time_format(text, time) < 0) {
        refuse(r, false,
               "decoded time cannot be represented in RFC3339 format with sub-second "
               "precision: ",
               "Time.MarshalText: ", "year outside of range [0,9999]");
        return NULL;
    }
    if (time.ns > 0) {
        int len = snprintf(fraction, sizeof(fraction), ".%09d", (int)time.ns);
        while (len > 0 && fraction[len - 1] == '0')
            fraction[--len] = '\0';
    }
    lw_buf_reset(&r->text);
    lw_buf_append(&r->text, text, strlen(text) - 1);
    lw_buf_append_text(&r->text, fraction);
    lw_buf_append_char(&r->text, 'Z');
    r->st = r->text.st;
    return r->st < 0 ? NULL : lw_tree_string(r->tree, lw_buf_view(&r->text));
}

static lw_node *read_time(reader *r)
{
    lw_time time;
    lw_cbor_head head = lw_cbor_take_head(r->cbor, &r->at);
    lw_str text = read_text(r, &head, NO_TAG);
    if (r->st < 0)
        return NULL;
    if (lw_time_parse(text, &time))
        return lw_tree_string(r->tree, text);
    char shown[LW_ERROR_MESSAGE_SIZE / 2];
    lw_error_copy_text(shown, sizeof(shown), text.ptr, text.len);
    refuse(r, false, "cannot set ", shown, " for time.Time: it is not an RFC 3339 time");
    return NULL;
}

static bool is_number_at(const reader *r)
{
    unsigned char first = (unsigned char)r->cbor.ptr[r->at];
    return first >> 5 <= LW_CBOR_NEGATIVE || (first >= 0xf9 && first <= 0xfb);
}

/* Reads the item that |number| tags; |tag| is in force around it. */
static lw_node *read_tagged(reader *r, uint64_t number, uint64_t tag)
{
    const char *got = lw_cbor_major_name(next_major(r));
    switch (number) {
    case TAG_TIME:
        if (next_major(r) == LW_CBOR_TEXT)
            return read_time(r);
        refuse(r, false, "tag number 0 must be followed by text string, got ", got, "");
        return NULL;
    case TAG_EPOCH:
        if (is_number_at(r))
            return read_epoch(r);
        refuse(r, false, "tag number 1 must be followed by integer or floating-point number, got ",
               got, "");
        return NULL;
    case TAG_BASE64URL:
    case TAG_BASE64:
    case TAG_BASE16: return read_item(r, number);
    default: return read_item(r, tag);
    }
}

/* Reads the item at the current position; NULL: it is refused, or there is no memory. */
static lw_node *read_item(reader *r, uint64_t tag)
{
    lw_cbor_head head = lw_cbor_take_head(r->cbor, &r->at);
    lw_str text;
    switch (head.major) {
    case LW_CBOR_UINT:
        if (head.value > INT64_MAX)
            return refuse_integer(r, false, head.value);
        return lw_tree_int(r->tree, (int64_t)head.value);
    case LW_CBOR_NEGATIVE:
        if (head.value > INT64_MAX)
            return refuse_integer(r, true, head.value);
        return lw_tree_int(r->tree, -1 - (int64_t)head.value);
    case LW_CBOR_BYTES:
    case LW_CBOR_TEXT:
        text = read_text(r, &head, tag);
        return r->st < 0 ? NULL : lw_tree_string(r->tree, text);
    case LW_CBOR_ARRAY: return read_array(r, &head, tag);
    case LW_CBOR_MAP: return read_map(r, &head, tag);
    case LW_CBOR_TAG: return read_tagged(r, head.value, tag);
    case LW_CBOR_SIMPLE: break;
    }
    return read_simple(r, &head);
}

static lw_status read_document(reader *r)
{
    if (!lw_tree_charge(r->tree, r->cbor.len / LW_BUDGET_TEXT_BYTES))
        return LW_ERR_LIMIT;
    lw_node *root = read_item(r, NO_TAG);
    if (r->st == LW_OK)
        r->st = lw_tree_status(r->tree);
    if (r->st == LW_OK)
        lw_tree_set_root(r->tree, root);
    return r->st;
}

lw_status lw_cbor_read(lw_tree **out, lw_str cbor, size_t limit, lw_budget *budget, lw_error *err)
{
    reader r = { .cbor = cbor, .err = err };
    lw_status st = lw_cbor_check(cbor, err);
    if (st < 0)
        return st;
    st = lw_tree_new(&r.tree, limit);
    if (st < 0)
        return lw_error_nomem(err);
    lw_tree_set_budget(r.tree, budget);
    lw_buf_init(&r.text, LW_TREE_LIMIT);
    st = read_document(&r);
    lw_buf_done(&r.text);
    if (st == LW_OK) {
        *out = r.tree;
        return LW_OK;
    }
    lw_tree_free(r.tree);
    if (st == LW_ERR_NOMEM)
        return lw_error_nomem(err);
    if (st == LW_ERR_LIMIT)
        return lw_error_set(err, st, "the document is too large to read");
    return st;
}

void lw_cbor_append_member(lw_str cbor, lw_str key, lw_buf *out)
{
    size_t at = 0;
    lw_cbor_head head = lw_cbor_take_head(cbor, &at);
    while (head.major == LW_CBOR_TAG)
        head = lw_cbor_take_head(cbor, &at);
    if (head.major != LW_CBOR_MAP)
        return;
    bool is_open = lw_cbor_is_indefinite(&head);
    for (uint64_t i = 0;
         is_open ? (unsigned char)cbor.ptr[at] != LW_CBOR_BREAK_BYTE : i < head.value; i++) {
        size_t begin = at;
        lw_cbor_skip(cbor, &at);
        lw_cbor_head name = lw_cbor_take_head(cbor, &begin);
        bool is_key = (name.major == LW_CBOR_BYTES || name.major == LW_CBOR_TEXT) &&
                      lw_str_equal(lw_str_make(cbor.ptr + begin, at - begin), key);
        begin = at;
        lw_cbor_skip(cbor, &at);
        lw_cbor_head value = lw_cbor_take_head(cbor, &begin);
        bool is_text = value.major == LW_CBOR_BYTES || value.major == LW_CBOR_TEXT;
        if (is_key && is_text && !lw_cbor_is_indefinite(&value)) {
            lw_buf_append(out, cbor.ptr + begin, at - begin);
            return;
        }
    }
}
