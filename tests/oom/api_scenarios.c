/* SPDX-License-Identifier: Apache-2.0 */
/* api_scenarios.c -- requests to the API, with every allocation failing in turn.  The reply is
 * correct, or it is 500, or the stream is cut so that the client notices. */
#include <stdio.h>
#include <string.h>

#include "api/context/held_bytes.h"
#include "api/http/list_options.h"
#include "api/http/route.h"
#include "api/media/form_maker.h"
#include "api/media/list_proto.h"
#include "api/media/list_yaml.h"
#include "api/media/media.h"
#include "api/media/page_token.h"
#include "base/error.h"
#include "base/str.h"
#include "oom/api_scene.h"
#include "oom/oom.h"
#include "schema/proto/proto.h"
#include "support/fake_http.h"

static lw_status wrong(lw_error *err, const char *what)
{
    return lw_error_set(err, LW_ERR_INTERNAL, "wrong: %s", what);
}

/* A ConfigMap, for protobuf: fake_put stores objects of the kind Thing, which has no encoding. */
static void put_config(api_scene *s, const char *name)
{
    char key[64], json[200];
    (void)snprintf(key, sizeof(key), "/registry/configmaps/a/%s", name);
    (void)snprintf(json, sizeof(json),
                   "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"%s\","
                   "\"namespace\":\"a\",\"labels\":{\"app\":\"web\"}}}",
                   name);
    (void)fake_commit(&s->store, key, json, NULL);
}

static lw_status begin(api_scene *s, lw_error *err)
{
    api_scene_init(s);
    put_config(s, "c");
    fake_put(&s->store, "pods", "a", "x", "web");
    fake_put(&s->store, "pods", "a", "y", "web");
    fake_put(&s->store, "pods", "b", "z", "db");
    return api_scene_begin(s, err);
}

#define PROTOBUF "application/vnd.kubernetes.protobuf"

/* A request, and what its reply must contain. */
typedef struct read_case {
    const char *target, *accept;
    int status;
    const char *text;
} read_case;

static lw_status check_reply(const fake_http *http, const read_case *q, lw_error *err)
{
    if (http->is_aborted || http->status == 0 || http->status == 500 || http->headers.st < 0 ||
        http->body.st < 0)
        return lw_error_nomem(err);
    if (http->status != q->status)
        return wrong(err, "the status");
    if (q->text[0] && !memmem(http->body.data, http->body.len, q->text, strlen(q->text)))
        return wrong(err, "the body");
    return LW_OK;
}

static lw_status ask(api_scene *s, const read_case *q, lw_error *err)
{
    fake_http_request request = { .method = "GET",
                                  .target = q->target,
                                  .headers = { "accept", q->accept ? q->accept : "*/*" } };
    fake_http *http = fake_http_new(s->loop, &request);
    if (!http)
        return lw_error_nomem(err);
    (void)lw_api_serve(s->api, &http->stream, NULL);
    lw_status st = check_reply(http, q, err);
    fake_http_free(http);
    return st;
}

static lw_status ask_all(const read_case *cases, size_t count, lw_error *err)
{
    api_scene s;
    lw_status st = begin(&s, err);
    for (size_t i = 0; i < count && st == LW_OK; i++)
        st = ask(&s, &cases[i], err);
    api_scene_end(&s);
    return st;
}
#define ASK_ALL(cases, err) ask_all((cases), sizeof(cases) / sizeof((cases)[0]), (err))

static lw_status objects_are_read(lw_error *err)
{
    static const read_case cases[] = {
        { "/api/v1/namespaces/a/pods/x", NULL, 200, "\"name\":\"x\"" },
        { "/api/v1/namespaces/a/pods/%78?pretty=1", NULL, 200, "\"name\": \"x\"" },
        { "/api/v1/namespaces/a/pods/nope", NULL, 404, "not found" },
        { "/api/v1/namespaces/a/pods/x", "application/yaml", 200, "name: x" },
        { "/api/v1/namespaces/a/pods/x", "application/json;as=Table;v=v1;g=meta.k8s.io", 200,
          "\"rows\":[{\"cells\":[\"x\"" },
        { "/api/v1/namespaces/a/pods/x?resourceVersion=3", NULL, 200, "\"name\":\"x\"" },
        { "/api/v1/namespaces/a/configmaps/c", PROTOBUF, 200, "ConfigMap" },
        { "/api/v1/namespaces/a/pods/nope", PROTOBUF, 404, "not found" },
    };
    return ASK_ALL(cases, err);
}

