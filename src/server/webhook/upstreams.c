/* SPDX-License-Identifier: Apache-2.0 */
/* upstreams.c -- the addresses of one cluster, and which of them answer. */
#include "server/webhook/upstreams.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/ref.h"
#include "base/str.h"
#include "kubeconfig/cluster.h"

struct lw_upstreams {
    lw_ref refs;
    lw_upstream at[LW_UPSTREAMS_MAX];
    size_t count;
    atomic_size_t current;
};

static lw_status add(lw_upstreams *upstreams, lw_str text, bool is_tls, lw_error *err)
{
    char *name = NULL, *url = NULL;
    lw_upstream *upstream = &upstreams->at[upstreams->count];
    if (upstreams->count == LW_UPSTREAMS_MAX)
        return lw_error_set(err, LW_ERR_LIMIT, "an upstream has at most %d addresses",
                            LW_UPSTREAMS_MAX);
    name = lw_str_dup(text);
    lw_status st = name ? lw_server_url_read(name, is_tls, "addresses of the upstream", &url, err)
                        : lw_error_nomem(err);
    if (st == LW_OK) {
        upstreams->count++;
        st = lw_webhook_address_read(&upstream->address, url, err);
    }
    lw_free(name);
    lw_free(url);
    if (st < 0)
        return st;
    if (upstream->address.is_tls != is_tls)
        return lw_error_set(err, LW_ERR_INVALID,
                            "the address %s of the upstream must be a URL with %s, as in the "
                            "kubeconfig",
                            upstream->address.url, is_tls ? "https" : "http");
    upstream->prefix = lw_str_of(upstream->address.path);
    while (upstream->prefix.len > 0 && upstream->prefix.ptr[upstream->prefix.len - 1] == '/')
        upstream->prefix.len--;
    upstream->all = upstreams;
    atomic_init(&upstream->is_up, true);
    return LW_OK;
}

lw_status lw_upstreams_new(lw_upstreams **out, const char *urls, bool is_tls, lw_error *err)
{
    lw_str rest = lw_str_of(urls), url;
    lw_status st = LW_OK;
    lw_upstreams *upstreams = lw_alloc_zero(1, sizeof(*upstreams));
    if (!upstreams)
        return lw_error_nomem(err);
    lw_ref_init(&upstreams->refs);
    while (st == LW_OK && rest.len > 0) {
        (void)lw_str_cut(rest, ',', &url, &rest);
        url = lw_str_trim(url);
        if (url.len > 0)
            st = add(upstreams, url, is_tls, err);
    }
    if (st == LW_OK && upstreams->count == 0)
        st = lw_error_set(err, LW_ERR_INVALID, "there is no address of the upstream");
    if (st < 0)
        lw_upstreams_unref(upstreams);
    else
        *out = upstreams;
    return st;
}

lw_upstreams *lw_upstreams_ref(lw_upstreams *upstreams)
{
    lw_ref_inc(&upstreams->refs);
    return upstreams;
}

void lw_upstreams_unref(lw_upstreams *upstreams)
{
    if (!upstreams || !lw_ref_dec(&upstreams->refs))
        return;
    for (size_t i = 0; i < upstreams->count; i++)
        lw_webhook_address_done(&upstreams->at[i].address);
    lw_free(upstreams);
}

lw_upstream *lw_upstreams_current(lw_upstreams *upstreams)
{
    return &upstreams->at[atomic_load(&upstreams->current)];
}

lw_upstream *lw_upstreams_all(lw_upstreams *upstreams, size_t *count)
{
    *count = upstreams->count;
    return upstreams->at;
}

/* The one after |at| that is up, or just the one after it. */
static size_t next_of(lw_upstreams *upstreams, size_t at)
{
    for (size_t i = 1; i < upstreams->count; i++) {
        size_t next = (at + i) % upstreams->count;
        if (atomic_load(&upstreams->at[next].is_up))
            return next;
    }
    return (at + 1) % upstreams->count;
}

bool lw_upstream_failed(lw_upstream *upstream)
{
    lw_upstreams *upstreams = upstream->all;
    size_t at = (size_t)(upstream - upstreams->at);
    if (atomic_exchange(&upstream->is_up, false))
        atomic_fetch_add(&upstream->failures, 1);
    /* Of several that see the same failure, one moves. */
    return upstreams->count > 1 &&
           atomic_compare_exchange_strong(&upstreams->current, &at, next_of(upstreams, at));
}

void lw_upstream_answered(lw_upstream *upstream)
{
    atomic_store(&upstream->is_up, true);
}
