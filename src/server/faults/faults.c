/* SPDX-License-Identifier: Apache-2.0 */
/* faults.c -- the rules: which requests a fault applies to.
 * Threads: any; the loops read the rules under the lock, and only if there are some. */
#include "server/faults/faults.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/options.h"
#include "base/str.h"

typedef struct rule {
    lw_dlist_node link;
    char *verb, *resource, *ns, *name; /* NULL: any */
    int skip, left;                    /* left < 0: always */
    lw_fault_effect effect;
} rule;

void lw_faults_init(lw_faults *faults)
{
    atomic_init(&faults->rule_count, 0);
    atomic_init(&faults->hits, 0);
    lw_mutex_init(&faults->mu);
    lw_dlist_init(&faults->rules);
    lw_dlist_init(&faults->held);
}

static void rule_free(rule *r)
{
    lw_free(r->verb);
    lw_free(r->resource);
    lw_free(r->ns);
    lw_free(r->name);
    lw_free(r);
}

static void remove_all_locked(lw_faults *faults)
{
    LW_DLIST_FOR_EACH_SAFE(rule, r, &faults->rules, link)
    {
        lw_dlist_remove(&r->link);
        rule_free(r);
    }
    atomic_store(&faults->rule_count, 0);
}

void lw_faults_done(lw_faults *faults)
{
    remove_all_locked(faults);
    lw_mutex_done(&faults->mu);
}

static bool is_verb(const char *verb)
{
    static const char *const verbs[] = { "get",    "list",  "watch",  "create",
                                         "update", "patch", "delete", "deletecollection" };
    for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
        if (strcmp(verb, verbs[i]) == 0)
            return true;
    }
    return false;
}

static lw_status check(const lw_server_fault *fault, lw_error *err)
{
    if (fault->verb && !is_verb(fault->verb))
        return lw_error_set(err, LW_ERR_INVALID, "\"%s\" is not a verb", fault->verb);
    if (fault->status != 0 && (fault->status < 400 || fault->status > 599))
        return lw_error_set(err, LW_ERR_INVALID, "%d is not the status of an error", fault->status);
    if (fault->status != 0 && fault->is_cut)
        return lw_error_set(err, LW_ERR_INVALID, "a fault has a status or cuts, not both");
    if (fault->status == 0 && !fault->is_cut && fault->delay_ms == 0)
        return lw_error_set(err, LW_ERR_INVALID, "a fault needs a status, a delay or is_cut");
    return LW_OK;
}

static bool copy(char **out, const char *text)
{
    *out = text ? lw_str_dup(lw_str_of(text)) : NULL;
    return *out || !text;
}

lw_status lw_faults_add(lw_faults *faults, const lw_server_fault *given, lw_error *err)
{
    lw_server_fault fault = LW_SERVER_FAULT_INIT;
    lw_status st = lw_options_read(&fault, sizeof(fault), given, "lw_server_fault", err);
    if (st == LW_OK)
        st = check(&fault, err);
    if (st < 0)
        return st;
    rule *r = lw_alloc_zero(1, sizeof(*r));
    if (!r)
        return lw_error_nomem(err);
    r->skip = fault.skip;
    r->left = fault.times != 0 ? fault.times : 1;
    r->effect =
        (lw_fault_effect){ fault.delay_ms, fault.is_cut, fault.status, fault.retry_after_s };
    bool is_copied = copy(&r->verb, fault.verb) && copy(&r->resource, fault.resource) &&
                     copy(&r->ns, fault.ns) && copy(&r->name, fault.name);
    lw_mutex_lock(&faults->mu);
    bool is_full = faults->rule_count == LW_FAULTS_MAX;
    if (is_copied && !is_full) {
        lw_dlist_push_back(&faults->rules, &r->link);
        atomic_fetch_add(&faults->rule_count, 1);
        r = NULL;
    }
    lw_mutex_unlock(&faults->mu);
    if (!r)
        return LW_OK;
    rule_free(r);
    return is_copied ? lw_error_set(err, LW_ERR_LIMIT, "a server can have at most %d faults",
                                    LW_FAULTS_MAX)
                     : lw_error_nomem(err);
}

void lw_faults_forget_rules(lw_faults *faults)
{
    lw_mutex_lock(&faults->mu);
    remove_all_locked(faults);
    lw_mutex_unlock(&faults->mu);
}

/* "deployments.apps/status" */
static bool is_resource(const char *pattern, const lw_request_info *info)
{
    lw_str rest = lw_str_of(pattern), subresource = LW_STR("");
    const char *slash = memchr(rest.ptr, '/', rest.len);
    if (slash) {
        subresource = lw_str_of(slash + 1);
        rest.len = (size_t)(slash - rest.ptr);
    }
    const char *dot = memchr(rest.ptr, '.', rest.len);
    lw_str group = dot ? lw_str_make(dot + 1, (size_t)(rest.ptr + rest.len - dot - 1)) : LW_STR("");
    lw_str plural = lw_str_make(rest.ptr, dot ? (size_t)(dot - rest.ptr) : rest.len);
    return lw_str_equal(plural, info->resource) && lw_str_equal(group, info->group) &&
           lw_str_equal(subresource, info->subresource);
}

static bool is_text(const char *pattern, lw_str text)
{
    return !pattern || lw_str_equal(lw_str_of(pattern), text);
}

static bool is_for(const rule *r, const lw_request_info *info)
{
    return is_text(r->verb, info->verb) && is_text(r->ns, info->ns) &&
           is_text(r->name, info->name) && (!r->resource || is_resource(r->resource, info));
}

bool lw_faults_is_exempt(const lw_http_request *request)
{
    lw_str agent;
    return lw_http_request_header(request, "user-agent", &agent) &&
           lw_str_starts_with(agent, LW_STR("listwatch-test/"));
}

bool lw_faults_match(lw_faults *faults, const lw_http_request *request, const lw_request_info *info,
                     lw_fault_effect *out)
{
    bool is_hit = false;
    if (atomic_load_explicit(&faults->rule_count, memory_order_relaxed) == 0 ||
        info->resource.len == 0 || lw_faults_is_exempt(request))
        return false;
    lw_mutex_lock(&faults->mu);
    LW_DLIST_FOR_EACH_SAFE(rule, r, &faults->rules, link)
    {
        if (is_hit || !is_for(r, info))
            continue;
        if (r->skip > 0) {
            r->skip--;
            continue;
        }
        is_hit = true;
        *out = r->effect;
        if (r->left > 0 && --r->left == 0) {
            lw_dlist_remove(&r->link);
            rule_free(r);
            atomic_fetch_sub(&faults->rule_count, 1);
        }
    }
    lw_mutex_unlock(&faults->mu);
    if (is_hit)
        atomic_fetch_add(&faults->hits, 1);
    return is_hit;
}
