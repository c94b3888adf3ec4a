/* SPDX-License-Identifier: Apache-2.0 */
/* client_scenarios.c -- src/client, with each allocation failing in turn: its parsers, and whole
 * calls to a scripted server. */
#include <listwatch/async.h>
#include <listwatch/stream.h>
#include <listwatch/subresource.h>

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"
#include "client/discovery.h"
#include "client/request.h"
#include "client/resource_cache.h"
#include "oom/oom.h"
#include "support/script_server.h"

#define JSON(length)                                                                               \
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " length "\r\n\r\n"

#define AGGREGATED                                                                                 \
    "{\"kind\":\"APIGroupDiscoveryList\",\"items\":[{\"metadata\":{\"name\":\"\"},\"versions\":["  \
    "{\"version\":\"v1\",\"resources\":[{\"resource\":\"pods\",\"responseKind\":{\"kind\":"        \
    "\"Pod\"},\"scope\":\"Namespaced\",\"shortNames\":[\"po\"]}]}]}]}"

/* Checks the result of a scenario without a failure. */
static lw_status demand(bool is_right)
{
    return is_right ? LW_OK : LW_ERR_INTERNAL;
}

static lw_status no_versions(lw_str group, lw_str version, uint64_t rank, void *arg, lw_error *err)
{
    (void)group;
    (void)version;
    (void)rank;
    (void)arg;
    return lw_error_set(err, LW_ERR_INTERNAL, "no versions were named");
}

static lw_status remembers_resources(lw_error *err)
{
    const lw_resource_question question = { .name = "po" };
    lw_resource_cache cache;
    lw_resource found;
    lw_resource_set *set = NULL;
    lw_resource_cache_init(&cache);
    lw_status st = lw_resource_set_new(&set);
    if (st == LW_OK)
        st = lw_discovery_read(LW_STR(AGGREGATED), 0, set, no_versions, NULL, err);
    if (st == LW_OK) {
        lw_resource_set_order(set);
        lw_resource_cache_replace_take(&cache, set, NULL);
        set = NULL;
        st = lw_resource_cache_find(&cache, &question, &found, err);
    }
    if (st == LW_OK)
        st = demand(lw_str_equal(found.kind, LW_STR("Pod")));
    lw_resource_set_free(set);
    lw_resource_cache_done(&cache);
    return st;
}

static lw_status writes_targets(lw_error *err)
{
    const lw_list_options options = {
        .size = sizeof(lw_list_options), .ns = "default", .label_selector = "a=b", .limit = 5
    };
    lw_buf buf;
    lw_buf_init(&buf, LW_REQUEST_TARGET_MAX);
    lw_status st = lw_request_append_list(&buf, lw_gvr_make("", "v1", "pods"), &options, err);
    if (st == LW_OK)
        st = demand(
            lw_str_equal(lw_buf_view(&buf),
                         LW_STR("/api/v1/namespaces/default/pods?labelSelector=a%3Db&limit=5")));
    lw_buf_done(&buf);
    return st;
}

/* Whole calls. */

static lw_status connect_to(script_server *server, lw_client **out, lw_error *err)
{
    lw_config *config = NULL;
    lw_config_options options = LW_CONFIG_OPTIONS_INIT;
    options.server = script_server_url(server);
    lw_status st = lw_config_load(&config, &options, err);
    if (st == LW_OK)
        st = lw_client_new(out, config, NULL, err);
    lw_config_unref(config);
    return st;
}

static lw_status count_object(const lw_object *obj, void *arg, lw_error *err)
{
    (void)obj;
    (void)err;
    ++*(unsigned *)arg;
    return LW_OK;
}

static lw_status count_event(const lw_watch_event *event, void *arg, lw_error *err)
{
    (void)event;
    (void)err;
    ++*(unsigned *)arg;
    return LW_OK;
}