static lw_status collections_are_listed(lw_error *err)
{
    static const read_case cases[] = {
        { "/api/v1/pods?limit=2", NULL, 200, "\"remainingItemCount\":1" },
        { "/api/v1/pods?labelSelector=app%3Ddb&fieldSelector=status.phase!%3DFailed", NULL, 200,
          "\"name\":\"z\"" },
        { "/api/v1/pods?resourceVersion=1&resourceVersionMatch=Exact", NULL, 200,
          "\"resourceVersion\":\"1\"}" },
        { "/api/v1/pods", "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io", 200,
          "PartialObjectMetadataList" },
        { "/api/v1/pods", "application/yaml", 200, "kind: PodList" },
        { "/api/v1/pods", PROTOBUF, 200, "PodList" },
        { "/api/v1/pods", PROTOBUF ";as=PartialObjectMetadataList;v=v1;g=meta.k8s.io", 200,
          "PartialObjectMetadataList" },
    };
    return ASK_ALL(cases, err);
}

static lw_status invalid_requests_are_rejected(lw_error *err)
{
    static const read_case cases[] = {
        { "/api/v1/pods?resourceVersionMatch=Exact&continue=x", NULL, 422, "is forbidden" },
        { "/api/v1/pods?limit=x", NULL, 400, "strconv.ParseInt" },
        { "/api/v1/pods?fieldSelector=a%3Db", NULL, 400, "field label not supported: a" },
        { "/api/v1/pods?timeout=soon", NULL, 400, "invalid timeout specified" },
        { "/api/v1/pods", "text/html", 406, "Not Acceptable" },
        { "/apis/nope", NULL, 404, "page not found" },
        { "/api/v1/foos", NULL, 404, "could not find the requested resource" },
    };
    return ASK_ALL(cases, err);
}

static lw_status discovery_documents_are_served(lw_error *err)
{
    static const read_case cases[] = {
        { "/apis/apps", NULL, 200, "APIGroup" },
        { "/version", NULL, 200, "\"major\"" },
        { "/openapi/v3/apis/batch/v1?hash=OLD", NULL, 301, "" },
        { "/openapi/v3/apis/policy/v1", NULL, 200, "PodDisruptionBudget" },
    };
    return ASK_ALL(cases, err);
}

/* Checks that |http| has all events that the watch should have sent. */
static lw_status check_watch(const fake_http *http, const char *text, lw_error *err)
{
    const read_case q = { NULL, NULL, 200, text };
    /* An ERROR event also informs the client. */
    if (http->body.len > 0 && (memmem(http->body.data, http->body.len, "\"type\":\"ERROR\"", 14) ||
                               memmem(http->body.data, http->body.len,
                                      "\x0a\x05"
                                      "ERROR",
                                      7)))
        return lw_error_nomem(err);
    return check_reply(http, &q, err);
}

static lw_status watch(const char *plural, const char *accept, const char *initial,
                       const char *later, lw_error *err)
{
    api_scene s;
    fake_http *http = NULL;
    char target[100];
    (void)snprintf(target, sizeof(target),
                   "/api/v1/namespaces/a/%s?watch=1&allowWatchBookmarks=1&labelSelector=app",
                   plural);
    fake_http_request request = { .method = "GET",
                                  .target = target,
                                  .headers = { "accept", accept } };
    lw_status st = begin(&s, err);
    if (st == LW_OK && !(http = fake_http_new(s.loop, &request)))
        st = lw_error_nomem(err);
    if (st == LW_OK) {
        (void)lw_api_serve(s.api, &http->stream, NULL);
        st = check_watch(http, initial, err);
    }
    if (st == LW_OK) {
        fake_put(&s.store, "pods", "a", "w", "new");
        put_config(&s, "w");
        (void)lw_loop_turn(s.loop, 0, NULL);
        st = check_watch(http, later, err);
    }
    fake_http_free(http);
    api_scene_end(&s);
    return st;
}

