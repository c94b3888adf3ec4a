/* SPDX-License-Identifier: Apache-2.0 */
/* fake_etcd.h -- an in-memory etcd behind the interface of its client (src/etcd/etcd.h): keys with
 * their history, and injected faults.
 *
 * It is linked instead of the client.  There is one global state, and one client at a time.
 * Replies come from turns of the client's loop.  Only calls and watches use the library's
 * allocator.  Threads: one. */
#ifndef LW_TESTS_SUPPORT_FAKE_ETCD_H
#define LW_TESTS_SUPPORT_FAKE_ETCD_H

#include "etcd/etcd.h"

/* Resets to an empty etcd at revision 1 without faults.  There must be no client. */
void fake_etcd_reset(void);

/* Write, and return the revision. */
uint64_t fake_etcd_put(lw_str key, lw_str value);
uint64_t fake_etcd_put_text(const char *key, const char *value);
uint64_t fake_etcd_delete(const char *key);
/* Writes two keys in one revision. */
uint64_t fake_etcd_put_two(const char *key, const char *other, const char *value);

uint64_t fake_etcd_revision(void);

/* Resets to an empty revision 1, like a restored cluster. */
void fake_etcd_restore(void);

/* Compacts the history before |revision|, including the previous values of events. */
void fake_etcd_compact(uint64_t revision);

/* Interrupts the watches with LW_ERR_UNAVAILABLE; they resume when |is_cut| is false. */
void fake_etcd_set_cut(bool is_cut);

/* Sends a progress notification to every watch. */
void fake_etcd_progress(void);

/* The next ranges fail with |st|; 0: they succeed. */
void fake_etcd_fail_ranges(lw_status st);

/* Replies with more bytes of values fail with LW_ERR_LIMIT. */
void fake_etcd_set_reply_max(size_t bytes);

/* The number of requests so far. */
size_t fake_etcd_range_count(void);
size_t fake_etcd_watch_count(void);

/* The number of open calls and watches. */
size_t fake_etcd_open_count(void);

#endif
