/* SPDX-License-Identifier: Apache-2.0 */
/* script_source.h -- a source of objects that a test plays: it sees each request as a line of text
 * and sends what the test tells it to.
 *
 *     assert_string_equal(script_request(&source), "LIST limit=500 rv=0");
 *     script_item(&source, "a/x", 7);
 *     script_list_end(&source, "10", "");
 *
 * It keeps a source's promises and notes when its user breaks one (|faults|): a second call while
 * one is under way, a call or cancel from within a callback.  One thread. */
#ifndef LW_TESTS_SUPPORT_SCRIPT_SOURCE_H
#define LW_TESTS_SUPPORT_SCRIPT_SOURCE_H

#include <listwatch/sys/source.h>

typedef struct script_source {
    lw_source base;
    lw_source_sink sink; /* of the call under way */
    bool is_under_way;
    lw_source_request request; /* the last one, its numbers and flags only */
    char text[256];            /* the last one as a line */
    unsigned calls;
    unsigned lists, watches; /* calls so far: the first page of each list; streams are watches */
    unsigned cancels;
    unsigned faults;
    bool is_calling_back;
    lw_error refusal; /* where its code is not LW_OK, the next call fails with it at once */
} script_source;

void script_init(script_source *s);

/* The request under way: "LIST limit=500 rv=0", "LIST limit=500 continue=c1", "STREAM rv=",
 * "WATCH rv=10"; "" when there is none. */
const char *script_request(const script_source *s);

/* An object with that key ("ns/name" or "name"), resourceVersion and a uid made of its key and
 * |generation|; NULL: no memory. */
lw_object *script_object(const char *key, uint64_t rv, unsigned generation);

/* Replies.  Those that end the call say so. */
void script_item(script_source *s, const char *key, uint64_t rv);
void script_item_object(script_source *s, const lw_object *obj);
void script_list_end(script_source *s, const char *rv, const char *token); /* ends it */
void script_open(script_source *s);
void script_event(script_source *s, lw_watch_event_type type, const char *key, uint64_t rv);
void script_event_object(script_source *s, lw_watch_event_type type, const lw_object *obj);
void script_bookmark(script_source *s, uint64_t rv);
void script_initial_events_end(script_source *s, uint64_t rv);

/* Errors.  |http_status| 0: the connection.  An ERROR event, and the end of the call. */
lw_error script_error(lw_status code, int http_status, int retry_after_s);
void script_send_error(script_source *s, const lw_error *err);
void script_fail(script_source *s, const lw_error *err); /* ends it */
void script_close(script_source *s);                     /* ends a watch cleanly */

#endif
