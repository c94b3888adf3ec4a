/* SPDX-License-Identifier: Apache-2.0 */
/* fake_provider.h -- an in-memory API server behind the provider interface of informers: objects
 * with revisions, a history that can be compacted, and injected faults.
 *
 * The known resources are "pods", and "webs" and "regions" (cluster-scoped) of example.com.  The
 * test owns the provider and frees it after the factory that uses it.  Any thread may write objects
 * and inject faults; the next dispatch delivers the consequences.  Lists may be paged, watches may
 * start anywhere in the history, and streams (sendInitialEvents) end with their bookmark. */
#ifndef LW_TESTS_SUPPORT_FAKE_PROVIDER_H
#define LW_TESTS_SUPPORT_FAKE_PROVIDER_H

#include <listwatch/sys/source.h>

typedef struct fake_provider fake_provider;

/* NULL: out of memory or descriptors. */
fake_provider *fake_provider_new(void);
void fake_provider_free(fake_provider *fake);

/* Returns the interface for a factory.  Its free function only records the call. */
lw_provider *fake_provider_as_provider(fake_provider *fake);

/* Write an object.  |key| is "ns/name" or "name"; |members| (may be NULL) is JSON of further
 * members, such as "\"spec\":{\"a\":1}"; the labels are {"app":|app|} unless that is NULL.  Return
 * the revision; 0: out of memory, or nothing to delete. */
uint64_t fake_provider_put(fake_provider *fake, const char *resource, const char *key,
                           const char *app, const char *members);
uint64_t fake_provider_delete(fake_provider *fake, const char *resource, const char *key);

/* Deletes and creates: the same name with another uid. */
uint64_t fake_provider_recreate(fake_provider *fake, const char *resource, const char *key);

/* While set, open watches do not receive events of writes: only a list shows them. */
void fake_provider_set_lossy(fake_provider *fake, bool is_lossy);

/* Compacts the history: watches from an older revision and further pages get 410. */
void fake_provider_compact(fake_provider *fake);

/* Sends a bookmark at the current revision to every watch. */
void fake_provider_bookmark(fake_provider *fake);

/* Ends every open watch: cleanly (NULL), or with |err|. */
void fake_provider_end_watches(fake_provider *fake, const lw_error *err);

/* The next |count| lists or watches fail with |err|. */
void fake_provider_fail_lists(fake_provider *fake, unsigned count, const lw_error *err);
void fake_provider_fail_watches(fake_provider *fake, unsigned count, const lw_error *err);

/* While held, nothing is delivered. */
void fake_provider_hold(fake_provider *fake, bool is_held);

/* Sets whether sendInitialEvents is supported (default: yes); if not, it gets 422. */
void fake_provider_set_streams(fake_provider *fake, bool has_streams);

/* Sets what distinguishes the cluster from others (default: "", not known); a literal. */
void fake_provider_set_cluster(fake_provider *fake, const char *cluster);

/* The number of requests so far, and of open ones. */
typedef struct fake_provider_counts {
    unsigned lists; /* each page counts */
    unsigned watches;
    unsigned streams;
    unsigned cancels;
    unsigned dispatches;
    unsigned open_calls;
    unsigned open_sources;
    bool is_freed; /* the factory called free */
    uint64_t revision;
} fake_provider_counts;

fake_provider_counts fake_provider_look(fake_provider *fake);

/* Makes an error as a server would send it. */
lw_error fake_error(lw_status code, int http_status, const char *message);

#endif
