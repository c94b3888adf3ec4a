/* SPDX-License-Identifier: Apache-2.0 */
/* create_test.c -- POST: new objects, and the ways in which they are refused. */
#include "unit/api/sent.h"

#define CONFIGMAPS DEFAULT "configmaps"
#define UNREADABLE                                                                                 \
    "the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; "

static void object_is_made_and_shown(void **state)
{
    assert_sent(*state, "POST", CONFIGMAPS,
                "{\"metadata\":{\"name\":\"a\"},\"data\":{\"k\":\"v\"}}", 201,
                "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\","
                "\"namespace\":\"default\",\"uid\":\"U\",\"resourceVersion\":\"5\","
                "\"creationTimestamp\":\"2026-11-15T01:49:24Z\"},\"data\":{\"k\":\"v\"}}\n");
    fake_http *http = ask(*state, CONFIGMAPS "/a", 200);
    assert_body_has(http, "\"resourceVersion\":\"5\"");
    fake_http_free(http);
}

static void what_is_the_servers_to_say_is_not_taken_from_the_client(void **state)
{
    assert_sent(*state, "POST", CONFIGMAPS,
                "{\"apiVersion\":\"v1\",\"data\":{\"b\":\"2\",\"a\":\"1\"},\"kind\":\"ConfigMap\","
                "\"metadata\":{\"annotations\":{\"b\":\"2\",\"a\":\"1\"},\"uid\":\"mine\","
                "\"creationTimestamp\":null,\"selfLink\":\"/x\","
                "\"deletionTimestamp\":\"2020-01-01T00:00:00Z\",\"deletionGracePeriodSeconds\":5,"
                "\"managedFields\":[{}],\"labels\":{},\"finalizers\":[],\"name\":\"a\"}}",
                201,
                "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\","
                "\"namespace\":\"default\",\"uid\":\"U\",\"resourceVersion\":\"5\","
                "\"creationTimestamp\":\"2026-11-15T01:49:24Z\","
                "\"annotations\":{\"a\":\"1\",\"b\":\"2\"}},\"data\":{\"a\":\"1\",\"b\":\"2\"}}\n");
}

/* Creates a config map with |count| labels l00, l01, ...  Each of them finds it. */
static void create_labelled(api_world *world, const char *name, unsigned count)
{
    char body[4096], target[128];
    int len = snprintf(body, sizeof(body), "{\"metadata\":{\"name\":\"%s\",\"labels\":{", name);
    for (unsigned i = count; i-- > 0;)
        len += snprintf(body + len, sizeof(body) - (size_t)len, "\"l%02u\":\"%s%u\"%s", i, name, i,
                        i > 0 ? "," : "}}}");
    do_send(world, "POST", CONFIGMAPS, body, 201);
    for (unsigned i = 0; i < count; i++) {
        (void)snprintf(target, sizeof(target), CONFIGMAPS "?labelSelector=l%02u%%3D%s%u", i, name,
                       i);
        (void)snprintf(body, sizeof(body), "\"name\":\"%s\"", name);
        fake_http *http = ask(world, target, 200);
        assert_body_has(http, body);
        fake_http_free(http);
    }
}

static void object_is_found_by_each_of_its_labels(void **state)
{
    create_labelled(*state, "few", 3);
    create_labelled(*state, "many", 40);
}

static void yaml_is_taken_too(void **state)
{
    assert_sent_has_as(*state, "POST", CONFIGMAPS, "application/yaml",
                       "metadata:\n  name: a\ndata:\n  k: v\n", 201, "\"data\":{\"k\":\"v\"}");
}

static void second_of_a_name_is_refused(void **state)
{
    do_send(*state, "POST", CONFIGMAPS, "{\"metadata\":{\"name\":\"a\"}}", 201);
    assert_sent(*state, "POST", CONFIGMAPS, "{\"metadata\":{\"name\":\"a\"}}", 409,
                FAILURE("configmaps \\\"a\\\" already exists",
                        "\"reason\":\"AlreadyExists\",\"details\":{\"name\":\"a\","
                        "\"kind\":\"configmaps\"},\"code\":409"));
}