static lw_status use_client(lw_client *client, lw_error *err)
{
    const lw_gvr pods = lw_gvr_make("", "v1", "pods");
    unsigned objects = 0, events = 0;
    lw_resource found;
    lw_object *obj = NULL;
    lw_status st = lw_client_find_resource(client, "po", &found, err);
    if (st == LW_OK)
        st = lw_client_list(client, pods, NULL, count_object, &objects, err);
    if (st == LW_OK)
        st = lw_client_watch(client, pods, NULL, count_event, &events, err);
    if (st == LW_OK)
        st = lw_client_get(client, pods, "default", "a", NULL, &obj, err);
    if (st == LW_OK)
        st = lw_client_apply(client, pods, "default", "a", lw_str_make("{}", 2),
                             &(lw_apply_options){ .size = sizeof(lw_apply_options),
                                                  .field_manager = "m",
                                                  .force = true,
                                                  .dry_run = true,
                                                  .field_validation = "Strict" },
                             NULL, err);
    if (st == LW_OK)
        st = lw_client_delete(client, pods, "default", "a",
                              &(lw_delete_options){ .size = sizeof(lw_delete_options),
                                                    .uid = "u",
                                                    .grace_period_s = 0 },
                              err);
    if (st == LW_OK)
        st = demand(objects == 1 && events == 1 && strcmp(lw_object_name(obj), "a") == 0);
    lw_object_unref(obj);
    return st;
}

/* One server for all runs: it does not use the failing allocator. */
static script_server *scripted(void)
{
    static script_server *server;
    if (server)
        return server;
    server = script_server_open();
    script_server_say_always(server, "GET /api ", JSON("202") AGGREGATED);
    script_server_say_always(server, "GET /apis ", SCRIPT_404);
    script_server_say_always(server, "GET /api/v1/pods?watch=true ",
                             JSON("52") "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":"
                                        "\"a\"}}}\n");
    script_server_say_always(
        server, "GET /api/v1/pods ",
        JSON("54") "{\"kind\":\"PodList\",\"items\":[{\"metadata\":{\"name\":\"a\"}}]}");
    script_server_say_always(server, "GET /api/v1/namespaces/default/pods/a ",
                             JSON("25") "{\"metadata\":{\"name\":\"a\"}}");
    script_server_say_always(server,
                             "PATCH /api/v1/namespaces/default/pods/a?dryRun=All&fieldManager=m&"
                             "fieldValidation=Strict&force=true ",
                             JSON("2") "{}");
    script_server_say_always(server, "GET /api/v1/namespaces/default/pods/a/exec?",
                             "HTTP/1.1 404 Not Found\r\nTransfer-Encoding: chunked\r\n\r\n"
                             "2\r\n{}\r\n0\r\n\r\n");
    script_server_say_always(server, "DELETE ", JSON("2") "{}");
    script_server_say_always(server, "POST ", JSON("2") "{}");
    return server;
}

static lw_status calls_a_server(lw_error *err)
{
    lw_client *client = NULL;
    lw_status st = connect_to(scripted(), &client, err);
    if (st == LW_OK)
        st = use_client(client, err);
    lw_client_unref(client);
    return st;
}

/* Asynchronous and raw requests. */

typedef struct results {
    unsigned good;
    lw_error err; /* of the last failure */
} results;

static void on_result(const lw_result *result, void *arg)
{
    results *r = arg;
    if (result->err)
        r->err = *result->err;
    else
        r->good++;
}

static lw_status start_all(lw_async *async, results *r, lw_error *err)
{
    static const char *const headers[] = { "X-A: b", NULL };
    const lw_gvr pods = lw_gvr_make("", "v1", "pods");
    lw_raw_options raw = LW_RAW_OPTIONS_INIT;
    raw.headers = headers;
    lw_status st = lw_async_find_resource(async, "po", on_result, r, NULL, err);
    if (st == LW_OK)
        st = lw_async_get(async, pods, "default", "a", NULL, on_result, r, NULL, err);
    if (st == LW_OK)
        st = lw_async_list(async, pods, NULL, on_result, r, NULL, err);
    if (st == LW_OK)
        st = lw_async_delete(async, pods, "default", "a", NULL, on_result, r, NULL, err);
    if (st == LW_OK)
        st = lw_async_raw(async, "GET", "/api/v1/namespaces/default/pods/a", &raw, on_result, r,
                          NULL, err);
    return st;
}

