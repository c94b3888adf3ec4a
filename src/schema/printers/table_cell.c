/* SPDX-License-Identifier: Apache-2.0 */
/* table_cell.c -- the text of a table cell, and the parts of an object that cells read: they are
 * found once per row. */
#include "schema/printers/table_cell.h"

#include <inttypes.h>
#include <stdlib.h>

#include <listwatch/label_selector.h>

#include "base/alloc.h"
#include "base/str.h"
#include "base/text/duration.h"
#include "schema/printers/table_column.h"
#include "schema/printers/value.h"
#include "json/text.h"

enum {
    ADDRESSES_MAX = 256, /* number of load balancer addresses shown */
};

void lw_table_cell_begin(lw_buf *text)
{
    lw_buf_init(text, LW_TABLE_CELL_MAX);
}

void lw_table_cell_end(lw_buf *text, const char *fallback, lw_json_writer *w)
{
    if (text->st < 0 && w->out->st == LW_OK)
        w->out->st = text->st;
    lw_json_write_string(w, text->len > 0 ? lw_buf_view(text) : lw_str_of(fallback));
    lw_buf_done(text);
}

void lw_table_cell_write(lw_json_writer *w, const char *text)
{
    lw_json_write_string(w, lw_str_of(text));
}

void lw_table_cell_append_int(lw_buf *text, int64_t value)
{
    lw_buf_printf(text, "%" PRId64, value);
}

void lw_table_cell_separate(lw_buf *text, size_t start, const char *separator)
{
    if (text->len > start)
        lw_buf_append_text(text, separator);
}

void lw_table_cell_append_since(lw_buf *text, lw_str json, const char *pointer, int64_t now_ns)
{
    char duration[LW_DURATION_TEXT_SIZE];
    lw_time time;
    if (!lw_value_time(json, pointer, &time)) {
        lw_buf_append_text(text, "<unknown>");
        return;
    }
    int64_t seconds = lw_time_seconds_between(time, lw_time_of_ns(now_ns));
    lw_buf_append_str(text, lw_duration_format(duration, seconds));
}

void lw_table_cell_append_each(lw_buf *text, lw_str json, const char *pointer,
                               const char *separator)
{
    size_t start = text->len;
    lw_str element;
    for (lw_value_walk walk = lw_value_elements(json, "");
         lw_value_next_element(&walk, &element);) {
        lw_table_cell_separate(text, start, separator);
        (void)lw_value_append(element, pointer, text);
    }
}

void lw_table_cell_append_labels(lw_buf *text, lw_str json, const char *pointer)
{
    lw_value_pair *pairs = NULL;
    size_t count = 0;
    lw_status st = lw_value_sorted(json, pointer, &pairs, &count);
    if (st < 0 && text->st == LW_OK)
        text->st = st;
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            lw_buf_append_char(text, ',');
        lw_json_append_unescaped(text, pairs[i].raw_key);
        lw_buf_append_char(text, '=');
        (void)lw_value_append(pairs[i].value, "", text);
    }
    lw_free(pairs);
}

void lw_table_cell_append_selector(lw_buf *text, lw_str json, const char *pointer)
{
    lw_label_selector *selector = NULL;
    lw_str value = lw_value_at(json, pointer);
    if (value.len == 0)
        return;
    lw_status st = lw_label_selector_from_json(&selector, value, NULL);
    if (st == LW_OK)
        lw_buf_append_str(text, lw_label_selector_text(selector));
    else if (st != LW_ERR_NOMEM)
        lw_buf_append_text(text, "<error>");
    else if (text->st == LW_OK)
        text->st = st;
    lw_label_selector_free(selector);
}

void lw_table_cell_to_lower(lw_buf *text)
{
    for (size_t i = 0; i < text->len; i++) {
        if (text->data[i] >= 'A' && text->data[i] <= 'Z')
            text->data[i] = (char)(text->data[i] + ('a' - 'A'));
    }
}

static int compare_texts(const void *a, const void *b)
{
    return lw_str_compare(*(const lw_str *)a, *(const lw_str *)b);
}

/* Collects the address or host name of each ingress, with its quotes; returns the number. */
static size_t collect_addresses(lw_str status, lw_str *addresses, size_t room)
{
    lw_str ingress;
    size_t count = 0;
    lw_value_walk walk = lw_value_elements(status, "/loadBalancer/ingress");
    while (count < room && lw_value_next_element(&walk, &ingress)) {
        lw_str ip = lw_value_at(ingress, "/ip");
        lw_str text = ip.len > 2 ? ip : lw_value_at(ingress, "/hostname");
        if (text.len > 2 && text.ptr[0] == '"')
            addresses[count++] = text;
    }
    return count;
}

void lw_table_cell_append_balancer(lw_buf *text, lw_str status)
{
    size_t start = text->len;
    size_t room = lw_value_count(status, "/loadBalancer/ingress");
    if (room == 0)
        return;
    if (room > ADDRESSES_MAX)
        room = ADDRESSES_MAX;
    lw_str *addresses = lw_alloc_zero(room, sizeof(*addresses));
    if (!addresses) {
        if (text->st == LW_OK)
            text->st = LW_ERR_NOMEM;
        return;
    }
    size_t count = collect_addresses(status, addresses, room);
    qsort(addresses, count, sizeof(*addresses), compare_texts);
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && lw_str_equal(addresses[i], addresses[i - 1]))
            continue;
        lw_table_cell_separate(text, start, ",");
        (void)lw_value_append(addresses[i], "", text);
    }
    lw_free(addresses);
}

void lw_row_init(lw_row *row, const lw_object *obj, int64_t now_ns)
{
    *row = (lw_row){
        .obj = obj,
        .now_ns = now_ns,
        .json = lw_str_trim(lw_object_json(obj)),
    };
    const lw_value_pick parts[] = {
        { LW_STR("metadata"), &row->metadata },
        { LW_STR("spec"), &row->spec },
        { LW_STR("status"), &row->status },
    };
    lw_value_pick_members(row->json, parts, sizeof(parts) / sizeof(parts[0]));
}

lw_str lw_row_at(const lw_row *row, const char *pointer)
{
    static const char spec[] = "/spec/", status[] = "/status/", metadata[] = "/metadata/";
    if (strncmp(pointer, spec, sizeof(spec) - 1) == 0)
        return lw_value_at(row->spec, pointer + sizeof(spec) - 2);
    if (strncmp(pointer, status, sizeof(status) - 1) == 0)
        return lw_value_at(row->status, pointer + sizeof(status) - 2);
    if (strncmp(pointer, metadata, sizeof(metadata) - 1) == 0)
        return lw_value_at(row->metadata, pointer + sizeof(metadata) - 2);
    return lw_value_at(row->json, pointer);
}
