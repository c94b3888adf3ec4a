/* SPDX-License-Identifier: Apache-2.0 */
/* health.c -- /healthz, /livez and /readyz. */
#include "server/endpoints/health.h"

#include <stdio.h>

#include "base/clock.h"
#include "base/str.h"
#include "server/mirror/mirror.h"

/* The three endpoints, as bits. */
enum {
    HEALTHZ = 1 << 0,
    LIVEZ = 1 << 1,
    READYZ = 1 << 2,
};

static const struct {
    lw_str name;
    unsigned places;
} checks[LW_HEALTH_CHECKS] = {
    [LW_HEALTH_PING] = { LW_STR_INIT("ping"), HEALTHZ | LIVEZ | READYZ },
    [LW_HEALTH_STORE] = { LW_STR_INIT("store"), HEALTHZ | LIVEZ | READYZ },
    [LW_HEALTH_WRITES] = { LW_STR_INIT("store-writes"), READYZ },
    [LW_HEALTH_DATA] = { LW_STR_INIT("store-data"), READYZ },
    [LW_HEALTH_SPACE] = { LW_STR_INIT("store-space"), READYZ },
    [LW_HEALTH_CACHE] = { LW_STR_INIT("cache"), HEALTHZ | READYZ },
    [LW_HEALTH_SHUTDOWN] = { LW_STR_INIT("shutdown"), READYZ },
    [LW_HEALTH_UPSTREAM] = { LW_STR_INIT("upstream"), READYZ },
};

/* Splits |path| into the endpoint and the name of a check; false: not a health path. */
static bool find_place(lw_str path, unsigned *place, lw_str *name, lw_str *check)
{
    static const struct {
        lw_str name;
        unsigned place;
    } places[] = {
        { LW_STR_INIT("healthz"), HEALTHZ },
        { LW_STR_INIT("livez"), LIVEZ },
        { LW_STR_INIT("readyz"), READYZ },
    };
    lw_str first;
    if (path.len == 0 || path.ptr[0] != '/')
        return false;
    (void)lw_str_cut(lw_str_skip(path, 1), '/', &first, check);
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        if (lw_str_equal(first, places[i].name)) {
            *place = places[i].place;
            *name = first;
            return true;
        }
    }
    return false;
}

bool lw_health_is_path(lw_str path)
{
    unsigned place;
    lw_str name, check;
    return find_place(path, &place, &name, &check);
}

/* A check of a remote store must not block the loop: its last result is used. */
static bool store_can_be_read(lw_server_parts *parts)
{
    lw_store *store = parts->store;
    if (lw_store_is_shared(store))
        return lw_store_health_is_good(&parts->store_health, lw_clock_now(parts->clock));
    lw_buf value;
    lw_store_record record;
    lw_buf_init(&value, LW_STORE_VALUE_MAX);
    lw_status st = lw_store_get(store, LW_STR("/health"), 0, &value, &record, NULL);
    lw_buf_done(&value);
    return st == LW_OK || st == LW_ERR_NOT_FOUND;
}

bool lw_health_cache_follows(lw_server_parts *parts, uint64_t current, uint64_t cached,
                             int64_t now_ns)
{
    int64_t since = atomic_load(&parts->lag_since_ns);
    if (cached >= current) {
        atomic_store(&parts->lag_since_ns, 0);
        return true;
    }
    if (since == 0 || atomic_load(&parts->lag_revision) != cached) {
        atomic_store(&parts->lag_revision, cached);
        atomic_store(&parts->lag_since_ns, now_ns);
        return true;
    }
    return now_ns - since < LW_HEALTH_LAG_S * LW_NS_PER_S;
}

static bool cache_follows(lw_server_parts *parts)
{
    uint64_t current, compacted;
    lw_store_revisions(parts->store, &current, &compacted);
    return lw_health_cache_follows(parts, current, lw_cache_revision(parts->cache),
                                   lw_clock_now(parts->clock));
}

static void look_at_condition(lw_server_parts *parts, lw_health_facts *facts)
{
    lw_store_condition condition;
    lw_store_check_condition(parts->store, &condition);
    facts->is_good[LW_HEALTH_WRITES] = !condition.is_failing;
    facts->is_good[LW_HEALTH_DATA] = !condition.is_damaged;
    facts->is_good[LW_HEALTH_SPACE] = !condition.is_full;
}

