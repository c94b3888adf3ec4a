/* SPDX-License-Identifier: Apache-2.0 */
/* script_source.h -- a source of objects that a test controls: the test sees each request as a line
 * of text and sends the replies.
 *
 *     assert_string_equal(script_request(&source), "LIST limit=500 rv=0");
 *     script_item(&source, "a/x", 7);
 *     script_list_end(&source, "10", "");
 *
 * It keeps the contract of a source and counts violations by its user (|faults|): a second call
 * while one is open, a call or cancel from within a callback.  Threads: one. */
#ifndef LW_TESTS_SUPPORT_SCRIPT_SOURCE_H
#define LW_TESTS_SUPPORT_SCRIPT_SOURCE_H

#include <listwatch/sys/source.h>

typedef struct script_source {
    lw_source base;
    lw_source_sink sink; /* of the open call */
    bool is_under_way;
    lw_source_request request; /* the last request, only its numbers and flags */
    char text[256];            /* the last request as a line */
    unsigned calls;
    unsigned lists,
        watches; /* calls so far: the first page of each list; streams count as watches */
    unsigned cancels;
    unsigned faults;
    bool is_calling_back;
    lw_error refusal; /* unless its code is LW_OK, the next call fails with it at once */
} script_source;

void script_init(script_source *s);

/* Returns the open request: "LIST limit=500 rv=0", "LIST limit=500 continue=c1", "STREAM rv=",
 * "WATCH rv=10"; "" if there is none. */
const char *script_request(const script_source *s);

/* Makes an object with this key ("ns/name" or "name"), resourceVersion, and a uid made of its key
 * and |generation|; NULL: out of memory. */
lw_object *script_object(const char *key, uint64_t rv, unsigned generation);

/* Replies.  A comment marks those that end the call. */
void script_item(script_source *s, const char *key, uint64_t rv);
void script_item_object(script_source *s, const lw_object *obj);
void script_list_end(script_source *s, const char *rv, const char *token); /* ends the call */
void script_open(script_source *s);
void script_event(script_source *s, lw_watch_event_type type, const char *key, uint64_t rv);
void script_event_object(script_source *s, lw_watch_event_type type, const lw_object *obj);
void script_bookmark(script_source *s, uint64_t rv);
void script_initial_events_end(script_source *s, uint64_t rv);

/* Errors.  |http_status| 0: a connection error.  Then an ERROR event, and the end of the call. */
lw_error script_error(lw_status code, int http_status, int retry_after_s);
void script_send_error(script_source *s, const lw_error *err);
void script_fail(script_source *s, const lw_error *err); /* ends the call */
void script_close(script_source *s);                     /* ends a watch cleanly */

#endif
