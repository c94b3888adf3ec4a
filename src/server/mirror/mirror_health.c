/* SPDX-License-Identifier: Apache-2.0 */
/* mirror_health.c -- which addresses of the upstream answer.
 *
 * A connection that breaks shows at once that an address is gone.  What shows nothing, a machine
 * that was switched off or an address that works again, is found by asking each one for /readyz.
 * Followers leave an address that does not answer and go on with their watches, from the revision
 * that they have, at the current one. */
#include <stdio.h>

#include "base/clock.h"
#include "base/container_of.h"
#include "base/log.h"
#include "server/mirror/mirror_internal.h"

enum {
    INTERVAL_S = 5,
    ANSWER_S = 3,
    FAILED_FROM = 500, /* a status; 401 and 403 come from a server that works */
};

static void probe_head(lw_http_call *call, int status, const lw_http_header *headers, size_t count,
                       void *arg)
{
    lw_mirror_probe *probe = arg;
    (void)call;
    (void)headers;
    (void)count;
    probe->status = status;
}

static void move_followers(lw_mirror *mirror)
{
    for (size_t i = 0; i < LW_MIRROR_RESOURCES_MAX; i++) {
        if (mirror->followers[i])
            lw_follower_move(mirror->followers[i]);
    }
}

static void probe_over(lw_http_call *call, const lw_error *err, void *arg)
{
    lw_mirror_probe *probe = arg;
    lw_mirror *mirror = probe->mirror;
    bool was_up = atomic_load(&probe->at->is_up), is_up = !err && probe->status < FAILED_FROM;
    (void)call;
    probe->call = NULL;
    if (is_up)
        lw_upstream_answered(probe->at);
    else
        (void)lw_upstream_failed(probe->at);
    if (is_up != was_up)
        lw_log(mirror->logger, is_up ? LW_LOG_INFO : LW_LOG_WARN, "mirror", "%s %s",
               probe->at->address.url, is_up ? "answers again" : "does not answer");
    if (!is_up)
        move_followers(mirror);
}

static void start_probe(lw_mirror_probe *probe)
{
    const lw_http_call_sink sink = { probe_head, NULL, NULL, probe_over, probe };
    lw_mirror *mirror = probe->mirror;
    int64_t deadline = lw_clock_now(lw_loop_clock(mirror->loop)) + ANSWER_S * LW_NS_PER_S;
    if (probe->call)
        return;
    probe->status = 0;
    /* Without memory for it, the next one finds out. */
    (void)!lw_mirror_source_get(&mirror->upstream, probe->at, mirror->prober, LW_STR("/readyz"),
                                LW_STR("*/*"), deadline, &sink, &probe->call, NULL);
}

static void probe_fired(lw_timer *timer)
{
    lw_mirror *mirror = LW_CONTAINER_OF(timer, lw_mirror, probe_timer);
    size_t count;
    lw_upstream *all = lw_upstreams_all(mirror->upstream.addresses, &count);
    for (size_t i = 0; i < count; i++) {
        mirror->probes[i].mirror = mirror;
        mirror->probes[i].at = &all[i];
        start_probe(&mirror->probes[i]);
    }
    int64_t next = lw_clock_now(lw_loop_clock(mirror->loop)) + INTERVAL_S * LW_NS_PER_S;
    if (lw_timer_set(mirror->loop, timer, next) < 0)
        lw_log(mirror->logger, LW_LOG_WARN, "mirror",
               "out of memory: addresses of the upstream are not probed any more");
}

void lw_mirror__probe_start(lw_mirror *mirror)
{
    size_t count;
    lw_error err = LW_ERROR_INIT;
    (void)lw_upstreams_all(mirror->upstream.addresses, &count);
    mirror->probe_timer.fire = probe_fired;
    if (count < 2)
        return;
    if (lw_http_client_new(&mirror->prober, mirror->loop, &err) < 0)
        lw_log(mirror->logger, LW_LOG_WARN, "mirror",
               "addresses of the upstream are not probed: %s", err.message);
    else
        probe_fired(&mirror->probe_timer);
}

void lw_mirror_describe_addresses(lw_mirror *mirror, char *out, size_t size)
{
    size_t count, down = 0;
    lw_upstream *all = lw_upstreams_all(mirror->upstream.addresses, &count);
    for (size_t i = 0; i < count; i++)
        down += !atomic_load(&all[i].is_up);
    out[0] = '\0';
    if (count > 1)
        (void)snprintf(out, size, " (address %zu of %zu; %zu do not answer)",
                       (size_t)(lw_upstreams_current(mirror->upstream.addresses) - all) + 1, count,
                       down);
}
