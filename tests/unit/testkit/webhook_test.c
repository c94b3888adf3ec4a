/* SPDX-License-Identifier: Apache-2.0 */
/* webhook_test.c -- the webhooks of a controller, called by an API server in this process. */
#include <listwatch/server_webhook.h>

#include <poll.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file/files.h"
#include "base/str.h"
#include "base/sync.h"
#include "base/text/base64.h"
#include "net/tls/tls_make.h"
#include "server/hook_server/review.h"
#include "unit/testkit/kit.h"

static lw_webhook_server *hooks;
static atomic_int calls;

/* Denies the value "bad", warns about "odd", and adds a label to all others. */
static void decide(const lw_webhook_admission *request, lw_webhook_response *response, void *arg)
{
    lw_object *obj = NULL;
    (void)arg;
    atomic_fetch_add(&calls, 1);
    if (lw_object_from_json(&obj, request->object.ptr, request->object.len, NULL) < 0) {
        lw_webhook_deny(response, 400, "no object");
        return;
    }
    const char *v = lw_object_string(obj, "/data/v", "");
    if (strcmp(v, "bad") == 0)
        lw_webhook_deny(response, 0, "%s of %s %s/%s by %s is \"bad\"", request->operation,
                        request->resource, request->ns, request->name,
                        request->user[0] ? "somebody" : "nobody");
    else if (strcmp(v, "odd") == 0)
        lw_webhook_warn(response, "an odd value: %s", v);
    else if (strcmp(v, "broken") == 0)
        lw_webhook_patch(response, lw_str_of("[{\"op\":"));
    else
        lw_webhook_patch(response, lw_str_of("[{\"op\":\"add\",\"path\":\"/metadata/labels\","
                                             "\"value\":{\"seen\":\"yes\"}}]"));
    lw_webhook_annotate(response, "value", v);
    lw_object_unref(obj);
}

static void configure(const char *ca_bundle)
{
    char text[16384];
    (void)snprintf(text, sizeof(text),
                   "apiVersion: admissionregistration.k8s.io/v1\n"
                   "kind: MutatingWebhookConfiguration\n"
                   "metadata: {name: hook}\n"
                   "webhooks:\n"
                   "- name: hook.example.com\n"
                   "  admissionReviewVersions: [v1]\n"
                   "  sideEffects: None\n"
                   "  clientConfig: {url: '%s/mutate', caBundle: %s}\n"
                   "  rules:\n"
                   "  - {apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: "
                   "[configmaps]}\n",
                   lw_webhook_server_url(hooks), ca_bundle);
    KIT_OK(lw_test_create(kit, text, kit_err));
}

static void open_hooks(const lw_webhook_server_options *options)
{
    KIT_OK(lw_webhook_server_new(&hooks, options, kit_err));
    KIT_OK(lw_webhook_server_add_admission(hooks, "/mutate", decide, NULL, kit_err));
}

static int close_hooks(void **state)
{
    lw_webhook_server_free(hooks);
    hooks = NULL;
    return kit_tear_down(state);
}

/* The API server calls the webhook a moment after its configuration was created. */
static void await_call(void)
{
    char name[32];
    for (int i = 0; atomic_load(&calls) == 0; i++) {
        (void)snprintf(name, sizeof(name), "try-%d", i);
        KIT_OK(kit_create(name, "1", kit_err));
    }
}

static void check_answers(void)
{
    lw_error err = LW_ERROR_INIT;
    await_call();
    assert_int_equal(kit_create("a", "bad", &err), LW_ERR_FORBIDDEN);
    assert_string_equal(err.message, "admission webhook \"hook.example.com\" denied the request: "
                                     "CREATE of configmaps default/a by somebody is \"bad\"");
    KIT_OK(kit_create("b", "good", kit_err));
    KIT_OK(lw_wait_for_value(lw_test_observer(kit), "configmaps", "default", "b",
                             "/metadata/labels/seen", "yes", NULL, kit_err));
    KIT_OK(kit_create("c", "odd", kit_err));
    assert_int_equal(kit_create("d", "broken", &err), LW_ERR_INTERNAL);
}

static void a_server_in_threads_answers(void **state)
{
    const lw_webhook_server_options options = { .size = sizeof(options), .workers = 2 };
    (void)state;
    atomic_store(&calls, 0);
    open_hooks(&options);
    KIT_OK(lw_webhook_server_start(hooks, kit_err));
    assert_int_equal(lw_webhook_server_start(hooks, NULL), LW_ERR_EXISTS);
    configure(lw_webhook_server_ca_bundle(hooks));
    check_answers();
}

static atomic_bool must_end;

static void dispatch(void *arg)
{
    (void)arg;
    while (!atomic_load(&must_end)) {
        struct pollfd fd = { .fd = lw_webhook_server_fd(hooks), .events = POLLIN };
        int ms = lw_webhook_server_timeout_ms(hooks);
        (void)poll(&fd, 1, ms < 0 || ms > 10 ? 10 : ms);
        lw_webhook_server_dispatch(hooks);
    }
}

