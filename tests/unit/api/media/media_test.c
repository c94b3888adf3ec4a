/* SPDX-License-Identifier: Apache-2.0 */
/* media_test.c -- in what form a client gets its answer. */
#include "api/media/media.h"

#include "base/str.h"
#include "support/fake_http.h"
#include "unit/test.h"

enum {
    ITEM = LW_MEDIA_ALLOW_TABLE | LW_MEDIA_ALLOW_PARTIAL | LW_MEDIA_ALLOW_YAML,
    LIST = LW_MEDIA_ALLOW_TABLE | LW_MEDIA_ALLOW_PARTIAL_LIST | LW_MEDIA_ALLOW_YAML,
    WATCH = LW_MEDIA_ALLOW_TABLE | LW_MEDIA_ALLOW_PARTIAL,
    ROOT = LW_MEDIA_ALLOW_DISCOVERY | LW_MEDIA_ALLOW_YAML,
    JSON = LW_MEDIA_JSON,
    YAML = LW_MEDIA_YAML,
    PROTOBUF = LW_MEDIA_PROTOBUF,
    PB = LW_MEDIA_ALLOW_PROTOBUF,
    NONE = -1,
};

static int choose(const char *query_text, const char *name, const char *value, unsigned allowed,
                  lw_media *media)
{
    lw_query query;
    fake_http_request request = { .method = "GET", .target = "/", .headers = { name, value } };
    fake_http *http = fake_http_new(NULL, &request);
    assert_int_equal(lw_query_parse(&query, lw_str_of(query_text)), LW_OK);
    bool is_acceptable = lw_media_choose(media, &http->stream.request, &query, allowed);
    lw_query_done(&query);
    /* The version is a view of the request. */
    if (lw_str_equal(media->as_version, LW_STR("v1beta1")))
        media->as_version = LW_STR("v1beta1");
    else if (media->as_version.len > 0)
        media->as_version =
            lw_str_equal(media->as_version, LW_STR("v2")) ? LW_STR("v2") : LW_STR("v1");
    fake_http_free(http);
    return is_acceptable ? (int)media->format : NONE;
}

#define PROTO        "application/vnd.kubernetes.protobuf"
#define TABLE        "application/json;as=Table;v=v1;g=meta.k8s.io"
#define PARTIAL      "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"
#define PARTIAL_LIST "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"
#define DISCOVERY    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"

