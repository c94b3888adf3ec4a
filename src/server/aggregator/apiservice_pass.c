/* SPDX-License-Identifier: Apache-2.0 */
/* apiservice_pass.c -- what is to be done with one APIService:
 *
 *     not stored   needed by a custom resource? create it : forget it
 *     local        made for a custom resource that is gone? delete it : it is available
 *     remote       check ──▶ publish what it serves ──▶ write the condition ──▶ again in 30 s,
 *                  after a failure earlier */
#include "base/alloc.h"
#include "base/clock.h"
#include "base/str.h"
#include "server/aggregator/aggregator_internal.h"

enum {
    SERVICES_MAX = 20000, /* APIServices, local ones included */
    RUNNING_MAX = 8,      /* passes at once */
};

#define CHECK_INTERVAL_NS (30 * LW_NS_PER_S)
#define RETRY_NS          LW_NS_PER_S

static lw_apiservice_entry *entry_of(lw_scheduled_key *key)
{
    return (lw_apiservice_entry *)(void *)key;
}

/* 1 s, 2 s, ... 30 s */
static int64_t retry_after(unsigned failures)
{
    int64_t pause_ns = RETRY_NS << (failures < 5 ? failures : 5);
    return pause_ns < CHECK_INTERVAL_NS ? pause_ns : CHECK_INTERVAL_NS;
}

static void over(lw_apiservice_entry *entry, int64_t pause_ns)
{
    bool is_wanted = pause_ns >= 0;
    /* What was wanted meanwhile is wanted now. */
    if (is_wanted && !entry->key.is_due_again)
        entry->not_before_ns = lw_key_scheduler_now(entry->key.scheduler) + pause_ns;
    lw_key_scheduler_pass_over(&entry->key, is_wanted);
}

void lw_apiservice_written(lw_apiservice_entry *entry, bool has_failed)
{
    if (has_failed)
        over(entry, RETRY_NS);
    else if (entry->service)
        over(entry, entry->failures > 0 ? retry_after(entry->failures - 1) : CHECK_INTERVAL_NS);
    else
        over(entry, -1);
}

/* Keeps what the server has answered. */
static void take_answers(lw_apiservice_entry *entry, bool is_available)
{
    const lw_apiservice *before = entry->service;
    lw_apiservice *now = NULL;
    bool is_new = is_available && entry->discovery.len > 0 && entry->discovery.st == LW_OK;
    char *discovery = is_new ? lw_buf_take_text(&entry->discovery) : NULL;
    bool has_url = is_available && entry->openapi_url.len > 0 && entry->openapi_url.st == LW_OK;
    char *url = has_url ? lw_buf_take_text(&entry->openapi_url) : NULL;
    const lw_apiservice_answers answers = {
        .discovery = is_new ? discovery : before->discovery,
        .is_fresh = is_new,
        .openapi_url = is_available ? url : before->openapi_url,
        .openapi = is_available ? entry->openapi : before->openapi,
    };
    if (lw_apiservice_with(&now, before, &answers) == LW_OK) {
        lw_apiservice_unref(entry->service);
        entry->service = now;
        lw_apiservice_publish(lw_apiservice_work_of(entry));
    }
    lw_free(discovery);
    lw_free(url);
}

void lw_apiservice_checked(lw_apiservice_entry *entry)
{
    lw_apiservice_work *work = lw_apiservice_work_of(entry);
    bool is_available = lw_str_equal(lw_str_of(entry->finding.status), LW_STR("True"));
    if (!entry->service || work->is_stopped) { /* deleted meanwhile, or made local */
        over(entry, work->is_stopped ? -1 : 0);
        return;
    }
    entry->failures = is_available ? 0 : entry->failures + 1;
    take_answers(entry, is_available);
    lw_apiservice_write_condition(entry);
}

static void pass_local(lw_apiservice_entry *entry)
{
    if (lw_apiservice_is_unneeded(entry) && lw_apiservice_is_managed(entry->object)) {
        lw_apiservice_write_delete(entry);
        return;
    }
    entry->finding.status = "True";
    entry->finding.reason = "Local";
    lw_buf_reset(&entry->finding.message);
    lw_buf_append_text(&entry->finding.message, "Local APIServices are always available");
    lw_apiservice_write_condition(entry);
}

static void start(lw_scheduled_key *key)
{
    lw_apiservice_entry *entry = entry_of(key);
    if (entry->service) {
        lw_apiservice_check(entry);
    } else if (entry->object) {
        pass_local(entry);
    } else if (lw_apiservice_is_needed(entry)) {
        lw_apiservice_write_create(entry);
    } else {
        lw_apiservice_forget(entry);
        lw_key_scheduler_pass_over(&entry->key, false);
    }
}

static int64_t ready_ns(const lw_scheduled_key *key)
{
    return ((const lw_apiservice_entry *)(const void *)key)->not_before_ns;
}

const lw_key_scheduler_type lw_apiservice_passes = {
    .entry_size = sizeof(lw_apiservice_entry),
    .keys_max = SERVICES_MAX,
    .running_max = RUNNING_MAX,
    .ready_ns = ready_ns,
    .start = start,
};
