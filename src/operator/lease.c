/* SPDX-License-Identifier: Apache-2.0 */
/* lease.c -- who may hold a Lease, and what its holder writes. */
#include "operator/lease.h"

#include <stdio.h>
#include <string.h>

enum {
    DURATION_MS = 15000,
    DURATION_MAX_S = INT32_MAX, /* the type of leaseDurationSeconds */
};

lw_status lw_lease_times_of(lw_lease_times *out, const lw_election_options *options, lw_error *err)
{
    int64_t duration_ms = options->lease_duration_ms ? options->lease_duration_ms : DURATION_MS;
    int64_t renew_ms =
        options->renew_deadline_ms ? options->renew_deadline_ms : duration_ms / 15 * 10;
    int64_t retry_ms = options->retry_period_ms ? options->retry_period_ms : duration_ms / 15 * 2;
    if (duration_ms < 1000 || renew_ms <= 0 || retry_ms <= 0)
        return lw_error_set(err, LW_ERR_INVALID,
                            "the lease duration must be at least one second, and the times of an "
                            "election must be positive");
    if (duration_ms <= renew_ms)
        return lw_error_set(err, LW_ERR_INVALID,
                            "the lease duration must be longer than the renew deadline");
    if (renew_ms * 10 <= retry_ms * 12)
        return lw_error_set(err, LW_ERR_INVALID,
                            "the renew deadline must be longer than 1.2 retry periods");
    *out = (lw_lease_times){ (duration_ms + 999) / 1000 * LW_NS_PER_S, renew_ms * LW_NS_PER_MS,
                             retry_ms * LW_NS_PER_MS };
    return LW_OK;
}

static int64_t duration_of(const lw_object *lease)
{
    int64_t seconds = lw_object_int(lease, "/spec/leaseDurationSeconds", 0);
    if (seconds < 0)
        seconds = 0;
    return (seconds < DURATION_MAX_S ? seconds : DURATION_MAX_S) * LW_NS_PER_S;
}

/* Copies a field; returns true if it was different. */
static bool note(char *dst, size_t size, const lw_object *lease, const char *pointer)
{
    const char *text = lw_object_string(lease, pointer, "");
    if (strncmp(dst, text, size - 1) == 0)
        return false;
    (void)snprintf(dst, size, "%s", text);
    return true;
}

void lw_lease_look(lw_lease_view *view, const lw_object *lease, int64_t now_ns)
{
    bool is_new = view->seen_ns == 0;
    is_new |= note(view->holder, sizeof(view->holder), lease, "/spec/holderIdentity");
    is_new |= note(view->renewed, sizeof(view->renewed), lease, "/spec/renewTime");
    is_new |= note(view->acquired, sizeof(view->acquired), lease, "/spec/acquireTime");
    view->duration_ns = duration_of(lease);
    if (is_new)
        view->seen_ns = now_ns;
}

bool lw_lease_may_take(const lw_lease_view *view, const char *identity, int64_t now_ns)
{
    return view->holder[0] == '\0' || strcmp(view->holder, identity) == 0 ||
           now_ns - view->seen_ns >= view->duration_ns;
}

void lw_lease_take(lw_document *doc, const char *identity, const lw_lease_times *times,
                   int64_t wall_ns)
{
    char now[LW_TIME_TEXT_SIZE];
    const char *before = lw_document_string(doc, NULL, "/spec/holderIdentity", NULL);
    int64_t transitions = lw_document_int(doc, NULL, "/spec/leaseTransitions", 0);
    bool is_change = !before || strcmp(before, identity) != 0;
    if (before && is_change && transitions < INT32_MAX)
        transitions++;
    lw_time_format_micro_ns(now, wall_ns);
    lw_document_set_string(doc, NULL, "/apiVersion", "coordination.k8s.io/v1");
    lw_document_set_string(doc, NULL, "/kind", "Lease");
    lw_document_set_string(doc, NULL, "/spec/holderIdentity", identity);
    lw_document_set_int(doc, NULL, "/spec/leaseDurationSeconds", times->duration_ns / LW_NS_PER_S);
    lw_document_set_string(doc, NULL, "/spec/renewTime", now);
    if (is_change)
        lw_document_set_string(doc, NULL, "/spec/acquireTime", now);
    lw_document_set_int(doc, NULL, "/spec/leaseTransitions", transitions);
}

void lw_lease_release(lw_document *doc, int64_t wall_ns)
{
    char now[LW_TIME_TEXT_SIZE];
    lw_time_format_micro_ns(now, wall_ns);
    lw_document_set_string(doc, NULL, "/spec/holderIdentity", "");
    lw_document_set_int(doc, NULL, "/spec/leaseDurationSeconds", 1);
    lw_document_set_string(doc, NULL, "/spec/renewTime", now);
    lw_document_set_string(doc, NULL, "/spec/acquireTime", now);
}