static void name_of_what_is_being_deleted_is_not_free(void **state)
{
    do_send(*state, "POST", CONFIGMAPS,
            "{\"metadata\":{\"name\":\"fin\",\"finalizers\":[\"ex.io/f\"]}}", 201);
    do_send(*state, "DELETE", CONFIGMAPS "/fin", "", 200);
    assert_sent(*state, "POST", CONFIGMAPS, "{\"metadata\":{\"name\":\"fin\"}}", 409,
                FAILURE("object is being deleted: configmaps \\\"fin\\\" already exists",
                        "\"reason\":\"AlreadyExists\",\"details\":{\"name\":\"fin\","
                        "\"kind\":\"configmaps\"},\"code\":409"));
}

static void names_are_generated(void **state)
{
    fake_http *http =
        send(*state, "POST", CONFIGMAPS, "{\"metadata\":{\"generateName\":\"a-\"}}", 201);
    const char *name = memmem(http->body.data, http->body.len, "\"name\":\"a-", 10);
    assert_non_null(name);
    assert_int_equal(strspn(name + 10, "bcdfghjklmnpqrstvwxz2456789"), 5);
    assert_body_has(http, "\",\"generateName\":\"a-\",\"namespace\":\"default\"");
    fake_http_free(http);
}

/* The first name is taken: the object of the second attempt is what was sent, not what the first
 * one has made of it. */
static void next_name_is_generated_for_what_was_sent(void **state)
{
    api_world *world = *state;
    lw_api_port *port = lw_loop_data(world->loop);
    static const char sent[] = "{\"metadata\":{\"generateName\":\"a-\",\"labels\":{\"gone\":null,"
                               "\"kept\":\"1\"},\"creationTimestamp\":null},\"data\":{\"k\":\"v\"},"
                               "\"immutable\":null}";
    fake_http *made[2];
    lw_str names[2];
    for (int i = 0; i < 2; i++) {
        lw_random_init(&port->random, 7);
        made[i] = send(world, "POST", CONFIGMAPS, sent, 201);
        const char *name = memmem(made[i]->body.data, made[i]->body.len, "\"name\":\"a-", 10);
        assert_non_null(name);
        names[i] = lw_str_make(name, 10 + 5);
        assert_body_has(made[i], "\",\"generateName\":\"a-\",\"namespace\":\"default\"");
        assert_body_has(made[i], "\"labels\":{\"kept\":\"1\"}");
        assert_body_has(made[i], "\"data\":{\"k\":\"v\"}}");
    }
    assert_false(lw_str_equal(names[0], names[1]));
    assert_int_equal(made[0]->body.len, made[1]->body.len);
    fake_http_free(made[0]);
    fake_http_free(made[1]);
}

static void given_name_goes_before_a_generated_one(void **state)
{
    assert_sent_has(*state, "POST", CONFIGMAPS,
                    "{\"metadata\":{\"name\":\"b\",\"generateName\":\"a-\"}}", 201,
                    "{\"name\":\"b\",\"generateName\":\"a-\"");
}

static void dry_run_stores_nothing(void **state)
{
    assert_sent(*state, "POST", CONFIGMAPS "?dryRun=All&fieldManager=me&fieldValidation=Strict",
                "{\"metadata\":{\"name\":\"a\"}}", 201,
                "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\","
                "\"namespace\":\"default\",\"uid\":\"U\","
                "\"creationTimestamp\":\"2026-11-15T01:49:24Z\"}}\n");
    fake_http_free(ask(*state, CONFIGMAPS "/a", 404));
}