static void a_server_in_a_loop_answers(void **state)
{
    lw_thread thread;
    (void)state;
    atomic_store(&calls, 0);
    atomic_store(&must_end, false);
    open_hooks(NULL);
    KIT_OK(lw_thread_start(&thread, "loop", dispatch, NULL, kit_err));
    configure(lw_webhook_server_ca_bundle(hooks));
    check_answers();
    atomic_store(&must_end, true);
    lw_thread_join(&thread);
}

/* Writes a certificate for 127.0.0.1 that |ca| has signed, with its key. */
static void write_pair(const char *cert_file, const char *key_file, lw_buf *ca, lw_buf *ca_key)
{
    const char *const hosts[] = { "127.0.0.1", NULL };
    const lw_tls_subject subject = { .common_name = "hook", .hosts = hosts, .days = 2 };
    lw_buf cert, key;
    lw_buf_init(&cert, 65536);
    lw_buf_init(&key, 65536);
    KIT_OK(lw_tls_make(&subject, lw_buf_view(ca), lw_buf_view(ca_key), &cert, &key, kit_err));
    FILE *file = fopen(key_file, "w");
    assert_int_equal(fwrite(key.data, 1, key.len, file), key.len);
    assert_int_equal(fclose(file), 0);
    file = fopen(cert_file, "w");
    assert_int_equal(fwrite(cert.data, 1, cert.len, file), cert.len);
    assert_int_equal(fclose(file), 0);
    lw_buf_done(&cert);
    lw_buf_done(&key);
}

static void make_ca(lw_buf *cert, lw_buf *key)
{
    const lw_tls_subject subject = { .common_name = "ca", .is_ca = true, .days = 2 };
    lw_buf_init(cert, 65536);
    lw_buf_init(key, 65536);
    KIT_OK(lw_tls_make(&subject, LW_STR(""), LW_STR(""), cert, key, kit_err));
}

typedef struct reloads {
    lw_mutex mu; /* guards what follows */
    lw_cond changed;
    int count;
} reloads;

static void note_reload(lw_log_level level, const char *component, const char *line, void *arg)
{
    reloads *r = arg;
    (void)level, (void)component;
    lw_mutex_lock(&r->mu);
    r->count += strstr(line, "new connections use the new certificate") != NULL;
    lw_cond_signal(&r->changed);
    lw_mutex_unlock(&r->mu);
}

static void await_reload(reloads *r)
{
    lw_mutex_lock(&r->mu);
    while (r->count == 0)
        lw_cond_wait(&r->changed, &r->mu);
    lw_mutex_unlock(&r->mu);
}

static void a_new_certificate_is_loaded(void **state)
{
    char folder[] = "/tmp/hooks-XXXXXX", cert[64], key[64];
    lw_buf ca[2], ca_key[2];
    lw_error err = LW_ERROR_INIT;
    lw_buf bundle;
    reloads r = { .count = 0 };
    const lw_logger logger = { LW_LOG_INFO, note_reload, &r };
    (void)state;
    lw_mutex_init(&r.mu);
    lw_cond_init(&r.changed);
    atomic_store(&calls, 0);
    assert_non_null(mkdtemp(folder));
    (void)snprintf(cert, sizeof(cert), "%s/tls.crt", folder);
    (void)snprintf(key, sizeof(key), "%s/tls.key", folder);
    make_ca(&ca[0], &ca_key[0]);
    make_ca(&ca[1], &ca_key[1]);
    write_pair(cert, key, &ca[0], &ca_key[0]);
    const lw_webhook_server_options options = {
        .size = sizeof(options), .cert_file = cert, .key_file = key, .logger = &logger
    };
    open_hooks(&options);
    assert_string_equal(lw_webhook_server_ca(hooks), "");
    KIT_OK(lw_webhook_server_start(hooks, kit_err));
    write_pair(cert, key, &ca[1], &ca_key[1]); /* which the API server will trust */
    await_reload(&r);
    lw_buf_init(&bundle, 65536);
    lw_base64_encode(&bundle, lw_buf_view(&ca[1]));
    lw_buf_append_char(&bundle, '\0');
    configure(bundle.data);
    lw_buf_done(&bundle);
    await_call(); /* the API server accepts the new certificate */
    /* A pair that does not fit together is not used. */
    FILE *file = fopen(key, "w");
    assert_true(fputs("nothing\n", file) >= 0);
    assert_int_equal(fclose(file), 0);
    lw_webhook_server_free(hooks);
    hooks = NULL;
    assert_int_equal(lw_webhook_server_new(&hooks, &options, &err), LW_ERR_INVALID);
    (void)unlink(cert);
    (void)unlink(key);
    (void)rmdir(folder);
    lw_cond_done(&r.changed);
    lw_mutex_done(&r.mu);
    for (int i = 0; i < 2; i++) {
        lw_buf_done(&ca[i]);
        lw_buf_done(&ca_key[i]);
    }
}

