/* SPDX-License-Identifier: Apache-2.0 */
/* kept_parts_test.c -- writes that leave the spec or the status as it is: what is stored stays as
 * it is, whoever asks sees all of it, and who changes it is checked as ever. */
#include "api/context/context.h"
#include "object/object.h"
#include "schema/kinds/kinds.h"
#include "unit/api/sent.h"

#define PODS        DEFAULT "pods"
#define POD         PODS "/p"
#define STATUS      POD "/status"
#define SERVICES    DEFAULT "services"
#define DEPLOYMENTS "/apis/apps/v1/namespaces/default/deployments"
#define JOBS        "/apis/batch/v1/namespaces/default/jobs"
#define ADMISSION   "/apis/admissionregistration.k8s.io/v1/"
#define STRATEGIC   "application/strategic-merge-patch+json"

#define CONTAINER   "{\"name\":\"c\",\"image\":\"i:1\",\"args\":[\"a&b\"]}"
#define TEMPLATE                                                                                   \
    "\"template\":{\"metadata\":{\"labels\":{\"a\":\"b\"}},\"spec\":{%s"                           \
    "\"containers\":[" CONTAINER "]}}"

enum {
    TEXT_MAX = 16384,
};

/* The object at |target| without its managers; to be freed. */
static char *text_of(api_world *world, const char *target)
{
    fake_http *http = ask(world, target, 200);
    drop_managed_fields(http);
    char *text = strndup(http->body.data, http->body.len);
    assert_non_null(text);
    fake_http_free(http);
    return text;
}

/* Returns |text| with |with| instead of the first |what|, which it has; to be freed. */
static char *replaced(const char *text, const char *what, const char *with)
{
    const char *at = strstr(text, what);
    char *made = NULL;
    if (!at)
        fail_msg("no %s in %s", what, text);
    assert_true(asprintf(&made, "%.*s%s%s", (int)(at - text), text, with, at + strlen(what)) > 0);
    return made;
}

/* From |part| on, which it has. */
static const char *from(const char *text, const char *part)
{
    const char *at = strstr(text, part);
    if (!at)
        fail_msg("no %s in %s", part, text);
    return at;
}

/* What is known of the pod |name|. */
static lw_object_check checked(api_world *world, const char *name)
{
    lw_object *obj = lw_cache_get_ref(lw_api_resource(world->api, &lw_kind_pods), LW_STR("default"),
                                      lw_str_of(name));
    assert_non_null(obj);
    lw_object_check check = lw_object__checked(obj);
    lw_object_unref(obj);
    return check;
}

static int with_pod(void **state)
{
    if (seeded_setup(state) < 0)
        return -1;
    do_send(*state, "POST", PODS,
            "{\"metadata\":{\"name\":\"p\",\"labels\":{\"a\":\"b\"}},\"spec\":{\"containers\":"
            "[" CONTAINER "]}}",
            201);
    return 0;
}

#define POD_TEST(function) cmocka_unit_test_setup_teardown(function, with_pod, world_teardown)

static void a_spec_that_is_sent_back_is_stored_as_it_was(void **state)
{
    char *before = text_of(*state, POD), *body = replaced(before, "\"a\":\"b\"", "\"a\":\"c\"");
    assert_sent_has(*state, "PUT", POD, body, 200, "\"labels\":{\"a\":\"c\"}");
    char *after = text_of(*state, POD);
    _assert_string_equal(from(after, "\"spec\""), from(before, "\"spec\""), __FILE__, __LINE__);
    assert_non_null(strstr(after, "\"generation\":1,"));
    assert_int_equal(checked(*state, "p"), LW_OBJECT_ADMITTED);
    free(before);
    free(body);
    free(after);
}

