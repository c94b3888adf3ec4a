/* SPDX-License-Identifier: Apache-2.0 */
/* events.c -- prints the events about an object, the oldest first. */
#include "events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "age.h"
#include "grid.h"

enum {
    SELECTOR_SIZE = 2048,
    COLUMNS = 5,
    GAP = 2,
    AGE_TEXT_SIZE = 128,
};

/* The texts of one event. */
typedef struct event_row {
    const lw_object *event;
    const char *cells[COLUMNS];
    char age[AGE_TEXT_SIZE];
} event_row;

static const char *time_of(const lw_object *event)
{
    const char *last = lw_object_string(event, "/lastTimestamp", "");
    return last[0] ? last
                   : lw_object_string(event, "/eventTime",
                                      lw_object_string(event, "/metadata/creationTimestamp", ""));
}

static int compare(const void *a, const void *b)
{
    return strcmp(time_of(((const event_row *)a)->event), time_of(((const event_row *)b)->event));
}

/* "5s", or "5s (x3 over 2m)" for an event that was seen several times. */
static void write_age(event_row *row)
{
    char last[AGE_SIZE], first[AGE_SIZE];
    int64_t count = lw_object_int(row->event, "/count", 1);
    age_since(last, time_of(row->event));
    age_since(first, lw_object_string(row->event, "/firstTimestamp", ""));
    if (count > 1)
        (void)snprintf(row->age, sizeof(row->age), "%s (x%lld over %s)", last, (long long)count,
                       first);
    else
        (void)snprintf(row->age, sizeof(row->age), "%s", last);
}

static void fill_row(event_row *row, const lw_object *event)
{
    const char *source = lw_object_string(event, "/source/component", "");
    row->event = event;
    write_age(row);
    row->cells[0] = lw_object_string(event, "/type", "");
    row->cells[1] = lw_object_string(event, "/reason", "");
    row->cells[2] = row->age;
    row->cells[3] = source[0] ? source : lw_object_string(event, "/reportingComponent", "");
    row->cells[4] = lw_object_string(event, "/message", "");
}

static void print_row(const char *const *cells, const size_t *widths)
{
    fputs("  ", stdout);
    for (size_t i = 0; i < COLUMNS; i++) {
        print_plain(cells[i]);
        for (size_t k = strlen(cells[i]); i + 1 < COLUMNS && k < widths[i] + GAP; k++)
            putchar(' ');
    }
    putchar('\n');
}

static void print_rows(const event_row *rows, size_t count)
{
    static const char *const titles[COLUMNS] = { "Type", "Reason", "Age", "From", "Message" };
    static const char *const rulers[COLUMNS] = { "----", "------", "----", "----", "-------" };
    size_t widths[COLUMNS];
    for (size_t i = 0; i < COLUMNS; i++) {
        widths[i] = strlen(rulers[i]);
        for (size_t k = 0; k < count; k++) {
            size_t len = strlen(rows[k].cells[i]);
            widths[i] = len > widths[i] ? len : widths[i];
        }
    }
    print_row(titles, widths);
    print_row(rulers, widths);
    for (size_t i = 0; i < count; i++)
        print_row(rows[i].cells, widths);
}

static lw_status list_events(connection *conn, const lw_object *about, lw_object_list **out,
                             lw_error *err)
{
    char selector[SELECTOR_SIZE];
    const char *ns = lw_object_namespace(about);
    (void)snprintf(selector, sizeof(selector), "involvedObject.name=%s,involvedObject.uid=%s",
                   lw_object_name(about), lw_object_uid(about));
    lw_list_options options = { .size = sizeof(lw_list_options),
                                .ns = ns[0] ? ns : NULL,
                                .field_selector = selector };
    return lw_client_list_all(conn->client, lw_gvr_make("", "v1", "events"), &options, out, err);
}

static lw_status print_events(const lw_object_list *found)
{
    size_t count = lw_object_list_count(found);
    event_row *rows = calloc(count + 1, sizeof(*rows));
    if (!rows)
        return LW_ERR_NOMEM;
    for (size_t i = 0; i < count; i++)
        fill_row(&rows[i], lw_object_list_at(found, i));
    qsort(rows, count, sizeof(*rows), compare);
    for (size_t i = 0; i < count; i++) /* the age is in the row itself, which has moved */
        rows[i].cells[2] = rows[i].age;
    print_rows(rows, count);
    free(rows);
    return LW_OK;
}

lw_status events_print(connection *conn, const lw_object *about, outline *o)
{
    lw_object_list *found = NULL;
    lw_error err = LW_ERROR_INIT;
    lw_status st = list_events(conn, about, &found, &err);
    bool has_events = lw_object_list_count(found) > 0;
    outline_add(o, 0, "Events:", st < 0 ? err.message : has_events ? NULL : "<none>");
    st = outline_print(o);
    if (st == LW_OK && has_events)
        st = print_events(found);
    lw_object_list_free(found);
    return st;
}