static void options_are_checked(void **state)
{
    assert_sent(
        *state, "POST", CONFIGMAPS "?dryRun=Foo", "{\"metadata\":{\"name\":\"a\"}}", 422,
        FAILURE("CreateOptions.meta.k8s.io \\\"\\\" is invalid: dryRun: Unsupported value: "
                "[\\\"Foo\\\"]: supported values: \\\"All\\\"",
                "\"reason\":\"Invalid\",\"details\":{\"group\":\"meta.k8s.io\","
                "\"kind\":\"CreateOptions\",\"causes\":[{\"reason\":"
                "\"FieldValueNotSupported\",\"message\":\"Unsupported value: [\\\"Foo\\\"]: "
                "supported values: \\\"All\\\"\",\"field\":\"dryRun\"}]},\"code\":422"));
    assert_sent_has(*state, "POST", CONFIGMAPS "?fieldValidation=Some",
                    "{\"metadata\":{\"name\":\"a\"}}", 422,
                    "fieldValidation: Unsupported value: \\\"Some\\\": supported values: "
                    "\\\"\\\", \\\"Ignore\\\", \\\"Strict\\\", \\\"Warn\\\"");
    assert_sent_has(*state, "POST", CONFIGMAPS "?fieldManager=a%01b",
                    "{\"metadata\":{\"name\":\"a\"}}", 422,
                    "fieldManager: Invalid value: \\\"a\\\\x01b\\\": invalid character U+0001 "
                    "(at position 1)");
    char target[512];
    (void)snprintf(target, sizeof(target), CONFIGMAPS "?fieldManager=%0129d", 1);
    assert_sent_has(*state, "POST", target, "{\"metadata\":{\"name\":\"a\"}}", 422,
                    "fieldManager: Too long: may not be more than 128 bytes");
}

static void body_that_cannot_be_read_is_refused(void **state)
{
    assert_sent(*state, "POST", CONFIGMAPS, "{\"metadata\":{\"name\":\"abcdefghijklmnop\"", 400,
                FAILURE(UNREADABLE "json parse error: unexpected end of the document, expected "
                                   "',' or '}' ({\\\"metadata\\\":{\\\"name\\\":\\\"abcdefghi ...)",
                        "\"reason\":\"BadRequest\",\"code\":400"));
    assert_sent_has(*state, "POST", CONFIGMAPS, "", 400,
                    UNREADABLE "json parse error: the document is empty (\\u003cempty\\u003e)");
    assert_sent_has(*state, "POST", CONFIGMAPS, "[1]", 400,
                    UNREADABLE "json parse error: json: cannot unmarshal array into Go value of "
                               "type struct (5b315d)");
    assert_sent_has_as(*state, "POST", CONFIGMAPS, "application/yaml", "a: [", 400,
                       UNREADABLE "yaml parse error: ");
}

static void body_of_another_kind_is_refused(void **state)
{
    assert_sent(*state, "POST", CONFIGMAPS,
                "{\"kind\":\"Secret\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\"}}", 400,
                FAILURE("Secret in version \\\"v1\\\" cannot be handled as a ConfigMap: converting "
                        "(v1.Secret) to (core.ConfigMap): unknown conversion",
                        "\"reason\":\"BadRequest\",\"code\":400"));
    assert_sent_has(*state, "POST", "/apis/apps/v1/namespaces/default/deployments",
                    "{\"kind\":\"Deployment\",\"apiVersion\":\"apps/v1beta1\"}", 400,
                    "no kind \\\"Deployment\\\" is registered for version \\\"apps/v1beta1\\\"");
}

static void body_in_a_form_nobody_reads_is_refused(void **state)
{
    assert_sent_as(*state, "POST", CONFIGMAPS, "application/cbor", "k8s", 415,
                   FAILURE("the body of the request was in an unknown format - accepted media "
                           "types include: application/json, application/yaml, "
                           "application/vnd.kubernetes.protobuf",
                           "\"reason\":\"UnsupportedMediaType\",\"code\":415"));
}

