/* SPDX-License-Identifier: Apache-2.0 */
/* server_scenarios.c -- authentication, the kubeconfig and the keys, with every allocation failing
 * in turn.  A whole server, which has threads, is in tests/unit/server/server_memory_test.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <listwatch/server_store.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"
#include "oom/oom.h"
#include "server/aggregator/discovery_merge.h"
#include "server/aggregator/openapi_merge.h"
#include "server/aggregator/remote_discovery.h"
#include "server/authn/account_authn.h"
#include "server/authn/authn.h"
#include "server/authn/token_table.h"
#include "server/core/heavy.h"
#include "server/core/informer_reports.h"
#include "server/core/pki.h"
#include "server/setup/kubeconfig.h"
#include "support/fake_http.h"

static lw_status wrong(lw_error *err, const char *what)
{
    return lw_error_set(err, LW_ERR_INTERNAL, "wrong: %s", what);
}

static lw_status reads_tokens(lw_error *err)
{
    lw_token_table *table = NULL;
    lw_status st =
        lw_token_table_parse(&table, LW_STR("abc,jane,1\ndef,joe,2,\"dev,\"\"ops\"\"\"\n"), err);
    if (st < 0)
        return st;
    const lw_authn_token *token = lw_token_table_find(table, LW_STR("def"));
    if (!token || !lw_str_equal(token->groups, LW_STR("dev,\"ops\"")))
        st = wrong(err, "the groups of joe");
    lw_token_table_free(table);
    return st;
}

/* Authenticates a request over TLS with one header. */
static int identify(lw_authn *auth, const char *name, const char *value, bool is_websocket,
                    lw_str *user)
{
    const lw_peer peer = { .is_tls = true };
    const lw_http_header header = { lw_str_of(name), lw_str_of(value) };
    const lw_http_request request = {
        .headers = &header, .header_count = 1, .is_websocket = is_websocket, .peer = &peer
    };
    const lw_user *known = NULL;
    lw_str why;
    int refusal = lw_authn_identify(auth, &request, &known, &why);
    *user = known ? known->name : lw_str_make(NULL, 0); /* the table holds it */
    lw_user_unref(known);
    return refusal;
}

static lw_status authenticates_users(lw_error *err)
{
    lw_authn *auth = NULL;
    lw_str user = { NULL, 0 };
    const lw_authn_options options = { .admin_token = LW_STR("secret"),
                                       .clock = lw_clock_system() };
    lw_status st = lw_authn_new(&auth, &options, err);
    if (st < 0)
        return st;
    /* Without memory for the decoded token the request must be rejected. */
    int refusal = identify(auth, "sec-websocket-protocol",
                           "base64url.bearer.authorization.k8s.io.c2VjcmV0", true, &user);
    if (refusal == 401)
        st = lw_error_nomem(err);
    else if (refusal != 0 || !lw_str_equal(user, LW_STR("system:admin")))
        st = wrong(err, "the admin is not authenticated");
    if (identify(auth, "authorization", "Bearer secre", false, &user) != 401)
        st = wrong(err, "a wrong token is authenticated");
    lw_authn_free(auth);
    return st;
}

static lw_status find_account(void *arg, lw_token_object_kind kind, lw_str ns, lw_str name,
                              lw_object **out)
{
    (void)kind;
    (void)ns;
    (void)name;
    *out = lw_object_ref(arg);
    return LW_OK;
}

/* Issues a token and tries it twice. */
static lw_status try_account_token(lw_account_authn *accounts, lw_error *err)
{
    const lw_account_claims claims = { .ns = LW_STR("ns"),
                                       .account = { LW_STR("a"), LW_STR("u") },
                                       .pod = { LW_STR("p"), LW_STR("u") },
                                       .id = LW_STR("id"),
                                       .audiences = { { LW_STR("api") }, 1 },
                                       .expires_s = INT64_C(4000000000) };
    const lw_user *user = NULL;
    lw_buf token;
    lw_buf_init(&token, LW_ACCOUNT_TOKEN_MAX);
    lw_status st = lw_account_authn_issue(accounts, &claims, &token);
    for (int i = 0; i < 2 && st == LW_OK; i++) {
        st = lw_account_authn_find(accounts, lw_buf_view(&token), NULL, &user, NULL);
        if (st == LW_OK && !lw_str_equal(user->name, LW_STR("system:serviceaccount:ns:a")))
            st = wrong(err, "the name of the service account");
        lw_user_unref(st == LW_OK ? user : NULL);
    }
    lw_buf_done(&token);
    return st;
}

