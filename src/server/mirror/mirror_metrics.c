/* SPDX-License-Identifier: Apache-2.0 */
/* mirror_metrics.c -- the metrics of a mirror. */
#include <inttypes.h>

#include "base/clock.h"
#include "base/str.h"
#include "server/mirror/mirror_internal.h"

typedef uint64_t (*value_fn)(const lw_follower_state *state);

static uint64_t lists_of(const lw_follower_state *state)
{
    return state->lists;
}

static uint64_t watches_of(const lw_follower_state *state)
{
    return state->watches;
}

static uint64_t changes_of(const lw_follower_state *state)
{
    return state->changes;
}

static uint64_t resets_of(const lw_follower_state *state)
{
    return state->resets;
}

static uint64_t revision_of(const lw_follower_state *state)
{
    return state->revision;
}

static void write_labels(const lw_kind *kind, const char *name, lw_buf *out)
{
    lw_buf_printf(out, "%s{group=\"%.*s\",version=\"%.*s\",resource=\"%.*s\"} ", name,
                  LW_STR_ARG(kind->group), LW_STR_ARG(kind->version), LW_STR_ARG(kind->plural));
}

/* The addresses of the upstream. */
static void write_addresses(lw_mirror *mirror, lw_buf *out)
{
    size_t count;
    lw_upstream *all = lw_upstreams_all(mirror->upstream.addresses, &count);
    const lw_upstream *current = lw_upstreams_current(mirror->upstream.addresses);
    lw_buf_append_text(out,
                       "# HELP listwatch_mirror_upstream_up Whether an address of the upstream "
                       "answers.\n# TYPE listwatch_mirror_upstream_up gauge\n");
    for (size_t i = 0; i < count; i++)
        lw_buf_printf(out, "listwatch_mirror_upstream_up{server=\"%s\"} %d\n", all[i].address.url,
                      atomic_load(&all[i].is_up));
    lw_buf_append_text(out,
                       "# HELP listwatch_mirror_upstream_current Whether the address is the one "
                       "in use.\n# TYPE listwatch_mirror_upstream_current gauge\n");
    for (size_t i = 0; i < count; i++)
        lw_buf_printf(out, "listwatch_mirror_upstream_current{server=\"%s\"} %d\n",
                      all[i].address.url, &all[i] == current);
    lw_buf_append_text(
        out, "# HELP listwatch_mirror_upstream_failures_total How often an address of the "
             "upstream went down.\n"
             "# TYPE listwatch_mirror_upstream_failures_total counter\n");
    for (size_t i = 0; i < count; i++)
        lw_buf_printf(out, "listwatch_mirror_upstream_failures_total{server=\"%s\"} %" PRIu64 "\n",
                      all[i].address.url, (uint64_t)atomic_load(&all[i].failures));
}

void lw_mirror_write_metrics(lw_mirror *mirror, lw_buf *out)
{
    static const struct {
        const char *name, *type, *help;
        value_fn value;
    } rows[] = {
        { "listwatch_mirror_lists_total", "counter", "Lists that were sent to the upstream.",
          lists_of },
        { "listwatch_mirror_watches_total", "counter", "Watches that were opened at the upstream.",
          watches_of },
        { "listwatch_mirror_events_total", "counter", "Changes received from the upstream.",
          changes_of },
        { "listwatch_mirror_resets_total", "counter",
          "How often the upstream was found at an earlier revision than before, or was another "
          "cluster.",
          resets_of },
        { "listwatch_mirror_revision", "gauge", "Revision of the upstream that the mirror has.",
          revision_of },
    };
    lw_follower_state state;
    int64_t now = lw_clock_now(mirror->clock);
    write_addresses(mirror, out);
    lw_buf_append_text(out, "# HELP listwatch_mirror_lag_seconds For how long the mirror has not "
                            "followed the upstream; 0: it follows.\n"
                            "# TYPE listwatch_mirror_lag_seconds gauge\n");
    lw_rwlock_read(&mirror->lock);
    for (size_t i = 0; i < LW_MIRROR_RESOURCES_MAX; i++) {
        if (!mirror->followers[i])
            continue;
        lw_follower_read_state(mirror->followers[i], now, &state);
        if (!state.is_synced)
            continue;
        write_labels(state.kind, "listwatch_mirror_lag_seconds", out);
        lw_buf_printf(out, "%" PRId64 ".%03" PRId64 "\n", state.lag_ns / LW_NS_PER_S,
                      state.lag_ns % LW_NS_PER_S / LW_NS_PER_MS);
    }
    for (size_t row = 0; row < sizeof(rows) / sizeof(rows[0]); row++) {
        lw_buf_printf(out, "# HELP %s %s\n# TYPE %s %s\n", rows[row].name, rows[row].help,
                      rows[row].name, rows[row].type);
        for (size_t i = 0; i < LW_MIRROR_RESOURCES_MAX; i++) {
            if (!mirror->followers[i])
                continue;
            lw_follower_read_state(mirror->followers[i], now, &state);
            write_labels(state.kind, rows[row].name, out);
            lw_buf_printf(out, "%" PRIu64 "\n", rows[row].value(&state));
        }
    }
    lw_rwlock_unlock(&mirror->lock);
}