static void accept_is_negotiated_as_in_kubernetes(void **state)
{
    (void)state;
    static const struct {
        const char *accept;
        unsigned allowed;
        int format;
        lw_media_as as;
    } rows[] = {
        { "", ITEM, JSON, LW_MEDIA_AS_IS },
        { "*/*", ITEM, JSON, LW_MEDIA_AS_IS },
        { "application/*", ITEM, JSON, LW_MEDIA_AS_IS },
        { "application/json", ITEM, JSON, LW_MEDIA_AS_IS },
        { "Application/JSON", ITEM, NONE, LW_MEDIA_AS_IS },
        { "application/json;charset=utf-8", ITEM, JSON, LW_MEDIA_AS_IS },
        { "application/json;stream=watch", WATCH, JSON, LW_MEDIA_AS_IS },
        { "application/json;stream=other", WATCH, NONE, LW_MEDIA_AS_IS },
        { "application/yaml", ITEM, YAML, LW_MEDIA_AS_IS },
        { "application/yaml, application/json;q=0.9", ITEM, YAML, LW_MEDIA_AS_IS },
        { "application/yaml", WATCH, NONE, LW_MEDIA_AS_IS },
        { PROTO ",application/json", ITEM, JSON, LW_MEDIA_AS_IS },
        { PROTO, ITEM, NONE, LW_MEDIA_AS_IS },
        { PROTO ",application/json", ITEM | PB, PROTOBUF, LW_MEDIA_AS_IS },
        { PROTO ";stream=watch", WATCH | PB, PROTOBUF, LW_MEDIA_AS_IS },
        { PROTO ";type=any", ITEM | PB, PROTOBUF, LW_MEDIA_AS_IS },
        { PROTO ";q=0.5,application/json;q=0.6", ITEM | PB, JSON, LW_MEDIA_AS_IS },
        { "application/json;q=0.5," PROTO ";q=0.6", ITEM | PB, PROTOBUF, LW_MEDIA_AS_IS },
        { "*/*", ITEM | PB, JSON, LW_MEDIA_AS_IS },
        { PROTO ";as=Table;v=v1;g=meta.k8s.io", LIST | PB, NONE, LW_MEDIA_AS_IS },
        { PROTO ";as=Table;v=v1;g=meta.k8s.io," TABLE, LIST | PB, JSON, LW_MEDIA_TABLE },
        { PROTO ";as=PartialObjectMetadataList;v=v1;g=meta.k8s.io", LIST, PROTOBUF,
          LW_MEDIA_PARTIAL_LIST },
        { PROTO ";as=APIGroupDiscoveryList;v=v2;g=apidiscovery.k8s.io," DISCOVERY, ROOT, JSON,
          LW_MEDIA_DISCOVERY },
        { PROTO ";as=APIGroupDiscoveryList;v=v2;g=apidiscovery.k8s.io," DISCOVERY, ROOT | PB,
          PROTOBUF, LW_MEDIA_DISCOVERY },
        { "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", ITEM, JSON,
          LW_MEDIA_AS_IS },
        { "text/html", ITEM, NONE, LW_MEDIA_AS_IS },
        { TABLE, ITEM, JSON, LW_MEDIA_TABLE },
        { TABLE, LIST, JSON, LW_MEDIA_TABLE },
        { TABLE, WATCH, JSON, LW_MEDIA_TABLE },
        { TABLE, LW_MEDIA_ALLOW_YAML, NONE, LW_MEDIA_AS_IS },
        { TABLE ",application/json", LW_MEDIA_ALLOW_YAML, JSON, LW_MEDIA_AS_IS },
        { "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta."
          "k8s.io,application/json",
          LIST, JSON, LW_MEDIA_TABLE },
        { "application/yaml;as=Table;v=v1;g=meta.k8s.io", LIST, YAML, LW_MEDIA_TABLE },
        { "application/json;as=Table;v=v2;g=meta.k8s.io", LIST, NONE, LW_MEDIA_AS_IS },
        { "application/json;as=Table;v=v1;g=other", LIST, NONE, LW_MEDIA_AS_IS },
        { "application/json;as=Chair;v=v1;g=meta.k8s.io", LIST, NONE, LW_MEDIA_AS_IS },
        { PARTIAL, ITEM, JSON, LW_MEDIA_PARTIAL },
        { PARTIAL, WATCH, JSON, LW_MEDIA_PARTIAL },
        { PARTIAL, LIST, NONE, LW_MEDIA_PARTIAL },
        { PARTIAL ",application/json", LIST, NONE, LW_MEDIA_PARTIAL },
        { PARTIAL_LIST, LIST, JSON, LW_MEDIA_PARTIAL_LIST },
        { PARTIAL_LIST, ITEM, NONE, LW_MEDIA_PARTIAL_LIST },
        { "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,"
          "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json",
          LIST, PROTOBUF, LW_MEDIA_PARTIAL_LIST },
        { DISCOVERY, ROOT, JSON, LW_MEDIA_DISCOVERY },
        { DISCOVERY ",application/json", ITEM, JSON, LW_MEDIA_AS_IS },
        { "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,"
          "application/json",
          ROOT, JSON, LW_MEDIA_AS_IS },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        lw_media media;
        int format = choose("", "accept", rows[i].accept, rows[i].allowed, &media);
        if (format != rows[i].format || media.as != rows[i].as)
            fail_msg("%s: format %d as %d", rows[i].accept, format, (int)media.as);
    }
}

static void the_version_of_a_table_is_kept(void **state)
{
    (void)state;
    lw_media media;
    (void)choose("", "accept", "application/json;as=Table;v=v1beta1;g=meta.k8s.io", LIST, &media);
    assert_str_equal(media.as_version, "v1beta1");
    (void)choose("", "accept", TABLE, LIST, &media);
    assert_str_equal(media.as_version, "v1");
}

