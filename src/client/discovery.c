/* SPDX-License-Identifier: Apache-2.0 */
/* discovery.c -- the requests of a discovery: sent concurrently, done with the last response.
 *
 * An API group whose server is unavailable (a broken APIService) must not hide all others: a
 * document that cannot be read is a gap, and the rest is used.  If nothing can be read, discovery
 * fails. */
#include "client/discovery.h"

#include "base/alloc.h"
#include "base/dlist.h"
#include "base/error.h"
#include "base/str.h"
#include "client/request.h"
#include "client/session_internal.h"

/* One request. */
typedef struct discovery_ask {
    lw_dlist_node node;
    lw_discovery *discovery;
    lw_session_call *call;
    uint64_t rank;
    bool is_root; /* /api or /apis; a server may have only one of them */
} discovery_ask;

struct lw_discovery {
    lw_session *session;
    lw_discovery_fn on_done;
    void *arg;
    lw_resource_set *set;
    lw_dlist asks;    /* in progress */
    size_t ask_count; /* total number; at most LW_DISCOVERY_MAX_VERSIONS plus the two roots */
    size_t answers;   /* documents that were read */
    lw_error gap;     /* the first error; LW_OK: none */
};

static void note_gap(lw_discovery *discovery, const lw_error *err)
{
    if (discovery->gap.code == LW_OK)
        discovery->gap = *err;
}

static void ask_done(discovery_ask *ask)
{
    lw_discovery *discovery = ask->discovery;
    lw_dlist_remove(&ask->node);
    lw_free(ask);
    if (!lw_dlist_is_empty(&discovery->asks))
        return;
    lw_resource_set *set = discovery->set;
    lw_error gap = discovery->gap;
    discovery->set = NULL;
    if (discovery->answers == 0 || gap.code == LW_ERR_NOMEM) {
        lw_resource_set_free(set);
        set = NULL;
        if (gap.code == LW_OK)
            (void)lw_error_set(&gap, LW_ERR_NOT_FOUND,
                               "the server serves neither /api nor /apis; is it an API server?");
    } else {
        lw_resource_set_order(set);
    }
    discovery->on_done(set, gap.code < 0 ? &gap : NULL, discovery->arg);
}

static lw_status ask_version(lw_str group, lw_str version, uint64_t rank, void *arg, lw_error *err);

static void ask_on_body(lw_str body, void *arg)
{
    discovery_ask *ask = arg;
    lw_discovery *discovery = ask->discovery;
    lw_error err = LW_ERROR_INIT;
    ask->call = NULL;
    lw_status st = lw_discovery_read(body, ask->rank, discovery->set, ask_version, discovery, &err);
    if (st < 0)
        note_gap(discovery, &err);
    else
        discovery->answers++;
    ask_done(ask);
}

static void ask_on_fail(const lw_error *err, void *arg)
{
    discovery_ask *ask = arg;
    ask->call = NULL;
    /* Like client-go: a server may serve only one of the roots, or the caller may be authorized for
     * only one. */
    if (!ask->is_root || err->code != LW_ERR_NOT_FOUND)
        note_gap(ask->discovery, err);
    ask_done(ask);
}

static lw_status ask_start(lw_discovery *discovery, const char *target, uint64_t rank, bool is_root,
                           lw_error *err)
{
    lw_source_sink sink = { .on_fail = ask_on_fail };
    lw_session_request request = {
        .kind = LW_SESSION_PLAIN,
        .method = "GET",
        .target = target,
        .accept = is_root ? lw_accept_discovery : lw_accept_json,
        .timeout_ms = lw_client__timeout_ms(discovery->session->client, 0),
        .on_body = ask_on_body,
    };
    if (discovery->ask_count >= LW_DISCOVERY_MAX_VERSIONS + 2)
        return lw_error_set(err, LW_ERR_LIMIT, "the server serves more than %d group versions",
                            LW_DISCOVERY_MAX_VERSIONS);
    discovery_ask *ask = lw_alloc_zero(1, sizeof(*ask));
    if (!ask)
        return lw_error_nomem(err);
    ask->discovery = discovery;
    ask->rank = rank;
    ask->is_root = is_root;
    sink.arg = ask;
    lw_status st = lw_session__start(discovery->session, &request, &sink, &ask->call, err);
    if (st < 0) {
        lw_free(ask);
        return st;
    }
    lw_dlist_push_back(&discovery->asks, &ask->node);
    discovery->ask_count++;
    return LW_OK;
}

/* "/api/v1" or "/apis/apps/v1". */
static lw_status append_version_path(lw_buf *target, lw_str group, lw_str version, lw_error *err)
{
    /* The path of a resource, truncated: this escapes it like all paths. */
    lw_api_path path = { .gvr = { group, version, LW_STR("x") } };
    lw_status st = lw_request_append_path(target, &path, err);
    if (st < 0)
        return st;
    lw_buf_truncate(target, target->len - 2);
    return LW_OK;
}

static lw_status ask_version(lw_str group, lw_str version, uint64_t rank, void *arg, lw_error *err)
{
    lw_buf target;
    lw_buf_init(&target, LW_REQUEST_TARGET_MAX);
    lw_status st = append_version_path(&target, group, version, err);
    char *text = st == LW_OK ? lw_buf_take_text(&target) : NULL;
    if (st == LW_OK && !text)
        st = lw_error_nomem(err);
    if (st == LW_OK)
        st = ask_start(arg, text, rank, false, err);
    lw_free(text);
    lw_buf_done(&target);
    return st;
}

lw_status lw_discovery_start(lw_discovery **out, lw_session *session, lw_discovery_fn on_done,
                             void *arg, lw_error *err)
{
    lw_discovery *discovery = lw_alloc_zero(1, sizeof(*discovery));
    if (!discovery)
        return lw_error_nomem(err);
    discovery->session = session;
    discovery->on_done = on_done;
    discovery->arg = arg;
    discovery->gap = (lw_error)LW_ERROR_INIT;
    lw_dlist_init(&discovery->asks);
    lw_status st = lw_resource_set_new(&discovery->set);
    if (st < 0)
        st = lw_error_nomem(err);
    if (st == LW_OK)
        st = ask_start(discovery, "/api", LW_DISCOVERY_RANK_API, true, err);
    if (st == LW_OK)
        st = ask_start(discovery, "/apis", LW_DISCOVERY_RANK_APIS, true, err);
    if (st < 0) {
        lw_discovery_free(discovery);
        return st;
    }
    *out = discovery;
    return LW_OK;
}

void lw_discovery_free(lw_discovery *discovery)
{
    if (!discovery)
        return;
    LW_DLIST_FOR_EACH_SAFE(discovery_ask, ask, &discovery->asks, node)
    {
        lw_dlist_remove(&ask->node);
        lw_session_cancel(ask->call);
        lw_free(ask);
    }
    lw_resource_set_free(discovery->set);
    lw_free(discovery);
}
