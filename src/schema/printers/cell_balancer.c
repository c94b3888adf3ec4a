/* SPDX-License-Identifier: Apache-2.0 */
/* cell_balancer.c -- where a load balancer listens, for services and ingresses. */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/str.h"
#include "schema/printers/cell.h"
#include "schema/printers/value.h"
#include "json/text.h"

enum {
    PLACES_MAX = 256, /* addresses that are shown */
};

static int compare_texts(const void *a, const void *b)
{
    return lw_str_compare(*(const lw_str *)a, *(const lw_str *)b);
}

/* Collects the address or the host name of each place, still in quotes; returns how many. */
static size_t collect(lw_str status, lw_str *places, size_t room)
{
    lw_str place;
    size_t count = 0;
    lw_value_walk walk = lw_value_elements(status, "/loadBalancer/ingress");
    while (count < room && lw_value_next_element(&walk, &place)) {
        lw_str ip = lw_value_at(place, "/ip");
        lw_str text = ip.len > 2 ? ip : lw_value_at(place, "/hostname");
        if (text.len > 2 && text.ptr[0] == '"')
            places[count++] = text;
    }
    return count;
}

void lw_table_cell_append_balancer(lw_buf *text, lw_str status)
{
    size_t start = text->len;
    size_t room = lw_value_count(status, "/loadBalancer/ingress");
    if (room == 0)
        return;
    if (room > PLACES_MAX)
        room = PLACES_MAX;
    lw_str *places = lw_alloc_zero(room, sizeof(*places));
    if (!places) {
        if (text->st == LW_OK)
            text->st = LW_ERR_NOMEM;
        return;
    }
    size_t count = collect(status, places, room);
    qsort(places, count, sizeof(*places), compare_texts);
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && lw_str_equal(places[i], places[i - 1]))
            continue;
        lw_table_cell_separate(text, start, ",");
        (void)lw_value_append(places[i], "", text);
    }
    lw_free(places);
}