static void browsers_and_curl_get_pretty_output_by_default(void **state)
{
    (void)state;
    static const struct {
        const char *query, *user_agent;
        bool expected;
    } rows[] = {
        { "", "kubectl/v1.20", false },      { "", "curl/7.88.1", true },
        { "", "Wget/1.21", true },           { "", "Mozilla/5.0 (X11)", true },
        { "", "Mozilla/4.0", false },        { "pretty=1", "kubectl", true },
        { "pretty=true", "kubectl", true },  { "pretty=yes", "curl/7", false },
        { "pretty=false", "curl/7", false }, { "pretty=0", "curl/7", false },
        { "pretty=", "curl/7", true },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        lw_media media;
        (void)choose(rows[i].query, "user-agent", rows[i].user_agent, ITEM, &media);
        if (media.is_pretty != rows[i].expected)
            fail_msg("?%s from %s", rows[i].query, rows[i].user_agent);
    }
    lw_media media;
    (void)choose("", "accept", "application/json;pretty=1", ITEM, &media);
    assert_true(media.is_pretty);
}

static void gzip_is_used_when_accepted(void **state)
{
    (void)state;
    lw_media media;
    (void)choose("", "accept-encoding", "gzip, deflate", ITEM, &media);
    assert_true(media.takes_gzip);
    (void)choose("", "accept-encoding", "identity", ITEM, &media);
    assert_false(media.takes_gzip);
}

static void content_type_determines_the_body_type(void **state)
{
    (void)state;
    static const struct {
        const char *value;
        lw_body_type type;
    } rows[] = {
        { "", LW_BODY_JSON },
        { "application/json", LW_BODY_JSON },
        { "Application/Json; charset=utf-8", LW_BODY_JSON },
        { "application/yaml", LW_BODY_YAML },
        { "application/json-patch+json", LW_BODY_JSON_PATCH },
        { "application/merge-patch+json", LW_BODY_MERGE_PATCH },
        { "application/strategic-merge-patch+json", LW_BODY_STRATEGIC_PATCH },
        { "application/apply-patch+yaml", LW_BODY_APPLY_PATCH },
        { "application/vnd.kubernetes.protobuf", LW_BODY_PROTOBUF },
        { "text/plain", LW_BODY_UNKNOWN },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        fake_http_request request = { .method = "POST",
                                      .target = "/",
                                      .headers = { "content-type", rows[i].value } };
        fake_http *http = fake_http_new(NULL, &request);
        if (lw_media_body_type(&http->stream.request) != rows[i].type)
            fail_msg("%s", rows[i].value);
        fake_http_free(http);
    }
}

static void a_websocket_can_send_accept_in_the_query(void **state)
{
    (void)state;
    lw_query query;
    lw_media media;
    fake_http_request request = { .method = "GET", .target = "/", .headers = { "accept", "*/*" } };
    fake_http *http = fake_http_new(NULL, &request);
    assert_int_equal(lw_query_parse(&query, LW_STR("accept=application/json%3Bas%3DTable%3Bv%3Dv1"
                                                   "%3Bg%3Dmeta.k8s.io")),
                     LW_OK);
    assert_true(lw_media_choose(&media, &http->stream.request, &query, WATCH));
    assert_int_equal(media.as, LW_MEDIA_AS_IS); /* it is no WebSocket */
    http->stream.request.is_websocket = true;
    assert_true(lw_media_choose(&media, &http->stream.request, &query, WATCH));
    assert_int_equal(media.as, LW_MEDIA_TABLE);
    assert_false(lw_media_choose(&media, &http->stream.request, &query, ROOT));
    lw_query_done(&query);
    fake_http_free(http);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(accept_is_negotiated_as_in_kubernetes),
        TEST(the_version_of_a_table_is_kept),
        TEST(browsers_and_curl_get_pretty_output_by_default),
        TEST(gzip_is_used_when_accepted),
        TEST(content_type_determines_the_body_type),
        TEST(a_websocket_can_send_accept_in_the_query),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
