/* SPDX-License-Identifier: Apache-2.0 */
/* pki_test.c -- keys and certificates of a server that was given none. */
#include "server/core/pki.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/str.h"
#include "net/tls/tls.h"
#include "net/tls/tls_make.h"
#include "net/tls/tls_read.h"
#include "unit/server/scratch_folder.h"

enum {
    TEXT_SIZE = 16 * 1024,
};

static const char *const local[] = { "localhost", "127.0.0.1", NULL };
static const char *const moved[] = { "localhost", "127.0.0.1", "10.1.2.3", NULL };

static int64_t now_ns(void)
{
    return lw_clock_wall(lw_clock_system());
}

/* Opens the pki in the scratch folder, |days| from now, and answers with a status. */
static lw_status open_in(scratch *s, lw_pki *pki, const char *const *hosts, int64_t days,
                         lw_error *err)
{
    char folder[128];
    (void)snprintf(folder, sizeof(folder), "%s/pki", s->folder);
    const lw_pki_options options = {
        .folder = folder,
        .hosts = hosts,
        .wall_ns = now_ns() + days * 24 * 3600 * LW_NS_PER_S,
    };
    memset(pki, 0, sizeof(*pki));
    return lw_pki_open(pki, &options, err);
}

static void start_once(scratch *s, const char *const *hosts, int64_t days)
{
    lw_pki pki;
    lw_error err = LW_ERROR_INIT;
    if (open_in(s, &pki, hosts, days, &err) < 0)
        fail_msg("%s", err.message);
    lw_pki_done(&pki);
}

/* What the files say, to see which were made anew. */
typedef struct snapshot {
    char ca[TEXT_SIZE], server[TEXT_SIZE], admin[TEXT_SIZE], token[TEXT_SIZE];
} snapshot;

static void take_snapshot(scratch *s, snapshot *shot)
{
    assert_true(scratch_read(s, "pki/ca.crt", shot->ca, TEXT_SIZE) > 0);
    assert_true(scratch_read(s, "pki/server.crt", shot->server, TEXT_SIZE) > 0);
    assert_true(scratch_read(s, "pki/admin.crt", shot->admin, TEXT_SIZE) > 0);
    assert_true(scratch_read(s, "pki/admin.token", shot->token, TEXT_SIZE) > 0);
}

static void the_first_start_makes_everything_for_the_owner_alone(void **state)
{
    (void)state;
    static const char *const names[] = { "pki/ca.crt",     "pki/ca.key",    "pki/server.crt",
                                         "pki/server.key", "pki/admin.crt", "pki/admin.key",
                                         "pki/admin.token" };
    scratch s;
    scratch_begin(&s);
    start_once(&s, local, 0);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        assert_int_equal(scratch_mode(&s, names[i]), 0600);
    assert_int_equal(scratch_mode(&s, "pki"), 0700);
    scratch_end(&s);
}

static void what_was_made_fits_together(void **state)
{
    (void)state;
    scratch s;
    lw_pki pki;
    lw_error err = LW_ERROR_INIT;
    char key[TEXT_SIZE], cert[TEXT_SIZE];
    scratch_begin(&s);
    assert_int_equal(open_in(&s, &pki, local, 0, &err), LW_OK);
    assert_true(scratch_read(&s, "pki/server.crt", cert, sizeof(cert)) > 0);
    assert_true(scratch_read(&s, "pki/server.key", key, sizeof(key)) > 0);
    int64_t now_s = now_ns() / LW_NS_PER_S;
    lw_tls_ca *ca = NULL;
    assert_int_equal(lw_tls_ca_read(&ca, lw_str_of(pki.ca_cert), lw_str_of(pki.ca_key), &err),
                     LW_OK);
    assert_string_equal(pki.trust, pki.ca_cert);
    const lw_tls_wish wish = { lw_str_of(cert), lw_str_of(key), ca,
                               local,           now_s,          now_s + 800LL * 24 * 3600 };
    if (lw_tls_check(&wish, &err) < 0)
        fail_msg("%s", err.message);
    lw_tls_ca_free(ca);
    lw_tls_context *context = NULL;
    const lw_tls_options tls = { pki.cert_file, pki.key_file, pki.client_ca_file, NULL };
    assert_int_equal(lw_tls_context_new(&context, &tls, &err), LW_OK);
    lw_tls_context_free(context);
    assert_int_equal(strlen(pki.admin_token), 43);
    lw_pki_done(&pki);
    scratch_end(&s);
}

