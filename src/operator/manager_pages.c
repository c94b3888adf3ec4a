/* SPDX-License-Identifier: Apache-2.0 */
/* manager_pages.c -- /healthz, /readyz and /metrics.
 *
 * Checks are answered as Kubernetes components do: 200 "ok", or 500 with a line for each check;
 * "?verbose" shows the lines in any case, and /readyz/NAME asks for one check. */
#include "base/str.h"
#include "operator/manager_internal.h"

/* One answer. */
typedef struct page {
    lw_buf lines;
    bool is_ready; /* /readyz instead of /healthz */
    lw_str only;   /* name of the check; empty: all */
    size_t count;
    bool has_failed;
} page;

static void judge(page *p, const char *name, lw_status st, const lw_error *err)
{
    if (p->only.len > 0 && !lw_str_equal(p->only, lw_str_of(name)))
        return;
    p->count++;
    p->has_failed |= st < 0;
    if (st < 0)
        lw_buf_printf(&p->lines, "[-]%s failed: %s\n", name,
                      err->message[0] ? err->message : lw_status_name(st));
    else
        lw_buf_printf(&p->lines, "[+]%s ok\n", name);
}

static void judge_synced(page *p, const lw_manager *m)
{
    lw_error err = LW_ERROR_INIT;
    lw_status st = LW_OK;
    if (m->state >= MANAGER_STOPPING)
        st = lw_error_set(&err, LW_ERR_STOPPED, "the program is stopping");
    else if (!lw_manager_is_ready(m))
        st = lw_factory_wait_for_sync(m->factory, 0, &err);
    judge(p, "informer-sync", st, &err);
}

static void judge_all(page *p, lw_manager *m)
{
    judge(p, "ping", LW_OK, NULL);
    if (p->is_ready)
        judge_synced(p, m);
    lw_mutex_lock(&m->mu);
    size_t count = m->check_count; /* checks are only added */
    lw_mutex_unlock(&m->mu);
    for (size_t i = 0; i < count; i++) {
        lw_error err = LW_ERROR_INIT;
        const lw_manager_check *check = &m->checks[i];
        if (check->is_ready_check == p->is_ready)
            judge(p, check->name, check->fn(check->arg, &err), &err);
    }
}

static void serve_checks(lw_manager *m, bool is_ready, lw_str only,
                         const lw_health_server_request *request, lw_health_server_reply *reply)
{
    page p = { .is_ready = is_ready, .only = only };
    const char *name = is_ready ? "readyz" : "healthz";
    lw_buf_init(&p.lines, LW_HEALTH_SERVER_BODY_MAX);
    judge_all(&p, m);
    bool is_verbose = lw_str_starts_with(request->query, LW_STR("verbose"));
    if (p.count == 0) {
        reply->status = 404;
        lw_buf_append_text(&reply->body, "there is no such check\n");
    } else if (p.has_failed || is_verbose) {
        reply->status = p.has_failed ? 500 : 200;
        lw_buf_append_str(&reply->body, lw_buf_view(&p.lines));
        lw_buf_printf(&reply->body, "%s check %s\n", name, p.has_failed ? "failed" : "passed");
    } else {
        lw_buf_append_text(&reply->body, "ok");
    }
    lw_buf_done(&p.lines);
}

/* Returns true if |path| is |name| or below it; |*rest| is the part behind the slash. */
static bool is_page(lw_str path, lw_str name, lw_str *rest)
{
    *rest = lw_str_skip(path, name.len + 1);
    return lw_str_starts_with(path, name) && (path.len == name.len || path.ptr[name.len] == '/');
}

/* The endpoint of |request| serves checks if it is that for health, and metrics likewise. */
static void serve(lw_manager *m, bool is_health, bool is_metrics,
                  const lw_health_server_request *request, lw_health_server_reply *reply)
{
    lw_str rest;
    if (is_health && is_page(request->path, LW_STR("/healthz"), &rest)) {
        serve_checks(m, false, rest, request, reply);
    } else if (is_health && is_page(request->path, LW_STR("/readyz"), &rest)) {
        serve_checks(m, true, rest, request, reply);
    } else if (is_metrics && lw_str_equal(request->path, LW_STR("/metrics"))) {
        reply->content_type = "text/plain; version=0.0.4; charset=utf-8";
        lw_manager__write_metrics(m, &reply->body);
    } else {
        reply->status = 404;
        lw_buf_append_text(&reply->body, "not found\n");
    }
}

void lw_manager__serve_health(const lw_health_server_request *request,
                              lw_health_server_reply *reply, void *arg)
{
    lw_manager *m = arg;
    serve(m, true, m->health == m->metrics, request, reply);
}

void lw_manager__serve_metrics(const lw_health_server_request *request,
                               lw_health_server_reply *reply, void *arg)
{
    serve(arg, false, true, request, reply);
}