static void fields_of_the_wrong_type_are_refused(void **state)
{
    assert_sent(*state, "POST", CONFIGMAPS, "{\"metadata\":{\"name\":\"a\"},\"data\":{\"k\":1}}",
                400,
                FAILURE("ConfigMap in version \\\"v1\\\" cannot be handled as a ConfigMap: json: "
                        "cannot unmarshal number into Go struct field ConfigMap.data of type "
                        "string",
                        "\"reason\":\"BadRequest\",\"code\":400"));
    assert_sent_has(*state, "POST", CONFIGMAPS, "{\"metadata\":{\"labels\":[]}}", 400,
                    "cannot unmarshal array into Go struct field ObjectMeta.metadata.labels of "
                    "type map[string]string");
    assert_sent_has(*state, "POST", CONFIGMAPS, "{\"metadata\":7}", 400,
                    "cannot unmarshal number into Go struct field ConfigMap.metadata of type "
                    "v1.ObjectMeta");
    assert_sent_has(*state, "POST", DEFAULT "secrets",
                    "{\"metadata\":{\"name\":\"a\"},\"data\":{\"k\":\"a?==\"}}", 400,
                    "cannot be handled as a Secret: illegal base64 data at input byte 1");
}

static void namespace_must_be_that_of_the_url(void **state)
{
    assert_sent(*state, "POST", CONFIGMAPS, "{\"metadata\":{\"name\":\"a\",\"namespace\":\"b\"}}",
                400,
                FAILURE("the namespace of the provided object does not match the namespace sent on "
                        "the request",
                        "\"reason\":\"BadRequest\",\"code\":400"));
}

static void namespace_must_exist(void **state)
{
    assert_sent(*state, "POST", "/api/v1/namespaces/nons/configmaps",
                "{\"metadata\":{\"name\":\"a\"}}", 404,
                FAILURE("namespaces \\\"nons\\\" not found",
                        "\"reason\":\"NotFound\",\"details\":{\"name\":\"nons\","
                        "\"kind\":\"namespaces\"},\"code\":404"));
}

static void terminating_namespace_takes_nothing_in(void **state)
{
    do_send(*state, "POST", "/api/v1/namespaces", "{\"metadata\":{\"name\":\"t\"}}", 201);
    do_send(*state, "POST", "/api/v1/namespaces/t/configmaps",
            "{\"metadata\":{\"name\":\"held\",\"finalizers\":[\"ex.io/f\"]}}", 201);
    do_send(*state, "DELETE", "/api/v1/namespaces/t", "", 200);
    assert_sent(*state, "POST", "/api/v1/namespaces/t/configmaps",
                "{\"metadata\":{\"name\":\"a\"}}", 403,
                FAILURE("configmaps \\\"a\\\" is forbidden: unable to create new content in "
                        "namespace t because it is being terminated",
                        "\"reason\":\"Forbidden\",\"details\":{\"name\":\"a\","
                        "\"kind\":\"configmaps\",\"causes\":[{\"reason\":\"NamespaceTerminating\","
                        "\"message\":\"namespace t is being terminated\","
                        "\"field\":\"metadata.namespace\"}]},\"code\":403"));
}

static void resource_version_may_not_be_set(void **state)
{
    assert_sent(*state, "POST", CONFIGMAPS,
                "{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"5\"}}", 500,
                FAILURE("resourceVersion should not be set on objects to be created",
                        "\"code\":500"));
}

static void resource_version_is_ignored_in_a_dry_run_or_if_it_is_no_number(void **state)
{
    assert_sent_has(*state, "POST", CONFIGMAPS "?dryRun=All",
                    "{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"5\"}}", 201,
                    "\"resourceVersion\":\"5\"");
    fake_http_free(send(*state, "POST", CONFIGMAPS,
                        "{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"x\"}}", 201));
}