static void the_next_start_keeps_everything(void **state)
{
    (void)state;
    scratch s;
    snapshot *a = lw_alloc(sizeof(*a)), *b = lw_alloc(sizeof(*b));
    scratch_begin(&s);
    start_once(&s, local, 0);
    take_snapshot(&s, a);
    start_once(&s, local, 100);
    take_snapshot(&s, b);
    assert_string_equal(a->ca, b->ca);
    assert_string_equal(a->server, b->server);
    assert_string_equal(a->admin, b->admin);
    assert_string_equal(a->token, b->token);
    scratch_end(&s);
    lw_free(a);
    lw_free(b);
}

static void a_server_that_moved_gets_a_new_certificate_of_the_same_ca(void **state)
{
    (void)state;
    scratch s;
    snapshot *a = lw_alloc(sizeof(*a)), *b = lw_alloc(sizeof(*b));
    scratch_begin(&s);
    start_once(&s, local, 0);
    take_snapshot(&s, a);
    start_once(&s, moved, 0);
    take_snapshot(&s, b);
    assert_string_equal(a->ca, b->ca);
    assert_string_not_equal(a->server, b->server);
    assert_string_equal(a->admin, b->admin);
    assert_string_equal(a->token, b->token);
    start_once(&s, local, 0); /* fewer hosts than it has: it stays */
    take_snapshot(&s, a);
    assert_string_equal(a->server, b->server);
    scratch_end(&s);
    lw_free(a);
    lw_free(b);
}

static void certificates_are_renewed_before_they_expire(void **state)
{
    (void)state;
    scratch s;
    snapshot *a = lw_alloc(sizeof(*a)), *b = lw_alloc(sizeof(*b));
    scratch_begin(&s);
    start_once(&s, local, 0);
    take_snapshot(&s, a);
    start_once(&s, local, LW_PKI_LEAF_DAYS - LW_PKI_RENEW_DAYS - 1);
    take_snapshot(&s, b);
    assert_string_equal(a->server, b->server);
    start_once(&s, local, LW_PKI_LEAF_DAYS - LW_PKI_RENEW_DAYS + 1);
    take_snapshot(&s, b);
    assert_string_equal(a->ca, b->ca);
    assert_string_not_equal(a->server, b->server);
    assert_string_not_equal(a->admin, b->admin);
    assert_string_equal(a->token, b->token);
    scratch_end(&s);
    lw_free(a);
    lw_free(b);
}

static void a_key_of_another_is_replaced(void **state)
{
    (void)state;
    scratch s;
    char text[TEXT_SIZE];
    scratch_begin(&s);
    start_once(&s, local, 0);
    assert_true(scratch_read(&s, "pki/admin.key", text, sizeof(text)) > 0);
    scratch_write(&s, "pki/server.key", text);
    start_once(&s, local, 0);
    char again[TEXT_SIZE];
    assert_true(scratch_read(&s, "pki/server.key", again, sizeof(again)) > 0);
    assert_string_not_equal(text, again);
    scratch_end(&s);
}

static void a_ca_that_does_not_fit_is_left_for_somebody_to_look_at(void **state)
{
    (void)state;
    scratch s;
    lw_pki pki;
    lw_error err = LW_ERROR_INIT;
    char before[TEXT_SIZE], after[TEXT_SIZE];
    scratch_begin(&s);
    start_once(&s, local, 0);
    scratch_write(&s, "pki/ca.crt", "no certificate at all\n");
    assert_int_equal(open_in(&s, &pki, local, 0, &err), LW_ERR_INVALID);
    assert_non_null(strstr(err.message, "ca.crt"));
    assert_non_null(strstr(err.message, "remove the directory"));
    lw_pki_done(&pki);
    /* Nor is a certificate replaced because its key is lost: clients trust it. */
    assert_true(scratch_read(&s, "pki/ca.crt", before, sizeof(before)) > 0);
    assert_int_equal(unlink(scratch_path(&s, "pki/ca.key")), 0);
    assert_int_equal(open_in(&s, &pki, local, 0, &err), LW_ERR_NOT_FOUND);
    lw_pki_done(&pki);
    assert_true(scratch_read(&s, "pki/ca.crt", after, sizeof(after)) > 0);
    assert_string_equal(before, after);
    scratch_end(&s);
}