static lw_status authenticates_service_accounts(lw_error *err)
{
    static const char json[] =
        "{\"apiVersion\":\"v1\",\"kind\":\"X\",\"metadata\":{\"uid\":\"u\"}}";
    static const lw_str issuers[] = { LW_STR_INIT("https://issuer.example") };
    static const lw_audiences audiences = { { LW_STR_INIT("api") }, 1 };
    const lw_account_keys_options wanted = { .folder = NULL };
    lw_account_keys keys = { .signer = NULL };
    const lw_account_authn_options options = { .keys = &keys,
                                               .issuers = issuers,
                                               .issuer_count = 1,
                                               .audiences = &audiences,
                                               .clock = lw_clock_system() };
    lw_account_authn *accounts = NULL;
    lw_object *obj = NULL;
    lw_status st = lw_object_from_json(&obj, json, sizeof(json) - 1, err);
    if (st == LW_OK)
        st = lw_account_keys_open(&keys, &wanted, err);
    if (st == LW_OK)
        st = lw_account_authn_new(&accounts, &options, err);
    if (st == LW_OK) {
        lw_account_authn_connect(accounts, &(lw_token_objects){ find_account, obj });
        st = try_account_token(accounts, err);
    }
    lw_account_authn_free(accounts);
    lw_account_keys_done(&keys);
    lw_object_unref(obj);
    return st == LW_ERR_NOMEM ? lw_error_nomem(err) : st;
}

static lw_status writes_kubeconfig(lw_error *err)
{
    const lw_kubeconfig config = { LW_STR("https://127.0.0.1:6443"), LW_STR("PEM"),
                                   LW_STR("secret") };
    lw_buf out;
    lw_buf_init(&out, LW_KUBECONFIG_MAX);
    lw_kubeconfig_write(&config, &out);
    lw_status st = out.st < 0 ? lw_error_nomem(err) : LW_OK;
    if (st == LW_OK && !lw_str_ends_with(lw_buf_view(&out), LW_STR("current-context: listwatch\n")))
        st = wrong(err, "the kubeconfig is truncated");
    lw_buf_done(&out);
    return st;
}

static lw_status makes_keys(lw_error *err)
{
    static const char *const hosts[] = { "localhost", NULL };
    const lw_pki_options options = { .hosts = hosts,
                                     .has_kubelet_client = true,
                                     .has_front_proxy = true,
                                     .wall_ns = lw_clock_wall(lw_clock_system()) };
    lw_pki pki;
    memset(&pki, 0, sizeof(pki));
    lw_status st = lw_pki_open(&pki, &options, err);
    if (st == LW_OK && (!pki.cert_file || !pki.trust || strlen(pki.admin_token) != 43))
        st = wrong(err, "a part of the keys is missing");
    lw_pki_done(&pki);
    return st;
}

static lw_status accepts_informer_reports(lw_error *err)
{
    static lw_informer_reports reports;
    lw_informer_reports_init(&reports);
    lw_status st = lw_informer_reports_take(
        &reports, LW_STR("{\"reporter\":\"a\",\"informers\":[{\"resource\":\"pods\"}]}"), 0, err);
    if (st < 0 && reports.count > 0)
        st = wrong(err, "a report that could not be read was kept");
    lw_informer_reports_done(&reports);
    return st;
}