static void all_faults_are_told_at_once(void **state)
{
    assert_sent(*state, "POST", CONFIGMAPS,
                "{\"metadata\":{\"finalizers\":[\"f\"]},\"data\":{\"a b\":\"\"}}", 422,
                FAILURE("ConfigMap \\\"\\\" is invalid: [metadata.name: Required value: name or "
                        "generateName is required, metadata.finalizers[0]: Invalid value: "
                        "\\\"f\\\": name is neither a standard finalizer name nor is it fully "
                        "qualified, data[a b]: Invalid value: \\\"a b\\\": a valid config key must "
                        "consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or "
                        "'KEY_NAME',  or 'key-name', regex used for validation is "
                        "'[-._a-zA-Z0-9]+')]",
                        "\"reason\":\"Invalid\",\"details\":{\"kind\":\"ConfigMap\",\"causes\":["
                        "{\"reason\":\"FieldValueRequired\",\"message\":\"Required value: name or "
                        "generateName is required\",\"field\":\"metadata.name\"},"
                        "{\"reason\":\"FieldValueInvalid\",\"message\":\"Invalid value: \\\"f\\\": "
                        "name is neither a standard finalizer name nor is it fully qualified\","
                        "\"field\":\"metadata.finalizers[0]\"},"
                        "{\"reason\":\"FieldValueInvalid\",\"message\":\"Invalid value: \\\"a "
                        "b\\\": a valid config key must consist of alphanumeric characters, '-', "
                        "'_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used "
                        "for validation is '[-._a-zA-Z0-9]+')\",\"field\":\"data[a b]\"}]},"
                        "\"code\":422"));
}

static void invalid_goes_before_existing(void **state)
{
    do_send(*state, "POST", CONFIGMAPS, "{\"metadata\":{\"name\":\"a\"}}", 201);
    do_send(*state, "POST", CONFIGMAPS, "{\"metadata\":{\"name\":\"a\"},\"data\":{\" \":\"\"}}",
            422);
}

static void many_at_once_make_one(void **state)
{
    enum {
        CALLS = 20
    };
    api_world *world = *state;
    fake_http *calls[CALLS];
    int made = 0;
    for (int i = 0; i < CALLS; i++)
        calls[i] = send_off(world, "POST", CONFIGMAPS, NULL, "{\"metadata\":{\"name\":\"a\"}}");
    for (int i = 0; i < CALLS; i++) {
        await(world, calls[i]);
        assert_true(calls[i]->status == 201 || calls[i]->status == 409);
        made += calls[i]->status == 201;
        fake_http_free(calls[i]);
    }
    assert_int_equal(made, 1);
}

static void client_may_go_away(void **state)
{
    api_world *world = *state;
    fake_http *gone = send_off(world, "POST", CONFIGMAPS, NULL, "{\"metadata\":{\"name\":\"a\"}}");
    fake_http_free(gone);
    do_send(world, "POST", CONFIGMAPS, "{\"metadata\":{\"name\":\"b\"}}", 201);
    fake_http_free(ask(world, CONFIGMAPS "/a", 200));
}

static void created_object_is_seen_by_watches(void **state)
{
    api_world *world = *state;
    fake_http *watch = ask(world, CONFIGMAPS "?watch=1&resourceVersion=4", 200);
    do_send(world, "POST", CONFIGMAPS, "{\"metadata\":{\"name\":\"a\"}}", 201);
    api_world_turns(world, 2);
    mask(watch);
    assert_came(watch,
                "{\"type\":\"ADDED\",\"object\":{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\","
                "\"metadata\":{\"name\":\"a\",\"namespace\":\"default\",\"uid\":\"U\","
                "\"resourceVersion\":\"5\",\"creationTimestamp\":\"2026-11-15T01:49:24Z\"}}}\n");
    fake_http_free(watch);
}

static void volume_attributes_classes_are_served(void **state)
{
    static const char classes[] = "/apis/storage.k8s.io/v1/volumeattributesclasses";
    assert_sent_has(*state, "POST", classes,
                    "{\"metadata\":{\"name\":\"gold\"},\"driverName\":\"csi.example.com\","
                    "\"parameters\":{\"iops\":\"4000\"}}",
                    201, "\"driverName\":\"csi.example.com\",\"parameters\":{\"iops\":\"4000\"}}");
    fake_http *http = ask_as(*state, classes, "application/json;as=Table;v=v1;g=meta.k8s.io", 200);
    assert_body_has(http, "\"cells\":[\"gold\",\"csi.example.com\",\"0s\"]");
    fake_http_free(http);
    assert_sent_has(*state, "DELETE", "/apis/storage.k8s.io/v1/volumeattributesclasses/gold", "",
                    200, "\"kind\":\"VolumeAttributesClass\"");
}