static lw_status calls_a_server_asynchronously(lw_error *err)
{
    results r = { .err = LW_ERROR_INIT };
    lw_client *client = NULL;
    lw_async *async = NULL;
    lw_status st = connect_to(scripted(), &client, err);
    if (st == LW_OK)
        st = lw_async_new(&async, client, err);
    if (st == LW_OK)
        st = start_all(async, &r, err);
    while (st == LW_OK && lw_async_pending(async) > 0)
        lw_async_wait(async, 1000);
    if (st == LW_OK && r.err.code < 0) {
        *err = r.err;
        st = r.err.code;
    } else if (st == LW_OK) {
        st = demand(r.good == 5);
    }
    lw_async_free(async);
    lw_client_unref(client);
    return st;
}

static lw_status count_bytes(const char *bytes, size_t len, void *arg)
{
    (void)bytes;
    *(size_t *)arg += len;
    return LW_OK;
}

static lw_status reads_raw_responses(lw_error *err)
{
    static const char *const query[] = { "watch", "true", NULL };
    lw_client *client = NULL;
    lw_response *response = NULL;
    size_t bytes = 0;
    lw_raw_options options = LW_RAW_OPTIONS_INIT;
    lw_status st = connect_to(scripted(), &client, err);
    if (st == LW_OK)
        st = lw_client_raw(client, "GET", "/api/v1/pods", &options, &response, err);
    if (st == LW_OK)
        st = demand(lw_response_body(response).len == 54);
    options.query = query;
    options.on_bytes = count_bytes;
    options.arg = &bytes;
    if (st == LW_OK)
        st = lw_client_raw(client, "GET", "/api/v1/pods", &options, NULL, err);
    if (st == LW_OK)
        st = demand(bytes == 52);
    lw_response_free(response);
    lw_client_unref(client);
    return st;
}

static lw_status posts_to_subresources(lw_error *err)
{
    lw_client *client = NULL;
    lw_object *token = NULL;
    lw_status st = connect_to(scripted(), &client, err);
    if (st == LW_OK)
        st = lw_client_bind(client, "default", "a", "n", err);
    if (st == LW_OK)
        st = lw_client_evict(client, "default", "a", NULL, err);
    if (st == LW_OK)
        st = lw_client_request_token(client, "default", "a", NULL, &token, err);
    lw_object_unref(token);
    lw_client_unref(client);
    return st;
}

/* A stream up to the reply of the server. */
static lw_status asks_for_a_stream(lw_error *err)
{
    static const char *const command[] = { "ls", NULL };
    lw_client *client = NULL;
    lw_stream_options options = LW_STREAM_OPTIONS_INIT;
    int exit_code = 0;
    options.input = LW_STR("input");
    lw_status st = connect_to(scripted(), &client, err);
    if (st == LW_OK) {
        lw_error refusal = LW_ERROR_INIT;
        st = lw_client_exec(client, "default", "a", command, &options, &exit_code, &refusal);
        st = st == LW_ERR_NOMEM ? lw_error_nomem(err) : demand(st == LW_ERR_NOT_FOUND);
    }
    lw_client_unref(client);
    return st;
}

static lw_status rejects_calls_after_close(lw_error *err)
{
    lw_client *client = NULL;
    lw_object *obj = NULL;
    lw_status st = connect_to(scripted(), &client, err);
    if (st == LW_OK) {
        lw_client_close(client);
        lw_error refusal = LW_ERROR_INIT;
        st = lw_client_get(client, lw_gvr_make("", "v1", "pods"), "default", "a", NULL, &obj,
                           &refusal);
        st = st == LW_ERR_NOMEM ? lw_error_nomem(err) : demand(st == LW_ERR_STOPPED);
    }
    lw_client_unref(client);
    return st;
}

const oom_scenario client_scenarios[] = {
    { "remembers_resources", remembers_resources },
    { "writes_targets", writes_targets },
    { "calls_a_server", calls_a_server },
    { "calls_a_server_asynchronously", calls_a_server_asynchronously },
    { "reads_raw_responses", reads_raw_responses },
    { "posts_to_subresources", posts_to_subresources },
    { "asks_for_a_stream", asks_for_a_stream },
    { "rejects_calls_after_close", rejects_calls_after_close },
};

const size_t client_scenario_count = sizeof(client_scenarios) / sizeof(client_scenarios[0]);
