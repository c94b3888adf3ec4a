/* SPDX-License-Identifier: Apache-2.0 */
/* store_fixture.h -- a store with a clock moved by hand, and words for what tests do to it. */
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
/* Throws the store away and starts with an empty one whose history is bounded like this. */
void store_fixture_restart(store_fixture *f, lw_history_options history);

/* A transaction that was answered. */
typedef struct answer {
    lw_status st;
    uint64_t revision;
} answer;

answer try_put(store_fixture *f, const char *key, const char *value, uint64_t expected);
answer try_delete(store_fixture *f, const char *key, uint64_t expected);

/* The same when the key is as it is, and it must work; the revision. */
uint64_t put(store_fixture *f, const char *key, const char *value);
uint64_t del(store_fixture *f, const char *key);
/* Makes "/n/00000" to "/n/<count - 1>", five digits each, all at once: in what order is the
 * store's business. */
void put_many(store_fixture *f, int count);

uint64_t current_revision(store_fixture *f);
uint64_t compacted_revision(store_fixture *f);

/* "key=value@create/mod" of every record, in order, with ' ' between; ends in "..." when there are
 * more, "...+n" when they were counted.  |result| may be NULL.  To lw_free. */
char *range_text(store_fixture *f, const lw_store_range *range, lw_store_range_result *result);
/* The same for everything at |revision|, compared with |expected|. */
void assert_state(store_fixture *f, uint64_t revision, const char *expected);
/* What reading at |revision| answers. */
lw_status read_status(store_fixture *f, uint64_t revision);

/* Writes down what a watch is told: "r key=value" or "r key!" for each change, a line each. */
typedef struct recorder {
    lw_store_watch *watch;
    lw_mutex mu; /* guards what follows */
    lw_cond moved;
    lw_buf text;
    uint64_t revision; /* told up to here */
    uint64_t last;     /* revision of the last event */
    uint64_t compacted;
    size_t events;
    bool is_disordered; /* something was told twice, or backwards, or beyond the revision */
    bool is_over;
    lw_status why;
} recorder;

/* Watches; must work. */
void recorder_open(recorder *r, store_fixture *f, const char *prefix, uint64_t after);
/* Only counts and checks the order; the text stays empty. */
void recorder_open_quiet(recorder *r, store_fixture *f, const char *prefix, uint64_t after);
void recorder_close(recorder *r, store_fixture *f);
/* Waits until it was told up to |revision|, or is over. */
void recorder_wait(recorder *r, uint64_t revision);
void recorder_wait_compacted(recorder *r, uint64_t revision);
void recorder_wait_over(recorder *r);
/* Compares what was told so far, when it has been told up to |revision|. */
void assert_told(recorder *r, uint64_t revision, const char *expected);

#endif