static void api_services_are_served(void **state)
{
    static const char services[] = "/apis/apiregistration.k8s.io/v1/apiservices";
    assert_sent_has(*state, "POST", services,
                    "{\"metadata\":{\"name\":\"v1.x.example\"},\"spec\":{\"group\":\"x.example\","
                    "\"version\":\"v1\",\"groupPriorityMinimum\":1000,\"versionPriority\":15,"
                    "\"service\":{\"namespace\":\"default\",\"name\":\"api\"}}}",
                    201, "\"service\":{\"namespace\":\"default\",\"name\":\"api\",\"port\":443}");
    assert_sent_has(*state, "POST", services,
                    "{\"metadata\":{\"name\":\"v1.local\"},\"spec\":{\"group\":\"local\","
                    "\"version\":\"v1\",\"groupPriorityMinimum\":1000,\"versionPriority\":15}}",
                    201, "\"reason\":\"Local\"");
    fake_http *http = ask_as(*state, services, "application/json;as=Table;v=v1;g=meta.k8s.io", 200);
    assert_body_has(http, "\"cells\":[\"v1.local\",\"Local\",\"True\",\"0s\"]");
    assert_body_has(http, "\"cells\":[\"v1.x.example\",\"default/api\",\"Unknown\",\"0s\"]");
    fake_http_free(http);
}

static void api_services_are_validated(void **state)
{
    static const char services[] = "/apis/apiregistration.k8s.io/v1/apiservices";
    assert_sent_has(
        *state, "POST", services,
        "{\"metadata\":{\"name\":\"other\"},\"spec\":{\"group\":\"x.example\","
        "\"version\":\"v1\",\"groupPriorityMinimum\":20001,\"versionPriority\":0,"
        "\"caBundle\":\"YWJj\"}}",
        422,
        "APIService.apiregistration.k8s.io \\\"other\\\" is invalid: [metadata.name: "
        "Invalid value: \\\"other\\\": must be `spec.version+\\\".\\\"+spec.group`: "
        "\\\"v1.x.example\\\", spec.groupPriorityMinimum: Invalid value: 20001: must be "
        "positive and less than 20000, spec.versionPriority: Invalid value: 0: must be "
        "positive and less than 1000, spec.caBundle: Invalid value: \\\"3 bytes\\\": "
        "local APIServices may not have a caBundle]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SEEDED_TEST(object_is_made_and_shown),
        SEEDED_TEST(what_is_the_servers_to_say_is_not_taken_from_the_client),
        SEEDED_TEST(object_is_found_by_each_of_its_labels),
        SEEDED_TEST(yaml_is_taken_too),
        SEEDED_TEST(second_of_a_name_is_refused),
        SEEDED_TEST(name_of_what_is_being_deleted_is_not_free),
        SEEDED_TEST(names_are_generated),
        SEEDED_TEST(next_name_is_generated_for_what_was_sent),
        SEEDED_TEST(given_name_goes_before_a_generated_one),
        SEEDED_TEST(dry_run_stores_nothing),
        SEEDED_TEST(options_are_checked),
        SEEDED_TEST(body_that_cannot_be_read_is_refused),
        SEEDED_TEST(body_of_another_kind_is_refused),
        SEEDED_TEST(body_in_a_form_nobody_reads_is_refused),
        SEEDED_TEST(fields_of_the_wrong_type_are_refused),
        SEEDED_TEST(namespace_must_be_that_of_the_url),
        SEEDED_TEST(namespace_must_exist),
        SEEDED_TEST(terminating_namespace_takes_nothing_in),
        SEEDED_TEST(resource_version_may_not_be_set),
        SEEDED_TEST(resource_version_is_ignored_in_a_dry_run_or_if_it_is_no_number),
        SEEDED_TEST(all_faults_are_told_at_once),
        SEEDED_TEST(invalid_goes_before_existing),
        SEEDED_TEST(many_at_once_make_one),
        SEEDED_TEST(client_may_go_away),
        SEEDED_TEST(created_object_is_seen_by_watches),
        SEEDED_TEST(volume_attributes_classes_are_served),
        SEEDED_TEST(api_services_are_served),
        SEEDED_TEST(api_services_are_validated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