static void another_form_of_the_same_spec_is_no_change(void **state)
{
    static const char *const forms[][2] = {
        { "a\\u0026b", "a&b" },
        { "\"name\":\"c\",", " \"name\" : \"c\"\n, " },
        { "\"name\":\"c\",\"image\":\"i:1\"", "\"image\":\"i:1\",\"name\":\"c\"" },
        { "\"name\":\"c\"", "\"name\":\"c\",\"tty\":false,\"command\":[],\"env\":null" },
        { "\"resources\":{},", "" },
    };
    char *before = text_of(*state, POD);
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        char *body = replaced(before, forms[i][0], forms[i][1]);
        do_send(*state, "PUT", POD "?fieldValidation=Strict", body, 200);
        char *after = text_of(*state, POD);
        _assert_string_equal(after, before, __FILE__, __LINE__);
        free(body);
        free(after);
    }
    free(before);
}

static void what_is_wrong_with_a_spec_is_found(void **state)
{
    static const struct {
        const char *with, *finding;
    } cases[] = {
        { "\"name\":\"c\",\"name\":\"c\"", "duplicate field \\\"spec.containers[0].name\\\"" },
        { "\"name\":\"c\",\"nmae\":\"c\"", "unknown field \\\"spec.containers[0].nmae\\\"" },
    };
    char *before = text_of(*state, POD), warning[256];
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char *body = replaced(before, "\"name\":\"c\"", cases[i].with);
        fake_http *http = send(*state, "PUT", POD, body, 200);
        (void)snprintf(warning, sizeof(warning), "299 - \"%s\"", cases[i].finding);
        assert_header(http, "warning", warning);
        fake_http_free(http);
        (void)snprintf(warning, sizeof(warning), "strict decoding error: %.*s",
                       (int)(strchr(cases[i].finding, '\\') - cases[i].finding), cases[i].finding);
        assert_sent_has(*state, "PUT", POD "?fieldValidation=Strict", body, 400, warning);
        free(body);
    }
    char *body = replaced(before, "\"image\":\"i:1\"", "\"image\":5");
    assert_sent_has(*state, "PUT", POD, body, 400, "cannot unmarshal number into Go struct field");
    free(body);
    body = replaced(before, "\"restartPolicy\":\"Always\"", "\"restartPolicy\":\"Never\"");
    assert_sent_has(*state, "PUT", POD, body, 422, "pod updates may not change fields other than");
    free(body);
    free(before);
}

/* Of two members with one name the last one counts, also if the first one is the stored one. */
static void a_spec_that_is_sent_twice_is_a_duplicate(void **state)
{
    char *before = text_of(*state, POD);
    char *body = replaced(before, "\"status\":", "\"spec\":{\"containers\":[]},\"status\":");
    assert_sent_has(*state, "PUT", POD, body, 422, "may not add or remove containers");
    fake_http *http = send(*state, "PUT", POD "?fieldValidation=Strict", body, 400);
    assert_body_has(http, "duplicate field \\\"spec\\\"");
    fake_http_free(http);
    free(before);
    free(body);
}

static void a_status_that_is_sent_back_is_no_change(void **state)
{
    do_send_as(*state, "PATCH", STATUS, MERGE_PATCH,
               "{\"status\":{\"podIP\":\"10.0.0.1\",\"message\":\"m\"}}", 200);
    char *before = text_of(*state, POD);
    do_send(*state, "PUT", STATUS, before, 200);
    char *after = text_of(*state, POD);
    _assert_string_equal(after, before, __FILE__, __LINE__);
    free(after);
    char *body = replaced(before, "\"message\":\"m\"", "\"message\":\"n\"");
    do_send(*state, "PUT", STATUS, body, 200);
    after = text_of(*state, POD);
    assert_non_null(strstr(after, "\"message\":\"n\""));
    assert_non_null(strstr(after, "\"podIP\":\"10.0.0.1\""));
    size_t len = (size_t)(from(before, "\"status\"") - from(before, "\"spec\""));
    assert_memory_equal(from(after, "\"spec\""), from(before, "\"spec\""), len);
    assert_int_equal(checked(*state, "p"), LW_OBJECT_ADMITTED);
    free(before);
    free(body);
    free(after);
}

