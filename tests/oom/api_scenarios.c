/* SPDX-License-Identifier: Apache-2.0 */
/* api_scenarios.c -- requests to the API, with every allocation failing in turn.  The answer is
 * right, or it is 500, or the stream is cut so that the client notices. */
#include <string.h>

#include "api/list_options.h"
#include "api/media.h"
#include "api/page_token.h"
#include "api/route.h"
#include "base/error.h"
#include "base/str.h"
#include "oom/api_scene.h"
#include "oom/oom.h"
#include "support/fake_http.h"

static lw_status wrong(lw_error *err, const char *what)
{
    return lw_error_set(err, LW_ERR_INTERNAL, "wrong: %s", what);
}

static lw_status begin(api_scene *s, lw_error *err)
{
    api_scene_init(s);
    fake_put(&s->store, "pods", "a", "x", "web");
    fake_put(&s->store, "pods", "a", "y", "web");
    fake_put(&s->store, "pods", "b", "z", "db");
    return api_scene_begin(s, err);
}

/* What is to be asked, and what must be in the answer. */
typedef struct question {
    const char *target, *accept;
    int status;
    const char *text;
} question;

static lw_status judge(const fake_http *http, const question *q, lw_error *err)
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

static lw_status ask(api_scene *s, const question *q, lw_error *err)
{
    fake_http_request request = { .method = "GET",
                                  .target = q->target,
                                  .headers = { "accept", q->accept ? q->accept : "*/*" } };
    fake_http *http = fake_http_new(s->loop, &request);
    if (!http)
        return lw_error_nomem(err);
    (void)lw_api_serve(s->api, &http->stream, LW_STR("tester"));
    lw_status st = judge(http, q, err);
    fake_http_free(http);
    return st;
}

static lw_status ask_all(const question *questions, size_t count, lw_error *err)
{
    api_scene s;
    lw_status st = begin(&s, err);
    for (size_t i = 0; i < count && st == LW_OK; i++)
        st = ask(&s, &questions[i], err);
    api_scene_end(&s);
    return st;
}
#define ASK_ALL(questions, err)                                                                    \
    ask_all((questions), sizeof(questions) / sizeof((questions)[0]), (err))

static lw_status objects_are_got(lw_error *err)
{
    static const question questions[] = {
        { "/api/v1/namespaces/a/pods/x", NULL, 200, "\"name\":\"x\"" },
        { "/api/v1/namespaces/a/pods/%78?pretty=1", NULL, 200, "\"name\": \"x\"" },
        { "/api/v1/namespaces/a/pods/nope", NULL, 404, "not found" },
        { "/api/v1/namespaces/a/pods/x", "application/yaml", 200, "name: x" },
        { "/api/v1/namespaces/a/pods/x", "application/json;as=Table;v=v1;g=meta.k8s.io", 200,
          "\"rows\":[{\"cells\":[\"x\"" },
        { "/api/v1/namespaces/a/pods/x?resourceVersion=3", NULL, 200, "\"name\":\"x\"" },
    };
    return ASK_ALL(questions, err);
}

static lw_status collections_are_listed(lw_error *err)
{
    static const question questions[] = {
        { "/api/v1/pods?limit=2", NULL, 200, "\"remainingItemCount\":1" },
        { "/api/v1/pods?labelSelector=app%3Ddb&fieldSelector=status.phase!%3DFailed", NULL, 200,
          "\"name\":\"z\"" },
        { "/api/v1/pods?resourceVersion=1&resourceVersionMatch=Exact", NULL, 200,
          "\"resourceVersion\":\"1\"}" },
        { "/api/v1/pods", "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io", 200,
          "PartialObjectMetadataList" },
        { "/api/v1/pods", "application/yaml", 200, "kind: PodList" },
    };
    return ASK_ALL(questions, err);
}

static lw_status nonsense_is_refused(lw_error *err)
{
    static const question questions[] = {
        { "/api/v1/pods?resourceVersionMatch=Exact&continue=x", NULL, 422, "is forbidden" },
        { "/api/v1/pods?limit=x", NULL, 400, "strconv.ParseInt" },
        { "/api/v1/pods?fieldSelector=a%3Db", NULL, 400, "field label not supported: a" },
        { "/api/v1/pods?timeout=soon", NULL, 400, "invalid timeout specified" },
        { "/api/v1/pods", "text/html", 406, "Not Acceptable" },
        { "/apis/nope", NULL, 404, "page not found" },
        { "/api/v1/foos", NULL, 404, "could not find the requested resource" },
    };
    return ASK_ALL(questions, err);
}

static lw_status documents_are_told(lw_error *err)
{
    static const question questions[] = {
        { "/apis/apps", NULL, 200, "APIGroup" },
        { "/version", NULL, 200, "\"major\"" },
        { "/openapi/v3/apis/batch/v1?hash=OLD", NULL, 301, "" },
        { "/openapi/v3/apis/policy/v1", NULL, 200, "PodDisruptionBudget" },
    };
    return ASK_ALL(questions, err);
}

/* Whether |http| has all that the watch should have told by now. */
static lw_status judge_watch(const fake_http *http, const char *text, lw_error *err)
{
    const question q = { NULL, NULL, 200, text };
    /* An ERROR event tells the client as well. */
    if (http->body.len > 0 && memmem(http->body.data, http->body.len, "\"type\":\"ERROR\"", 14))
        return lw_error_nomem(err);
    return judge(http, &q, err);
}

static lw_status watch(const char *accept, const char *initial, const char *later, lw_error *err)
{
    api_scene s;
    fake_http *http = NULL;
    fake_http_request request = {
        .method = "GET",
        .target = "/api/v1/namespaces/a/pods?watch=1&allowWatchBookmarks=1&labelSelector=app",
        .headers = { "accept", accept }
    };
    lw_status st = begin(&s, err);
    if (st == LW_OK && !(http = fake_http_new(s.loop, &request)))
        st = lw_error_nomem(err);
    if (st == LW_OK) {
        (void)lw_api_serve(s.api, &http->stream, LW_STR("tester"));
        st = judge_watch(http, initial, err);
    }
    if (st == LW_OK) {
        fake_put(&s.store, "pods", "a", "w", "new");
        (void)lw_loop_turn(s.loop, 0, NULL);
        st = judge_watch(http, later, err);
    }
    fake_http_free(http);
    api_scene_end(&s);
    return st;
}

static lw_status changes_are_watched(lw_error *err)
{
    return watch("application/json", "k8s.io/initial-events-end", "\"name\":\"w\"", err);
}

static lw_status changes_are_watched_as_tables(lw_error *err)
{
    return watch("application/json;as=Table;v=v1;g=meta.k8s.io", "k8s.io/initial-events-end",
                 "\"cells\":[\"w\"", err);
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
    { "objects are got", objects_are_got },
    { "collections are listed", collections_are_listed },
    { "nonsense is refused", nonsense_is_refused },
    { "documents are told", documents_are_told },
    { "changes are watched", changes_are_watched },
    { "changes are watched as tables", changes_are_watched_as_tables },
    { "tokens are written and read", tokens_are_written_and_read },
};
const size_t api_scenario_count = sizeof(api_scenarios) / sizeof(api_scenarios[0]);
