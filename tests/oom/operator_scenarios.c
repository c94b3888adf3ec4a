/* SPDX-License-Identifier: Apache-2.0 */
/* operator_scenarios.c -- parts of controllers, with each allocation failing in turn.  Requests go
 * to a port at which nobody listens. */
#include <string.h>

#include "oom/oom.h"

#include <listwatch/condition.h>
#include <listwatch/config.h>
#include <listwatch/finalizer.h>
#include <listwatch/manager.h>
#include <listwatch/owner.h>

#include "base/error.h"

static const char website[] =
    "{\"apiVersion\":\"example.com/v1\",\"kind\":\"Website\",\"metadata\":{"
    "\"name\":\"w\",\"namespace\":\"n\",\"uid\":\"1\"}}";

static lw_status connect(lw_client **out, lw_error *err)
{
    lw_config *config = NULL;
    const lw_config_options to = { .size = sizeof(to), .server = "http://127.0.0.1:1" };
    lw_status st = lw_config_load(&config, &to, err);
    if (st == LW_OK)
        st = lw_client_new(out, config, NULL, err);
    lw_config_unref(config);
    return st;
}

static lw_status changes_a_document(lw_error *err)
{
    const lw_condition ready = { "Ready", "True", "Up", "it works", 1, NULL };
    lw_object *owner = NULL;
    lw_document *doc = NULL, *patch = NULL;
    lw_status st = lw_object_from_json(&owner, website, strlen(website), err);
    if (st == LW_OK)
        st = lw_document_from_object(&doc, owner, err);
    if (st == LW_OK)
        st = lw_owner_set_controller(doc, owner, err);
    if (st == LW_OK) {
        (void)lw_finalizer_add(doc, "example.com/f");
        (void)lw_condition_set(doc, &ready, 0);
        st = lw_document_status(doc);
    }
    if (st == LW_OK)
        st = lw_finalizer_patch(owner, "example.com/f", true, &patch, err);
    if (st == LW_OK && !patch)
        st = lw_error_set(err, LW_ERR_INTERNAL, "there is no patch");
    lw_document_free(patch);
    lw_document_free(doc);
    lw_object_unref(owner);
    return st;
}

static lw_status elects_and_records(lw_error *err)
{
    lw_client *client = NULL;
    lw_election *election = NULL;
    lw_recorder *recorder = NULL;
    lw_object *about = NULL;
    lw_status st = connect(&client, err);
    const lw_election_options lead = { .size = sizeof(lead), .client = client, .name = "l" };
    const lw_recorder_options record = { .size = sizeof(record),
                                         .client = client,
                                         .component = "test" };
    if (st == LW_OK)
        st = lw_election_new(&election, &lead, err);
    if (st == LW_OK)
        st = lw_recorder_new(&recorder, &record, err);
    if (st == LW_OK)
        st = lw_object_from_json(&about, website, strlen(website), err);
    if (st == LW_OK) {
        lw_recorder_event(recorder, about, "Normal", "Created", "created %d", 1);
        lw_election_dispatch(election);
        lw_recorder_dispatch(recorder);
        /* A failure to send is retried later; one to queue is counted. */
        lw_recorder_statistics stats;
        lw_recorder_stats(recorder, &stats);
        st = stats.dropped > 0 ? lw_error_nomem(err) : LW_OK;
    }
    lw_recorder_free(recorder);
    lw_election_free(election);
    lw_object_unref(about);
    lw_client_unref(client);
    return st;
}

static lw_status reconcile(lw_key key, lw_reconcile_result *result, void *arg, lw_error *err)
{
    (void)key;
    (void)result;
    (void)arg;
    (void)err;
    return LW_OK;
}

static lw_status check(void *arg, lw_error *err)
{
    (void)arg;
    (void)err;
    return LW_OK;
}

static lw_status starts_a_manager(lw_error *err)
{
    lw_client *client = NULL;
    lw_manager *manager = NULL;
    lw_reconciler *reconciler = NULL;
    const lw_election_options election = LW_ELECTION_OPTIONS_INIT;
    lw_status st = connect(&client, err);
    const lw_manager_options options = { .size = sizeof(options),
                                         .name = "test",
                                         .client = client,
                                         .election = &election,
                                         .health_address = "127.0.0.1:0",
                                         .metrics_address = "127.0.0.1:0" };
    const lw_reconciler_options work = { .size = sizeof(work), .reconcile = reconcile };
    if (st == LW_OK)
        st = lw_manager_new(&manager, &options, err);
    if (st == LW_OK)
        st = lw_manager_add_reconciler(manager, &work, &reconciler, err);
    if (st == LW_OK)
        st = lw_manager_watch(manager, reconciler, "pods", NULL, NULL, err);
    if (st == LW_OK)
        st = lw_manager_add_ready_check(manager, "own", check, NULL, err);
    if (st == LW_OK)
        st = lw_manager_start_in_loop(manager, err);
    if (st == LW_OK)
        st = lw_manager_dispatch(manager, err);
    lw_manager_free(manager);
    lw_client_unref(client);
    return st;
}

const oom_scenario operator_scenarios[] = {
    { "operator/owner, finalizer and condition are set", changes_a_document },
    { "operator/an election and a recorder begin", elects_and_records },
    { "operator/a manager starts", starts_a_manager },
};
const size_t operator_scenario_count = sizeof(operator_scenarios) / sizeof(operator_scenarios[0]);