static void patches_of_other_parts_leave_the_spec_as_it_is(void **state)
{
    static const struct {
        const char *target, *type, *patch;
    } cases[] = {
        { POD, MERGE_PATCH, "{\"metadata\":{\"labels\":{\"a\":\"1\"}}}" },
        { POD, STRATEGIC, "{\"metadata\":{\"labels\":{\"a\":\"2\"}}}" },
        { STATUS, MERGE_PATCH, "{\"status\":{\"message\":\"1\"}}" },
        { STATUS, STRATEGIC,
          "{\"status\":{\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"}]}}" },
    };
    char *before = text_of(*state, POD);
    size_t len = (size_t)(from(before, "\"status\"") - from(before, "\"spec\""));
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        do_send_as(*state, "PATCH", cases[i].target, cases[i].type, cases[i].patch, 200);
        char *after = text_of(*state, POD);
        assert_memory_equal(from(after, "\"spec\""), from(before, "\"spec\""), len);
        assert_int_equal(checked(*state, "p"), LW_OBJECT_ADMITTED);
        free(after);
    }
    free(before);
    /* JSON patches see what is stored: the zero values that Go writes. */
    do_send_as(*state, "PATCH", POD, JSON_PATCH,
               "[{\"op\":\"test\",\"path\":\"/spec/containers/0/resources\",\"value\":{}},"
               "{\"op\":\"add\",\"path\":\"/metadata/labels/z\",\"value\":\"1\"}]",
               200);
}

static void a_binding_leaves_the_rest_of_the_spec_as_it_is(void **state)
{
    char *before = text_of(*state, POD);
    do_send(*state, "POST", POD "/binding",
            "{\"metadata\":{\"name\":\"p\"},\"target\":{\"kind\":\"Node\",\"name\":\"n\"}}", 201);
    char *after = text_of(*state, POD);
    char *spec =
        replaced(from(before, "\"spec\""), "},\"status\"", ",\"nodeName\":\"n\"},\"status\"");
    size_t len = (size_t)(from(spec, ",\"status\"") - spec);
    assert_memory_equal(from(after, "\"spec\""), spec, len);
    assert_int_equal(checked(*state, "p"), LW_OBJECT_ADMITTED);
    free(before);
    free(after);
    free(spec);
}

/* The second one is sent with the spec that is there when it is read, but not when it is decided.
 */
static void a_write_that_decides_again_compares_again(void **state)
{
    char *first = text_of(*state, POD),
         *image = replaced(first, "\"image\":\"i:1\"", "\"image\":\"i:2\"");
    char *plain = replaced(first, "\"resourceVersion\"", "\"selfLink\"");
    char *other = replaced(image, "\"resourceVersion\"", "\"selfLink\"");
    char *label = replaced(plain, "\"a\":\"b\"", "\"a\":\"c\"");
    fake_http *a = send_off(*state, "PUT", POD, NULL, other);
    fake_http *b = send_off(*state, "PUT", POD, NULL, label);
    await(*state, a);
    await(*state, b);
    assert_int_equal(a->status, 200);
    assert_int_equal(b->status, 200);
    assert_body_has(a, "\"image\":\"i:2\"");
    assert_body_has(b, "\"image\":\"i:1\"");
    assert_body_has(b, "\"labels\":{\"a\":\"c\"}");
    assert_body_has(b, "\"generation\":3,");
    fake_http_free(a);
    fake_http_free(b);
    free(first);
    free(image);
    free(plain);
    free(other);
    free(label);
}