static void what_a_crash_left_of_a_first_start_is_no_obstacle(void **state)
{
    (void)state;
    scratch s;
    scratch_begin(&s);
    start_once(&s, local, 0);
    assert_int_equal(unlink(scratch_path(&s, "pki/ca.crt")), 0);
    start_once(&s, local, 0);
    assert_int_equal(scratch_mode(&s, "pki/ca.crt"), 0600);
    scratch_end(&s);
}

static void an_empty_token_is_no_token(void **state)
{
    (void)state;
    scratch s;
    lw_pki pki;
    lw_error err = LW_ERROR_INIT;
    scratch_begin(&s);
    start_once(&s, local, 0);
    scratch_write(&s, "pki/admin.token", " \n");
    assert_int_equal(open_in(&s, &pki, local, 0, &err), LW_OK);
    assert_int_equal(strlen(pki.admin_token), 43);
    lw_pki_done(&pki);
    /* One that somebody chose is his. */
    scratch_write(&s, "pki/admin.token", "chosen\n");
    assert_int_equal(open_in(&s, &pki, local, 0, &err), LW_OK);
    assert_string_equal(pki.admin_token, "chosen");
    lw_pki_done(&pki);
    scratch_end(&s);
}

static void in_memory_nothing_is_written_and_it_can_be_used(void **state)
{
    (void)state;
    lw_pki pki;
    lw_error err = LW_ERROR_INIT;
    lw_tls_context *context = NULL;
    memset(&pki, 0, sizeof(pki));
    const lw_pki_options options = { .hosts = local, .wall_ns = now_ns() };
    assert_int_equal(lw_pki_open(&pki, &options, &err), LW_OK);
    const lw_tls_options tls = { pki.cert_file, pki.key_file, pki.client_ca_file, NULL };
    if (lw_tls_context_new(&context, &tls, &err) < 0)
        fail_msg("%s", err.message);
    lw_tls_context_free(context);
    assert_int_equal(strlen(pki.admin_token), 43);
    assert_non_null(strstr(pki.trust, "BEGIN CERTIFICATE"));
    lw_pki_done(&pki);
}

static void given_certificates_are_used_as_they_are(void **state)
{
    (void)state;
    scratch s;
    lw_pki pki;
    lw_error err = LW_ERROR_INIT;
    char folder[128], cert_file[128], key_file[128];
    scratch_begin(&s);
    scratch_write(&s, "own.crt", "the chain\n");
    (void)snprintf(folder, sizeof(folder), "%s/pki", s.folder);
    (void)snprintf(cert_file, sizeof(cert_file), "%s/own.crt", s.folder);
    (void)snprintf(key_file, sizeof(key_file), "%s/own.key", s.folder);
    const lw_pki_options options = { .folder = folder,
                                     .hosts = local,
                                     .cert_file = cert_file,
                                     .key_file = key_file,
                                     .client_ca_file = "/some/ca.crt",
                                     .wall_ns = now_ns() };
    memset(&pki, 0, sizeof(pki));
    assert_int_equal(lw_pki_open(&pki, &options, &err), LW_OK);
    assert_string_equal(pki.cert_file, cert_file);
    assert_string_equal(pki.key_file, key_file);
    assert_string_equal(pki.client_ca_file, "/some/ca.crt");
    assert_string_equal(pki.trust, "the chain\n");
    assert_int_equal(scratch_mode(&s, "pki/server.crt"), 0);
    assert_int_equal(scratch_mode(&s, "pki/ca.crt"), 0);
    lw_pki_done(&pki);
    scratch_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_first_start_makes_everything_for_the_owner_alone),
        TEST(what_was_made_fits_together),
        TEST(the_next_start_keeps_everything),
        TEST(a_server_that_moved_gets_a_new_certificate_of_the_same_ca),
        TEST(certificates_are_renewed_before_they_expire),
        TEST(a_key_of_another_is_replaced),
        TEST(a_ca_that_does_not_fit_is_left_for_somebody_to_look_at),
        TEST(what_a_crash_left_of_a_first_start_is_no_obstacle),
        TEST(an_empty_token_is_no_token),
        TEST(in_memory_nothing_is_written_and_it_can_be_used),
        TEST(given_certificates_are_used_as_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
