/* SPDX-License-Identifier: Apache-2.0 */
/* store_fixture.h -- a store with a manual clock, and helpers for tests. */
#ifndef LW_TESTS_SUITE_STORE_FIXTURE_H
#define LW_TESTS_SUITE_STORE_FIXTURE_H

#include "base/buf.h"
#include "base/str.h"
#include "base/sync.h"
#include "suite/store_suite.h"
#include "unit/test.h"

typedef struct store_fixture {
    const store_backend *backend;
    void *place;
    lw_manual_clock *clock;
    lw_history_options history;
    lw_store *store;
} store_fixture;

/* Setup and teardown of a test whose initial state is the backend. */
int store_fixture_setup(void **state);
int store_fixture_teardown(void **state);

void store_fixture_close(store_fixture *f);
void store_fixture_open(store_fixture *f);
void store_fixture_reopen(store_fixture *f);
/* Replaces the store by an empty one with these history limits. */
void store_fixture_restart(store_fixture *f, lw_history_options history);

/* The result of a transaction. */
typedef struct answer {
    lw_status st;
    uint64_t revision;
} answer;

answer try_put(store_fixture *f, const char *key, const char *value, uint64_t expected);
answer try_delete(store_fixture *f, const char *key, uint64_t expected);

/* Put without a guard, and fail the test on an error; return the revision. */
uint64_t put(store_fixture *f, const char *key, const char *value);
uint64_t del(store_fixture *f, const char *key);
/* Creates "/n/00000" to "/n/<count - 1>", with five digits, concurrently and in any order. */
void put_many(store_fixture *f, int count);

uint64_t current_revision(store_fixture *f);
uint64_t compacted_revision(store_fixture *f);

/* Returns "key=value@create/mod" of every record in order, separated by ' '.  It ends with "..." if
 * there are more, or "...+n" if they were counted.  |result| may be NULL.  Free it with lw_free. */
char *range_text(store_fixture *f, const lw_store_range *range, lw_store_range_result *result);
/* Compares the state at |revision| with |expected|, in the same format. */
void assert_state(store_fixture *f, uint64_t revision, const char *expected);
/* Returns the status of a read at |revision|. */
lw_status read_status(store_fixture *f, uint64_t revision);

/* Records the events of a watch: "r key=value" or "r key!" for each change, one per line. */
typedef struct recorder {
    lw_store_watch *watch;
    lw_mutex mu; /* guards the fields below */
    lw_cond moved;
    lw_buf text;
    uint64_t revision; /* events up to here were received */
    uint64_t last;     /* revision of the last event */
    uint64_t compacted;
    size_t events;
    bool is_disordered; /* an event was duplicated, out of order, or beyond the revision */
    bool is_over;
    lw_status why;
} recorder;

/* Opens a watch, or fails the test. */
void recorder_open(recorder *r, store_fixture *f, const char *prefix, uint64_t after);
/* Only counts events and checks their order; the text stays empty. */
void recorder_open_quiet(recorder *r, store_fixture *f, const char *prefix, uint64_t after);
void recorder_close(recorder *r, store_fixture *f);
/* Waits until the events up to |revision| were received, or the watch has ended. */
void recorder_wait(recorder *r, uint64_t revision);
void recorder_wait_compacted(recorder *r, uint64_t revision);
void recorder_wait_over(recorder *r);
/* Waits for the events up to |revision| and compares the text. */
void assert_told(recorder *r, uint64_t revision, const char *expected);

#endif
