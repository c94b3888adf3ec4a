/* SPDX-License-Identifier: Apache-2.0 */
/* apiservice_write.c -- the writes of the server itself to APIServices. */
#include "api/pending/condition.h"
#include "api/write/change.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "schema/kinds/kinds.h"
#include "server/aggregator/aggregator_internal.h"

enum {
    DOCUMENT_MAX = 4096,
};

static lw_apiservice_entry *entry_of(lw_write *write)
{
    return LW_CONTAINER_OF(write, lw_apiservice_entry, write);
}

static void done(lw_write *write)
{
    lw_apiservice_entry *entry = entry_of(write);
    bool has_failed = write->outcome == LW_WRITE_REFUSE;
    lw_write_release(write);
    if (has_failed)
        lw_log(lw_apiservice_work_of(entry)->aggregator->logger, LW_LOG_WARN, "aggregator",
               "cannot write the APIService %.*s; the write will be retried",
               LW_STR_ARG(entry->key.name));
    lw_apiservice_written(entry, has_failed);
}

static void begin(lw_apiservice_entry *entry, lw_write_decision (*decide)(lw_write *write))
{
    entry->write = (lw_write){ .port = lw_apiservice_work_of(entry)->port,
                               .kind = &lw_kind_apiservices,
                               .key = { LW_STR(""), entry->key.name },
                               .decide = decide,
                               .done = done };
    lw_write_start(&entry->write);
}

static lw_write_decision decide_create(lw_write *write)
{
    const lw_apiservice_entry *entry = entry_of(write);
    lw_tree *tree = NULL;
    lw_buf json;
    if (write->current || !lw_apiservice_is_needed(entry))
        return LW_WRITE_KEEP;
    lw_buf_init(&json, DOCUMENT_MAX);
    lw_apiservice_write_local(entry->kind, "true", &json);
    lw_status st = json.st < 0 ? json.st : lw_tree_parse(&tree, lw_buf_view(&json), 0, NULL);
    lw_buf_done(&json);
    if (st < 0)
        return lw_write_fail(write, st);
    const lw_change change = { .body = lw_tree_root(tree) };
    lw_write_decision decision = lw_change_create(write, &change);
    lw_tree_free(tree);
    return decision;
}

void lw_apiservice_write_create(lw_apiservice_entry *entry)
{
    begin(entry, decide_create);
}

static lw_write_decision decide_delete(lw_write *write)
{
    bool is_unneeded = write->current && lw_apiservice_is_managed(write->current) &&
                       !lw_apiservice_is_remote(write->current) &&
                       lw_apiservice_is_unneeded(entry_of(write));
    return is_unneeded ? LW_WRITE_DELETE : LW_WRITE_KEEP;
}

void lw_apiservice_write_delete(lw_apiservice_entry *entry)
{
    begin(entry, decide_delete);
}

static lw_write_decision decide_condition(lw_write *write)
{
    const lw_apiservice_entry *entry = entry_of(write);
    const lw_pending_condition available = { "Available", entry->finding.status,
                                             entry->finding.reason,
                                             lw_buf_view(&entry->finding.message) };
    lw_pending_object pending = { 0 };
    lw_tree *stored = NULL;
    lw_write_decision decision = LW_WRITE_KEEP;
    /* Another one than that which was checked has a check of its own. */
    if (!write->current || lw_apiservice_is_remote(write->current) != (entry->service != NULL))
        return LW_WRITE_KEEP;
    lw_status st = lw_tree_parse(&stored, lw_object_json(write->current), 0, NULL);
    if (st == LW_OK)
        st = lw_pending_object_open_on(&pending, write->port, write->kind, NULL,
                                       lw_tree_root(stored), lw_tree_root(stored));
    if (st == LW_OK) {
        lw_pending_condition_set(&pending, &available, lw_clock_wall(write->port->api->clock));
        lw_pending_object_seal(&pending);
        if (!lw_pending_object_is_unchanged(&pending)) {
            decision = LW_WRITE_PUT;
            st = lw_pending_object_take(&pending, true, &write->next);
        }
    }
    lw_pending_object_done(&pending);
    lw_tree_free(stored);
    return st < 0 ? lw_write_fail(write, st) : decision;
}

void lw_apiservice_write_condition(lw_apiservice_entry *entry)
{
    begin(entry, decide_condition);
}