static void paths_are_checked(void **state)
{
    (void)state;
    open_hooks(NULL);
    assert_int_equal(lw_webhook_server_add_admission(hooks, "x", decide, NULL, NULL),
                     LW_ERR_INVALID);
    assert_int_equal(lw_webhook_server_add_admission(hooks, "/mutate", decide, NULL, NULL),
                     LW_ERR_EXISTS);
    char path[16];
    for (int i = 1; i < 32; i++) {
        (void)snprintf(path, sizeof(path), "/%d", i);
        KIT_OK(lw_webhook_server_add_admission(hooks, path, decide, NULL, kit_err));
    }
    assert_int_equal(lw_webhook_server_add_admission(hooks, "/32", decide, NULL, NULL),
                     LW_ERR_LIMIT);
}

static void convert(lw_str object, const char *api_version, lw_webhook_response *response,
                    void *arg)
{
    char text[256];
    (void)arg;
    if (lw_str_equal(object, lw_str_of("{\"a\":1}")))
        return; /* forgets to answer */
    if (lw_str_equal(object, lw_str_of("{\"a\":2}")))
        lw_webhook_deny(response, 0, "2 cannot be converted");
    (void)snprintf(text, sizeof(text), "{\"apiVersion\":\"%s\"}", api_version);
    lw_webhook_converted(response, lw_str_of(text));
}

static void check_review(const lw_review_handler *handler, const char *body, int status,
                         const char *answer)
{
    lw_buf out;
    lw_buf_init(&out, LW_REVIEW_ANSWER_MAX);
    assert_int_equal(lw_review_answer(handler, lw_str_of(body), &out), status);
    lw_buf_append_char(&out, '\0');
    assert_string_equal(out.data, answer);
    lw_buf_done(&out);
}

#define CONVERSION(objects)                                                                        \
    "{\"apiVersion\":\"apiextensions.k8s.io/v1\",\"kind\":\"ConversionReview\",\"request\":{"      \
    "\"uid\":\"u\",\"desiredAPIVersion\":\"g/v2\",\"objects\":" objects "}}"
#define CONVERTED(rest)                                                                            \
    "{\"apiVersion\":\"apiextensions.k8s.io/v1\",\"kind\":\"ConversionReview\",\"response\":{"     \
    "\"uid\":\"u\",\"convertedObjects\":" rest "}}"

static void conversions_are_answered(void **state)
{
    const lw_review_handler h = { .convert = convert };
    (void)state;
    check_review(&h, CONVERSION("[{\"a\":0},{\"b\":0}]"), 200,
                 CONVERTED("[{\"apiVersion\":\"g/v2\"},{\"apiVersion\":\"g/v2\"}],\"result\":{"
                           "\"status\":\"Success\"}"));
    check_review(&h, CONVERSION("[]"), 200, CONVERTED("[],\"result\":{\"status\":\"Success\"}"));
    check_review(&h, CONVERSION("[{\"a\":2},{\"b\":0}]"), 200,
                 CONVERTED("[],\"result\":{\"status\":\"Failure\",\"message\":\"2 cannot be "
                           "converted\"}"));
    check_review(&h, CONVERSION("[{\"a\":1}]"), 200,
                 CONVERTED("[],\"result\":{\"status\":\"Failure\",\"message\":\"the webhook did "
                           "not return an object\"}"));
}

static void what_is_not_a_review_is_refused(void **state)
{
    const lw_review_handler c = { .convert = convert }, a = { .admit = decide };
    (void)state;
    check_review(&c, "{", 400, "the body is not JSON\n");
    check_review(&c, "{}", 400, "the body is not a ConversionReview of version v1\n");
    check_review(&a, CONVERSION("[]"), 400, "the body is not an AdmissionReview of version v1\n");
    check_review(&a,
                 "{\"apiVersion\":\"admission.k8s.io/v1\",\"kind\":\"AdmissionReview\","
                 "\"request\":{\"uid\":\"u\"}}",
                 200,
                 "{\"apiVersion\":\"admission.k8s.io/v1\",\"kind\":\"AdmissionReview\","
                 "\"response\":{\"uid\":\"u\",\"allowed\":false,\"status\":{\"code\":400,"
                 "\"message\":\"no object\"}}}");
}

static int nothing(void **state)
{
    (void)state;
    return 0;
}

int main(void)
{
#define KIT_TEST(name) cmocka_unit_test_setup_teardown(name, kit_set_up, close_hooks)
    const struct CMUnitTest tests[] = {
        KIT_TEST(a_server_in_threads_answers),
        KIT_TEST(a_server_in_a_loop_answers),
        KIT_TEST(a_new_certificate_is_loaded),
        KIT_TEST(paths_are_checked),
        cmocka_unit_test_setup_teardown(conversions_are_answered, nothing, nothing),
        cmocka_unit_test_setup_teardown(what_is_not_a_review_is_refused, nothing, nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