/* A heavy request is queued, or left to the loop of its connection. */
static lw_status queues_heavy_requests(lw_error *err)
{
    static const fake_http_request request = { .method = "GET", .target = "/" };
    static const lw_user jane = { .name = LW_STR_INIT("jane") };
    lw_loop *loop = NULL;
    lw_heavy *heavy = NULL;
    lw_heavy_stats stats;
    lw_status st = lw_loop_new(&loop, NULL, err);
    if (st == LW_OK)
        st = lw_heavy_new(&heavy);
    fake_http *http = st == LW_OK ? fake_http_new(loop, &request) : NULL;
    if (http) {
        lw_offload offload = lw_heavy_offload(heavy);
        st = offload.take(offload.arg, &http->stream, &jane);
        fake_http_free(http);
        lw_heavy_close(heavy);
        lw_heavy_read_stats(heavy, &stats);
        if (stats.queued + stats.running + stats.body_bytes > 0)
            st = wrong(err, "a request is left");
    } else {
        st = LW_ERR_NOMEM;
    }
    lw_heavy_free(heavy);
    lw_loop_free(loop);
    return st == LW_ERR_NOMEM ? lw_error_nomem(err) : st;
}

static bool next_line(const char **line, size_t *len, void *arg)
{
    static const char *const lines[] = { "{\"key\":\"/a\",\"value\":{}}",
                                         "{\"key\":\"/b\",\"base64\":\"AAEC\"}" };
    size_t *at = arg;
    if (*at == 2)
        return false;
    *line = lines[(*at)++];
    *len = strlen(*line);
    return true;
}

static lw_status count_line(const char *line, size_t len, void *arg)
{
    (void)line;
    (void)len;
    ++*(size_t *)arg;
    return LW_OK;
}

static void remove_data(const char *data)
{
    static const char *const names[] = { "store/data.mdb", "store/data.mdb.new",
                                         "store/lock.mdb", "store/owner.lock",
                                         "store",          "" };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char path[80];
        (void)snprintf(path, sizeof(path), "%s/%s", data, names[i]);
        (void)remove(path);
    }
}

static lw_status imports_and_exports(lw_error *err)
{
    char data[] = "/tmp/lw-oom-XXXXXX";
    lw_server_store_facts facts;
    size_t at = 0, count = 0;
    if (!mkdtemp(data))
        return LW_ERR_IO;
    lw_status st =
        lw_server_store_import(data, LW_SERVER_STORE_SKIP, next_line, &at, NULL, &facts, err);
    if (st == LW_OK)
        st = lw_server_store_export(data, NULL, count_line, &count, NULL, &facts, err);
    if (st == LW_OK && count != 2)
        st = LW_ERR_INTERNAL;
    if (st == LW_OK)
        st = lw_server_store_delete(data, "/a", NULL, &facts, err);
    if (st == LW_OK)
        st = lw_server_store_compact(data, &facts, err);
    if (st == LW_OK && facts.objects != 1)
        st = LW_ERR_INTERNAL;
    remove_data(data);
    return st;
}

/* Merges the discovery of one service into that of this server. */
static lw_status merge_one(lw_apiservice *service, lw_error *err)
{
    lw_apiservice_table *table = lw_alloc_zero(1, sizeof(*table) + sizeof(table->at[0]));
    lw_buf json;
    if (!table)
        return LW_ERR_NOMEM;
    table->count = 1;
    table->at[0] = service;
    lw_buf_init(&json, 1 << 20);
    lw_buf_append_text(&json, "{\"items\":[]}");
    lw_status st = json.st < 0
                       ? json.st
                       : lw_discovery_merge(table, LW_AGGREGATED_DISCOVERY, LW_STR(""), &json);
    if (st == LW_OK && json.len < 100)
        st = wrong(err, "nothing was merged");
    lw_buf_done(&json);
    lw_free(table);
    return st;
}

