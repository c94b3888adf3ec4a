/* SPDX-License-Identifier: Apache-2.0 */
/* fake_provider.h -- an API server in memory, behind the interface that informers read from:
 * objects with revisions, a history that can be compacted, and faults on demand.
 *
 * Types of objects are known of "pods", and of "webs" and "regions" (which have no namespace) of
 * example.com.  The test owns it and frees it after the factory that uses it.  Any thread may write
 * objects and order faults; what follows is delivered by the next dispatch.  Lists may be paged,
 * watches begin anywhere in the history, streams (sendInitialEvents) end in their bookmark. */
#ifndef LW_TESTS_SUPPORT_FAKE_PROVIDER_H
#define LW_TESTS_SUPPORT_FAKE_PROVIDER_H

#include <listwatch/sys/source.h>

typedef struct fake_provider fake_provider;

/* NULL: no memory or descriptor. */
fake_provider *fake_provider_new(void);
void fake_provider_free(fake_provider *fake);

/* What a factory takes.  Its free only notes that it was freed. */
lw_provider *fake_provider_as_provider(fake_provider *fake);

/* Writes.  |key| is "ns/name" or "name"; |members| (may be NULL) is JSON of further members, such
 * as "\"spec\":{\"a\":1}"; labels are {"app":|app|} where that is not NULL.  The revision of the
 * write; 0: no memory, or nothing to delete. */
uint64_t fake_provider_put(fake_provider *fake, const char *resource, const char *key,
                           const char *app, const char *members);
uint64_t fake_provider_delete(fake_provider *fake, const char *resource, const char *key);

/* Deletes and creates: another uid under the same name. */
uint64_t fake_provider_recreate(fake_provider *fake, const char *resource, const char *key);

/* Writes whose events no watch that is open now is sent: only a list shows them. */
void fake_provider_set_lossy(fake_provider *fake, bool is_lossy);

/* Forgets the history: watches from an older revision, and later pages, get 410. */
void fake_provider_compact(fake_provider *fake);

/* Every watch is sent a bookmark at the current revision. */
void fake_provider_bookmark(fake_provider *fake);

/* Ends every watch that is open: cleanly (NULL), or with |err|. */
void fake_provider_end_watches(fake_provider *fake, const lw_error *err);

/* The next |count| lists, or watches, fail with |err|. */
void fake_provider_fail_lists(fake_provider *fake, unsigned count, const lw_error *err);
void fake_provider_fail_watches(fake_provider *fake, unsigned count, const lw_error *err);

/* While held nothing at all is delivered. */
void fake_provider_hold(fake_provider *fake, bool is_held);

/* Whether sendInitialEvents is understood (at first it is); if not, it is refused with 422. */
void fake_provider_set_streams(fake_provider *fake, bool has_streams);

/* What was asked so far, and what is open now. */
typedef struct fake_provider_counts {
    unsigned lists; /* pages count each */
    unsigned watches;
    unsigned streams;
    unsigned cancels;
    unsigned dispatches;
    unsigned open_calls;
    unsigned open_sources;
    bool is_freed; /* by its factory */
    uint64_t revision;
} fake_provider_counts;

fake_provider_counts fake_provider_look(fake_provider *fake);

/* An error as a server would send it. */
lw_error fake_error(lw_status code, int http_status, const char *message);

#endif
