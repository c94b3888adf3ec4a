/* SPDX-License-Identifier: Apache-2.0 */
/* fake_etcd.h -- etcd in memory, behind the interface of its client (src/etcd/etcd.h): keys with
 * their history, and faults on demand.
 *
 * It stands in for the client: a program that has it has no other.  There is one world, which
 * clients come and go in, one at a time.  Answers come from turns of the client's loop.  Only calls
 * and watches take memory of the library.  One thread. */
#ifndef LW_TESTS_SUPPORT_FAKE_ETCD_H
#define LW_TESTS_SUPPORT_FAKE_ETCD_H

#include "etcd/etcd.h"

/* An empty world at revision 1, without faults.  No client may be there. */
void fake_etcd_reset(void);

/* Writes; the revision of it. */
uint64_t fake_etcd_put(lw_str key, lw_str value);
uint64_t fake_etcd_put_text(const char *key, const char *value);
uint64_t fake_etcd_delete(const char *key);
/* Two puts in one revision. */
uint64_t fake_etcd_put_two(const char *key, const char *other, const char *value);

uint64_t fake_etcd_revision(void);

/* Goes back to revision 1 with nothing in it, as a cluster that was restored. */
void fake_etcd_restore(void);

/* Forgets what was before |revision|: states, and the state before each event. */
void fake_etcd_compact(uint64_t revision);

/* Watches are cut, with LW_ERR_UNAVAILABLE, and go on when it is over. */
void fake_etcd_set_cut(bool is_cut);

/* Every watch is told how far it is. */
void fake_etcd_progress(void);

/* The next ranges fail with |st|; 0: they do not. */
void fake_etcd_fail_ranges(lw_status st);

/* Replies with more bytes of values are LW_ERR_LIMIT. */
void fake_etcd_set_reply_max(size_t bytes);

/* What clients have asked so far. */
size_t fake_etcd_range_count(void);
size_t fake_etcd_watch_count(void);

/* Calls and watches that are under way now. */
size_t fake_etcd_open_count(void);

#endif