/* The document of the other server has a definition that is shared and one that is renamed. */
static lw_status merge_openapi(lw_apiservice *service, lw_error *err)
{
    static const char answer[] =
        "{\"paths\":{\"/apis/x.example/v1/a\":{\"$ref\":\"#/definitions/A\"}},\"definitions\":{"
        "\"A\":{\"$ref\":\"#/definitions/B\"},\"B\":{\"x-kubernetes-group-version-kind\":[{}]}}}";
    static const char document[] =
        "{\"paths\":{\"/api\":{}},\"definitions\":{\"A\":{\"type\":\"object\"},\"B\":{}}}";
    lw_apiservice_table *table =
        lw_alloc_zero(1, sizeof(*table) + sizeof(lw_apiservice *)); /* not shared */
    lw_apiservice *merged = NULL;
    lw_remote_openapi *openapi = NULL;
    lw_buf json;
    lw_buf_init(&json, 1 << 20);
    lw_buf_append_text(&json, document);
    lw_status st = !table || json.st < 0 ? lw_error_nomem(err) : LW_OK;
    if (st == LW_OK)
        st = lw_remote_openapi_read(&openapi, lw_str_of(answer), LW_STR("x.example"), LW_STR("v1"),
                                    NULL);
    if (st == LW_OK)
        st = lw_apiservice_with(&merged, service, &(lw_apiservice_answers){ .openapi = openapi });
    if (st == LW_OK) {
        table->count = 1;
        table->at[0] = merged;
        st = lw_openapi_merge(table, &json);
    }
    if (st == LW_OK && !memmem(json.data, json.len, "\"A_v2\"", 6))
        st = lw_error_set(err, LW_ERR_INTERNAL, "not renamed: %.*s", (int)json.len, json.data);
    lw_buf_done(&json);
    lw_free(table);
    lw_apiservice_unref(merged);
    lw_remote_openapi_unref(openapi);
    return st;
}

static lw_status joins_api_servers(lw_error *err)
{
    static const char list[] = "{\"resources\":[{\"name\":\"a\",\"kind\":\"A\"},"
                               "{\"name\":\"a/status\",\"kind\":\"A\"}]}";
    static const char document[] =
        "{\"metadata\":{\"name\":\"v1.x.example\"},\"spec\":{\"group\":\"x.example\","
        "\"version\":\"v1\",\"insecureSkipTLSVerify\":true,\"service\":{\"namespace\":\"n\","
        "\"name\":\"s\"},\"groupPriorityMinimum\":1,\"versionPriority\":1}}";
    const lw_proxy_identity nobody = { LW_STR(""), LW_STR("") };
    lw_object *object = NULL;
    lw_apiservice *service = NULL, *answered = NULL;
    lw_buf discovery;
    lw_buf_init(&discovery, LW_REMOTE_DISCOVERY_MAX);
    lw_status st = lw_object_from_json(&object, document, sizeof(document) - 1, err);
    if (st == LW_OK)
        st = lw_apiservice_read(&service, object, NULL, &nobody);
    if (st == LW_OK)
        st = lw_remote_discovery_convert(lw_str_of(list), LW_STR("x.example"), LW_STR("v1"),
                                         &discovery);
    char *text = st == LW_OK ? lw_buf_take_text(&discovery) : NULL;
    if (st == LW_OK)
        st = text ? lw_apiservice_with(&answered, service,
                                       &(lw_apiservice_answers){ .discovery = text,
                                                                 .is_fresh = true })
                  : LW_ERR_NOMEM;
    if (st == LW_OK)
        st = merge_one(answered, err);
    if (st == LW_OK)
        st = merge_openapi(answered, err);
    lw_free(text);
    lw_buf_done(&discovery);
    lw_apiservice_unref(answered);
    lw_apiservice_unref(service);
    lw_object_unref(object);
    return st;
}

const oom_scenario server_scenarios[] = {
    { "reads_tokens", reads_tokens },
    { "authenticates_users", authenticates_users },
    { "authenticates_service_accounts", authenticates_service_accounts },
    { "writes_kubeconfig", writes_kubeconfig },
    { "makes_keys", makes_keys },
    { "joins_api_servers", joins_api_servers },
    { "accepts_informer_reports", accepts_informer_reports },
    { "queues_heavy_requests", queues_heavy_requests },
    { "server/store is imported, exported, trimmed", imports_and_exports },
};
const size_t server_scenario_count = sizeof(server_scenarios) / sizeof(server_scenarios[0]);