/* A mirror serves what it has while the upstream is away, and says so. */
static void look_at_upstream(lw_server_parts *parts, lw_health_facts *facts)
{
    char behind[48], addresses[64];
    facts->is_mirror = parts->mirror != NULL;
    facts->upstream[0] = '\0';
    facts->is_good[LW_HEALTH_UPSTREAM] = true;
    if (!facts->is_mirror)
        return;
    int64_t lag_ns = lw_mirror_lag(parts->mirror, behind, sizeof(behind));
    facts->is_good[LW_HEALTH_UPSTREAM] = !lw_mirror_is_too_old(parts->mirror, lag_ns);
    lw_mirror_describe_addresses(parts->mirror, addresses, sizeof(addresses));
    int len = snprintf(facts->upstream, sizeof(facts->upstream), "%s", addresses);
    if (lag_ns > 0)
        (void)snprintf(facts->upstream + len, sizeof(facts->upstream) - (size_t)len,
                       " (not followed for %lld s: %s)", (long long)(lag_ns / LW_NS_PER_S), behind);
}

void lw_health_look(lw_server_parts *parts, lw_health_facts *facts)
{
    look_at_upstream(parts, facts);
    facts->is_good[LW_HEALTH_PING] = true;
    facts->is_good[LW_HEALTH_STORE] = store_can_be_read(parts);
    look_at_condition(parts, facts);
    facts->is_good[LW_HEALTH_CACHE] = cache_follows(parts);
    facts->is_good[LW_HEALTH_SHUTDOWN] = !atomic_load(&parts->is_draining);
}

/* True if the check |i| is one of |place|'s. */
static bool is_here(size_t i, unsigned place, const lw_health_facts *facts)
{
    return (checks[i].places & place) && (i != LW_HEALTH_UPSTREAM || facts->is_mirror);
}

static int write_one(unsigned place, lw_str name, const lw_health_facts *facts, lw_buf *out)
{
    for (size_t i = 0; i < LW_HEALTH_CHECKS; i++) {
        if (!is_here(i, place, facts) || !lw_str_equal(checks[i].name, name))
            continue;
        lw_buf_append_text(out, facts->is_good[i] ? "ok" : "internal server error: failed\n");
        return facts->is_good[i] ? 200 : 500;
    }
    lw_buf_append_text(out, "404 page not found\n");
    return 404;
}

/* Parses the checks named by ?exclude=; unknown names are appended to |unknown|, quoted. */
static unsigned find_excluded(unsigned place, const lw_query *query, lw_buf *unknown)
{
    unsigned excluded = 0;
    for (size_t i = 0; i < query->count; i++) {
        const lw_query_parameter *parameter = &query->parameters[i];
        if (!lw_str_equal(parameter->name, LW_STR("exclude")))
            continue;
        unsigned found = 0;
        for (unsigned check = 0; check < LW_HEALTH_CHECKS; check++) {
            if ((checks[check].places & place) &&
                lw_str_equal(checks[check].name, parameter->value))
                found = 1u << check;
        }
        if (found == 0)
            lw_buf_printf(unknown, "%s\"%.*s\"", unknown->len > 0 ? "," : "",
                          LW_STR_ARG(parameter->value));
        excluded |= found;
    }
    return excluded;
}

/* Writes one line per check; returns true if all pass. */
static bool write_checks(unsigned place, unsigned excluded, const lw_health_facts *facts,
                         lw_buf *out)
{
    bool is_good = true;
    for (unsigned i = 0; i < LW_HEALTH_CHECKS; i++) {
        if (!is_here(i, place, facts))
            continue;
        bool is_excluded = excluded & 1u << i;
        const char *verdict = is_excluded         ? "excluded: ok"
                              : facts->is_good[i] ? "ok"
                                                  : "failed: reason withheld";
        bool passes = is_excluded || facts->is_good[i];
        lw_buf_printf(out, "[%c]%.*s %s%s\n", passes ? '+' : '-', LW_STR_ARG(checks[i].name),
                      verdict, i == LW_HEALTH_UPSTREAM ? facts->upstream : "");
        is_good = is_good && passes;
    }
    return is_good;
}

int lw_health_write(lw_str path, const lw_query *query, const lw_health_facts *facts, lw_buf *out)
{
    unsigned place = 0;
    lw_str name, check, ignored;
    lw_buf unknown;
    (void)find_place(path, &place, &name, &check);
    if (check.len > 0)
        return write_one(place, check, facts, out);
    lw_buf_init(&unknown, LW_HEALTH_TEXT_MAX);
    size_t start = out->len;
    unsigned excluded = find_excluded(place, query, &unknown);
    bool is_good = write_checks(place, excluded, facts, out);
    if (unknown.len > 0)
        lw_buf_printf(out, "warn: some health checks cannot be excluded: no matches for %.*s\n",
                      LW_STR_ARG(lw_buf_view(&unknown)));
    lw_buf_done(&unknown);
    if (is_good && !lw_query_find(query, "verbose", &ignored)) {
        lw_buf_truncate(out, start);
        lw_buf_append_text(out, "ok");
    } else {
        lw_buf_printf(out, "%.*s check %s\n", LW_STR_ARG(name), is_good ? "passed" : "failed");
    }
    return is_good ? 200 : 500;
}