static void generation_counts_changes_of_the_spec_only(void **state)
{
    char body[TEXT_MAX];
    (void)
        snprintf(body, sizeof(body),
                 "{\"metadata\":{\"name\":\"d\",\"labels\":{\"a\":\"b\"}},\"spec\":{\"selector\":{"
                 "\"matchLabels\":{\"a\":\"b\"}}," TEMPLATE "}}",
                 "");
    do_send(*state, "POST", DEPLOYMENTS, body, 201);
    char *made = text_of(*state, DEPLOYMENTS "/d");
    char *label = replaced(made, "\"labels\":{\"a\":\"b\"}", "\"labels\":{\"a\":\"c\"}");
    assert_sent_has(*state, "PUT", DEPLOYMENTS "/d", label, 200, "\"generation\":1,");
    char *now = text_of(*state, DEPLOYMENTS "/d");
    char *more = replaced(now, "\"replicas\":1", "\"replicas\":2");
    assert_sent_has(*state, "PUT", DEPLOYMENTS "/d", more, 200, "\"generation\":2,");
    free(made);
    free(label);
    free(now);
    free(more);
}

static void allocated_ports_and_addresses_stay(void **state)
{
    do_send(
        *state, "POST", SERVICES,
        "{\"metadata\":{\"name\":\"s\",\"labels\":{\"a\":\"b\"}},\"spec\":{\"type\":\"NodePort\","
        "\"ports\":[{\"port\":80}]}}",
        201);
    char *before = text_of(*state, SERVICES "/s");
    char *label = replaced(before, "\"a\":\"b\"", "\"a\":\"c\"");
    do_send(*state, "PUT", SERVICES "/s", label, 200);
    char *after = text_of(*state, SERVICES "/s");
    _assert_string_equal(from(after, "\"spec\""), from(before, "\"spec\""), __FILE__, __LINE__);
    free(before);
    free(label);
    free(after);
}

static void immutable_fields_are_compared_as_ever(void **state)
{
    char body[TEXT_MAX];
    (void)snprintf(body, sizeof(body),
                   "{\"metadata\":{\"name\":\"j\",\"labels\":{\"a\":\"b\"}},\"spec\":{" TEMPLATE
                   "}}",
                   "\"restartPolicy\":\"Never\",");
    do_send(*state, "POST", JOBS, body, 201);
    char *made = text_of(*state, JOBS "/j");
    char *label = replaced(made, "\"labels\":{\"a\":\"b\"", "\"labels\":{\"a\":\"c\"");
    do_send(*state, "PUT", JOBS "/j", label, 200);
    char *now = text_of(*state, JOBS "/j");
    _assert_string_equal(from(now, "\"spec\""), from(made, "\"spec\""), __FILE__, __LINE__);
    char *other = replaced(now, "\"image\":\"i:1\"", "\"image\":\"i:2\"");
    assert_sent_has(*state, "PUT", JOBS "/j", other, 422, "field is immutable");
    free(made);
    free(label);
    free(now);
    free(other);
}

/* What another program has stored is not known to be what this one would have. */
static void a_default_that_is_missing_is_set_by_an_update(void **state)
{
    static const char stored[] =
        "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"q\",\"namespace\":"
        "\"default\",\"uid\":\"u\",\"labels\":{\"a\":\"b\"}},\"spec\":{\"containers\":[{\"image\":"
        "\"i:1\",\"name\":\"c\"}]},\"status\":{}}";
    assert_true(api_world_put(*state, "pods/default/q", stored) > 0);
    assert_int_equal(checked(*state, "q"), LW_OBJECT_UNCHECKED);
    assert_sent_has(*state, "PUT", PODS "/q",
                    "{\"metadata\":{\"name\":\"q\",\"labels\":{\"a\":\"c\"}},\"spec\":{"
                    "\"containers\":[{\"image\":\"i:1\",\"name\":\"c\"}]}}",
                    200, "\"restartPolicy\":\"Always\"");
    assert_int_equal(checked(*state, "q"), LW_OBJECT_ADMITTED);
}

