/* SPDX-License-Identifier: Apache-2.0 */
/* strategy_address_test.c -- IP addresses, service CIDRs and storage version migrations. */
#include "unit/api/sent.h"

#define NETWORKING "/apis/networking.k8s.io/v1/"
#define ADDRESSES  NETWORKING "ipaddresses"
#define RANGES     NETWORKING "servicecidrs"
#define MIGRATIONS "/apis/storagemigration.k8s.io/v1/storageversionmigrations"
#define TABLE      "application/json;as=Table;v=v1;g=meta.k8s.io"

#define ADDRESS(name, ref)                                                                         \
    "{\"metadata\":{\"name\":\"" name "\"},\"spec\":{\"parentRef\":{" ref "}}}"
#define SERVICE       "\"resource\":\"services\",\"namespace\":\"default\",\"name\":\"web\""
#define RANGE(ranges) "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"cidrs\":[" ranges "]}}"

static void an_address_is_named_by_itself(void **state)
{
    static const struct {
        const char *body, *fault;
    } cases[] = {
        { ADDRESS("abc", SERVICE),
          "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)" },
        { ADDRESS("2001:DB8::1", SERVICE), "must be in canonical form (\\\"2001:db8::1\\\")" },
        { "{\"metadata\":{\"name\":\"10.0.0.1\"}}", "spec.parentRef: Required value" },
        { ADDRESS("10.0.0.1", ""), "spec.parentRef.resource: Required value" },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_sent_has(*state, "POST", ADDRESSES, cases[i].body, 422, cases[i].fault);
    do_send(*state, "POST", ADDRESSES, ADDRESS("2001:db8::1", SERVICE), 201);
    fake_http *http = ask_as(*state, ADDRESSES, TABLE, 200);
    assert_body_has(http, "\"cells\":[\"2001:db8::1\",\"services/default/web\"]");
    fake_http_free(http);
    assert_sent_has_as(*state, "PATCH", ADDRESSES "/2001:db8::1", MERGE_PATCH,
                       "{\"spec\":{\"parentRef\":{\"name\":\"other\"}}}", 422,
                       "spec.parentRef: Invalid value: null: field is immutable");
}

static void ranges_of_services_are_validated(void **state)
{
    static const struct {
        const char *body, *fault;
    } cases[] = {
        { RANGE(""), "spec.cidrs: Required value: at least one CIDR required" },
        { RANGE("\"nope\""), "spec.cidrs[0]: Invalid value: \\\"nope\\\": must be a valid CIDR" },
        { RANGE("\"10.0.0.0/33\""), "must be a valid CIDR value" },
        { RANGE("\"10.0.0.1/8\""), "must not have bits set beyond the prefix length" },
        { RANGE("\"10.0.0.0/8\",\"10.1.0.0/16\""), "no more than one IP for each IP family" },
        { RANGE("\"10.0.0.0/8\",\"fd00::/64\",\"fd01::/64\""), "may only hold up to 2 values" },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_sent_has(*state, "POST", RANGES, cases[i].body, 422, cases[i].fault);
}

static void only_a_second_family_is_added_to_a_range(void **state)
{
    do_send(*state, "POST", RANGES, RANGE("\"10.200.0.0/24\""), 201);
    assert_sent_has_as(*state, "PATCH", RANGES "/a", MERGE_PATCH,
                       "{\"spec\":{\"cidrs\":[\"10.201.0.0/24\"]}}", 422,
                       "spec.cidrs[0]: Invalid value: \\\"10.201.0.0/24\\\": field is immutable");
    assert_sent_has_as(*state, "PATCH", RANGES "/a", MERGE_PATCH,
                       "{\"spec\":{\"cidrs\":[\"10.200.0.0/24\",\"fd00::/64\"]}}", 200,
                       "\"cidrs\":[\"10.200.0.0/24\",\"fd00::/64\"]");
    assert_sent_has_as(*state, "PATCH", RANGES "/a", MERGE_PATCH,
                       "{\"spec\":{\"cidrs\":[\"10.200.0.0/24\"]}}", 422,
                       "spec.cidrs: Invalid value: [\\\"10.200.0.0/24\\\"]: field is immutable");
}

static void migrations_name_their_resource(void **state)
{
    assert_sent_has(*state, "POST", MIGRATIONS, "{\"metadata\":{\"name\":\"a\"}}", 422,
                    "spec.resource.resource: Required value: resource is required to be set");
    do_send(*state, "POST", MIGRATIONS,
            "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"resource\":{\"group\":\"apps\","
            "\"resource\":\"deployments\"}}}",
            201);
    fake_http *http = ask_as(*state, MIGRATIONS, TABLE, 200);
    assert_body_has(http, "\"cells\":[\"a\",\"deployments.apps\",\"Unknown\"]");
    fake_http_free(http);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SEEDED_TEST(an_address_is_named_by_itself),
        SEEDED_TEST(ranges_of_services_are_validated),
        SEEDED_TEST(only_a_second_family_is_added_to_a_range),
        SEEDED_TEST(migrations_name_their_resource),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