static lw_status changes_are_watched(lw_error *err)
{
    return watch("pods", "application/json", "k8s.io/initial-events-end", "\"name\":\"w\"", err);
}

static lw_status changes_are_watched_as_tables(lw_error *err)
{
    return watch("pods", "application/json;as=Table;v=v1;g=meta.k8s.io",
                 "k8s.io/initial-events-end", "\"cells\":[\"w\"", err);
}

static lw_status changes_are_watched_in_protobuf(lw_error *err)
{
    return watch("configmaps", PROTOBUF, "k8s.io/initial-events-end", "\x0a\x01w", err);
}

/* Writes a list of |obj|, whose encoding is cached if |budget| has room for it. */
static lw_status write_list_of(lw_object *obj, lw_form_budget *budget, lw_error *err)
{
    static const lw_kind kind = { .version = LW_STR_INIT("v1"),
                                  .kind = LW_STR_INIT("Pod"),
                                  .list_kind = LW_STR_INIT("PodList") };
    lw_list_proto list;
    lw_api_list_metadata metadata = { 7, LW_STR("more"), 3 };
    lw_object *slot = lw_object_ref(obj);
    lw_buf out;
    lw_buf_init(&out, 4096);
    lw_status st = lw_list_proto_init(&list, &kind, LW_MEDIA_AS_IS, LW_STR(""), &metadata, budget);
    if (st == LW_OK)
        st = lw_list_proto_whole(&list, &slot, 1, &out);
    if (st == LW_OK && out.len < list.size)
        st = wrong(err, "the list's length");
    lw_bytes piece = lw_bytes_static(LW_STR(""));
    if (st == LW_OK) {
        piece = lw_list_proto_take(&list, &slot);
        st = list.st;
    }
    if (st == LW_OK && !memmem(out.data, out.len, piece.ptr, piece.len))
        st = wrong(err, "the item");
    lw_bytes_release(piece);
    lw_object_unref(slot);
    lw_list_proto_done(&list);
    lw_buf_done(&out);
    return st;
}

/* As a long list does it. */
static lw_status objects_are_encoded_one_after_the_other(lw_error *err)
{
    lw_form_maker *maker = lw_form_maker_new();
    lw_status st = maker ? LW_OK : LW_ERR_NOMEM;
    for (int i = 0; i < 3 && st == LW_OK; i++) {
        char json[128];
        lw_object *obj = NULL;
        lw_str document = LW_STR("");
        int len =
            snprintf(json, sizeof(json),
                     "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"x%d\"}}", i);
        lw_buf expected;
        lw_buf_init(&expected, 4096);
        st = lw_object_from_json(&obj, json, (size_t)len, err);
        if (st == LW_OK)
            st = lw_proto_write_document(lw_object_json(obj), &expected, err);
        if (st == LW_OK)
            st = lw_form_maker_encode(maker, obj, &document);
        if (st == LW_OK && !lw_str_equal(document, lw_buf_view(&expected)))
            st = wrong(err, "the encoding");
        lw_buf_done(&expected);
        lw_object_unref(obj);
    }
    lw_form_maker_free(maker);
    return st == LW_ERR_NOMEM ? lw_error_nomem(err) : st;
}

static lw_status long_list_is_written_in_protobuf(lw_error *err)
{
    static const char json[] = "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":"
                               "\"x\",\"labels\":{\"b\":\"1\",\"a\":\"\\n\"}}}";
    lw_form_budget *none = NULL, *some = NULL;
    lw_object *obj = NULL;
    lw_status st = lw_form_budget_new(&none, 1);
    if (st == LW_OK)
        st = lw_form_budget_new(&some, 4096);
    if (st == LW_OK)
        st = lw_object_from_json(&obj, json, sizeof(json) - 1, err);
    if (st == LW_OK)
        st = write_list_of(obj, none, err);
    if (st == LW_OK)
        st = write_list_of(obj, some, err);
    lw_object_unref(obj);
    lw_form_budget_unref(none);
    lw_form_budget_unref(some);
    return st == LW_ERR_NOMEM ? lw_error_nomem(err) : st;
}