/* A change of the status defaults nothing, and the next update still does. */
static void a_default_that_is_missing_is_set_after_a_change_of_the_status(void **state)
{
    static const char stored[] =
        "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"q\",\"namespace\":"
        "\"default\",\"uid\":\"u\"},\"spec\":{\"containers\":[{\"image\":\"i:1\",\"name\":\"c\","
        "\"tty\":false}]},"
        "\"status\":{}}";
    assert_true(api_world_put(*state, "pods/default/q", stored) > 0);
    do_send_as(*state, "PATCH", PODS "/q/status", MERGE_PATCH, "{\"status\":{\"message\":\"m\"}}",
               200);
    assert_int_equal(checked(*state, "q"), LW_OBJECT_NORMALIZED);
    char *normal = text_of(*state, PODS "/q"); /* as Go writes it */
    assert_null(strstr(normal, "tty"));
    free(normal);
    assert_sent_has_as(*state, "PATCH", PODS "/q", MERGE_PATCH,
                       "{\"metadata\":{\"labels\":{\"a\":\"c\"}}}", 200,
                       "\"restartPolicy\":\"Always\"");
}

/* Policies see the spec as Go has read it, in the object and in the old one. */
static void a_policy_reads_a_spec_that_is_not_changed(void **state)
{
    do_send(*state, "POST", ADMISSION "validatingadmissionpolicies",
            "{\"metadata\":{\"name\":\"v\"},\"spec\":{\"matchConstraints\":{\"resourceRules\":[{"
            "\"apiGroups\":[\"\"],\"apiVersions\":[\"v1\"],\"operations\":[\"UPDATE\"],"
            "\"resources\":[\"pods\"]}]},\"validations\":[{\"expression\":\"object.spec == "
            "oldObject.spec && object.spec.containers[0].image == 'i:1' && "
            "object.metadata.labels.a != 'x'\",\"messageExpression\":\"'image ' + "
            "oldObject.spec.containers[0].image\"}]}}",
            201);
    do_send(*state, "POST", ADMISSION "validatingadmissionpolicybindings",
            "{\"metadata\":{\"name\":\"v\"},\"spec\":{\"policyName\":\"v\",\"validationActions\":["
            "\"Deny\"]}}",
            201);
    char *before = text_of(*state, POD), *good = replaced(before, "\"a\":\"b\"", "\"a\":\"c\"");
    do_send(*state, "PUT", POD, good, 200);
    char *now = text_of(*state, POD), *bad = replaced(now, "\"a\":\"c\"", "\"a\":\"x\"");
    _assert_string_equal(from(now, "\"spec\""), from(before, "\"spec\""), __FILE__, __LINE__);
    assert_sent_has(*state, "PUT", POD, bad, 422, "denied request: image i:1");
    free(before);
    free(good);
    free(now);
    free(bad);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        POD_TEST(a_spec_that_is_sent_back_is_stored_as_it_was),
        POD_TEST(another_form_of_the_same_spec_is_no_change),
        POD_TEST(what_is_wrong_with_a_spec_is_found),
        POD_TEST(a_spec_that_is_sent_twice_is_a_duplicate),
        POD_TEST(a_status_that_is_sent_back_is_no_change),
        POD_TEST(patches_of_other_parts_leave_the_spec_as_it_is),
        POD_TEST(a_binding_leaves_the_rest_of_the_spec_as_it_is),
        POD_TEST(a_write_that_decides_again_compares_again),
        POD_TEST(a_policy_reads_a_spec_that_is_not_changed),
        SEEDED_TEST(generation_counts_changes_of_the_spec_only),
        SEEDED_TEST(allocated_ports_and_addresses_stay),
        SEEDED_TEST(immutable_fields_are_compared_as_ever),
        SEEDED_TEST(a_default_that_is_missing_is_set_by_an_update),
        SEEDED_TEST(a_default_that_is_missing_is_set_after_a_change_of_the_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
