/* SPDX-License-Identifier: Apache-2.0 */
/* field_validation_test.c -- fields that nobody knows: passed over, warned of, or refused. */
#include "unit/api/sent.h"

#define CONFIGMAPS DEFAULT "configmaps"

static void unknown_field_is_warned_of(void **state)
{
    fake_http *http = send(*state, "POST", CONFIGMAPS,
                           "{\"metadata\":{\"name\":\"a\"},\"dtaa\":{\"k\":\"v\"}}", 201);
    assert_header(http, "warning", "299 - \"unknown field \\\"dtaa\\\"\"");
    fake_http_free(http);
    http = send(*state, "PUT", CONFIGMAPS "/a?fieldValidation=Warn",
                "{\"metadata\":{\"name\":\"a\"},\"dtaa\":{}}", 200);
    assert_header(http, "warning", "299 - \"unknown field \\\"dtaa\\\"\"");
    fake_http_free(http);
}

static void field_that_is_there_twice_is_warned_of(void **state)
{
    fake_http *http =
        send(*state, "POST", CONFIGMAPS, "{\"metadata\":{\"name\":\"a\",\"name\":\"b\"}}", 201);
    assert_header(http, "warning", "299 - \"duplicate field \\\"metadata.name\\\"\"");
    fake_http_free(http);
}

static void strict_refuses_it(void **state)
{
    assert_sent_has(*state, "POST", CONFIGMAPS "?fieldValidation=Strict",
                    "{\"metadata\":{\"name\":\"a\"},\"dtaa\":{\"k\":\"v\"}}", 400,
                    "\"message\":\"ConfigMap in version \\\"v1\\\" cannot be handled as a "
                    "ConfigMap: strict decoding error: unknown field \\\"dtaa\\\"\"");
    do_send(*state, "POST", CONFIGMAPS "?fieldValidation=Strict",
            "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\"},\"data\":{"
            "\"k\":\"v\"}}",
            201);
    assert_sent_has(*state, "PUT", CONFIGMAPS "/a?fieldValidation=Strict",
                    "{\"metadata\":{\"name\":\"a\",\"nmae\":\"b\"}}", 400,
                    "unknown field \\\"metadata.nmae\\\"");
}

static void ignore_says_nothing(void **state)
{
    lw_str value;
    fake_http *http = send(*state, "POST", CONFIGMAPS "?fieldValidation=Ignore",
                           "{\"metadata\":{\"name\":\"a\"},\"dtaa\":{\"k\":\"v\"}}", 201);
    assert_false(fake_http_header(http, "warning", 0, &value));
    fake_http_free(http);
}

static void yaml_is_looked_at_too(void **state)
{
    fake_http *http = send_as(*state, "POST", CONFIGMAPS "?fieldValidation=Strict",
                              "application/yaml", "metadata: {name: a}\ndtaa: {k: v}\n", 400);
    assert_body_has(http, "unknown field \\\"dtaa\\\"");
    fake_http_free(http);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SEEDED_TEST(unknown_field_is_warned_of),
        SEEDED_TEST(field_that_is_there_twice_is_warned_of),
        SEEDED_TEST(strict_refuses_it),
        SEEDED_TEST(ignore_says_nothing),
        SEEDED_TEST(yaml_is_looked_at_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