static lw_status long_list_is_written_as_yaml(lw_error *err)
{
    static const char json[] = "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":"
                               "\"x\"}}";
    static const lw_kind kind = { .version = LW_STR_INIT("v1"),
                                  .kind = LW_STR_INIT("Pod"),
                                  .list_kind = LW_STR_INIT("PodList") };
    static const char expected[] = "apiVersion: v1\nitems:\n- metadata:\n    name: x\n"
                                   "- metadata:\n    name: x\nkind: PodList\n"
                                   "metadata:\n  resourceVersion: \"7\"\n";
    lw_api_list_metadata metadata = { 7, LW_STR(""), -1 };
    const lw_table_form form = { .now_ns = 0 };
    lw_object *obj = NULL;
    lw_list_pieces list;
    lw_buf out;
    lw_status st = lw_object_from_json(&obj, json, sizeof(json) - 1, err);
    if (st < 0)
        return st;
    lw_buf_init(&out, 4096);
    st = lw_list_yaml_init(&list, &kind, LW_MEDIA_AS_IS, &form, &metadata, &out);
    if (st == LW_OK) {
        lw_list_yaml_item(&list, obj, &out);
        lw_list_yaml_item(&list, obj, &out);
        lw_list_pieces_end(&list, &out);
        st = list.st;
    }
    if (st == LW_OK && !lw_str_equal(lw_buf_view(&out), LW_STR(expected)))
        st = wrong(err, "the list");
    lw_list_pieces_done(&list);
    lw_buf_done(&out);
    lw_object_unref(obj);
    return st == LW_ERR_NOMEM ? lw_error_nomem(err) : st;
}

/* Bytes that cannot be counted are sent all the same. */
static lw_status bytes_are_counted_or_sent_uncounted(lw_error *err)
{
    lw_held_bytes *held = NULL;
    lw_held_stats stats;
    lw_buf buf;
    lw_status st = lw_held_bytes_new(&held, 1 << 20, 1 << 20);
    if (st < 0)
        return lw_error_nomem(err);
    lw_buf_init(&buf, 8192);
    st = lw_buf_reserve(&buf, 8192);
    if (st == LW_OK) {
        memset(buf.data, 'x', 8192);
        buf.len = 8192;
        lw_bytes bytes = lw_held_bytes_charge(held, LW_STR("jane"), lw_buf_take_bytes(&buf));
        lw_held_bytes_read(held, &stats);
        if (bytes.len != 8192)
            st = wrong(err, "the bytes");
        else if (stats.bytes == 0)
            st = LW_ERR_NOMEM;
        lw_bytes_release(bytes);
        lw_held_bytes_read(held, &stats);
        if (stats.bytes != 0)
            st = wrong(err, "released bytes are counted");
    }
    lw_buf_done(&buf);
    lw_held_bytes_unref(held);
    return st == LW_ERR_NOMEM ? lw_error_nomem(err) : st;
}

static lw_status tokens_are_written_and_read(lw_error *err)
{
    lw_buf text;
    lw_page_token token;
    lw_buf_init(&text, LW_PAGE_TOKEN_MAX);
    lw_page_token_write_after(&text, 7, LW_STR("a/x"));
    if (text.st < 0) {
        lw_buf_done(&text);
        return lw_error_nomem(err);
    }
    lw_status st = lw_page_token_read(&token, lw_buf_view(&text), err);
    if (st == LW_OK && (token.revision != 7 || token.start.len != 4))
        st = wrong(err, "the token");
    lw_page_token_done(&token);
    lw_buf_done(&text);
    return st;
}

const oom_scenario api_scenarios[] = {
    { "objects are read", objects_are_read },
    { "collections are listed", collections_are_listed },
    { "invalid requests are rejected", invalid_requests_are_rejected },
    { "discovery documents are served", discovery_documents_are_served },
    { "changes are watched", changes_are_watched },
    { "changes are watched as tables", changes_are_watched_as_tables },
    { "changes are watched in protobuf", changes_are_watched_in_protobuf },
    { "objects are encoded one after the other", objects_are_encoded_one_after_the_other },
    { "a long list is written in protobuf", long_list_is_written_in_protobuf },
    { "a long list is written as YAML", long_list_is_written_as_yaml },
    { "bytes are counted or sent uncounted", bytes_are_counted_or_sent_uncounted },
    { "tokens are written and read", tokens_are_written_and_read },
};
const size_t api_scenario_count = sizeof(api_scenarios) / sizeof(api_scenarios[0]);
