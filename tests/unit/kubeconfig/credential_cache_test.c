/* SPDX-License-Identifier: Apache-2.0 */
/* credential_cache_test.c -- credentials that rotate: when they are read again, and what that
 * changes. */
#include "kubeconfig/credential_cache.h"

#include "kubeconfig/core.h"
#include "unit/kubeconfig/place.h"

static void load_files(place *p)
{
    place_write(p, "token", "token-1");
    place_write(p, "ca", PEM("ca-1"));
    place_write(p, "crt", PEM("crt-1"));
    place_write(p, "key", KEY("key-1"));
    place_load_text(p, "clusters: [{name: c, cluster: {server: 'https://one', "
                       "certificate-authority: ca}}]\n"
                       "users: [{name: u, user: {tokenFile: token, client-certificate: crt, "
                       "client-key: key}}]\n"
                       "contexts: [{name: x, context: {cluster: c, user: u}}]\n"
                       "current-context: x\n");
}

/* Replaces a file as Kubernetes does it: a new one under the old name. */
static void replace(place *p, const char *name, const char *text)
{
    place_write(p, "new", text);
    assert_int_equal(rename(place_path(p, "new"), place_path(p, name)), 0);
}

static void nothing_changes_while_nothing_changes(void **state)
{
    place *p = *state;
    load_files(p);
    uint64_t generation = place_get(p)->generation;
    uint64_t tls = p->credentials.tls_generation;
    assert_true(generation > 0);
    for (int i = 0; i < 200; i++) {
        place_pass_seconds(p, 1);
        assert_int_equal(place_get(p)->generation, generation);
    }
    assert_int_equal(p->credentials.tls_generation, tls);
    assert_str_equal(lw_buf_view(&p->credentials.token), "token-1");
}

static void a_token_of_a_new_file_counts_within_a_second(void **state)
{
    place *p = *state;
    load_files(p);
    uint64_t generation = place_get(p)->generation;
    uint64_t tls = p->credentials.tls_generation;
    replace(p, "token", "token-2");
    assert_str_equal(lw_buf_view(&place_get(p)->token), "token-1");
    place_pass_seconds(p, 1);
    assert_str_equal(lw_buf_view(&place_get(p)->token), "token-2");
    assert_int_equal(p->credentials.generation, generation + 1);
    /* Connections need not be closed for a token. */
    assert_int_equal(p->credentials.tls_generation, tls);
}

/* A file whose state tells nothing (some network file systems): age alone brings it. */
static void an_old_token_is_read_again_whatever_the_file_looks_like(void **state)
{
    place *p = *state;
    load_files(p);
    (void)place_get(p);
    replace(p, "token", "token-2");
    assert_true(lw_file_mark_read(place_path(p, "token"), &p->config->credentials.token.mark));
    place_pass_seconds(p, 49);
    assert_str_equal(lw_buf_view(&place_get(p)->token), "token-1");
    place_pass_seconds(p, 1);
    assert_str_equal(lw_buf_view(&place_get(p)->token), "token-2");
}

static void a_token_that_cannot_be_read_stays(void **state)
{
    place *p = *state;
    load_files(p);
    uint64_t generation = place_get(p)->generation;
    assert_int_equal(unlink(place_path(p, "token")), 0);
    for (int i = 0; i < 3; i++) {
        place_pass_seconds(p, 60);
        assert_str_equal(lw_buf_view(&place_get(p)->token), "token-1");
    }
    place_write(p, "token", "");
    place_pass_seconds(p, 60);
    assert_str_equal(lw_buf_view(&place_get(p)->token), "token-1");
    assert_int_equal(p->credentials.generation, generation);
    place_write(p, "token", "token-3");
    place_pass_seconds(p, 1);
    assert_str_equal(lw_buf_view(&place_get(p)->token), "token-3");
}

static void a_new_certificate_changes_the_tls_generation(void **state)
{
    place *p = *state;
    load_files(p);
    uint64_t tls = place_get(p)->tls_generation;
    replace(p, "crt", PEM("crt-2"));
    replace(p, "key", KEY("key-2"));
    place_pass_seconds(p, 1);
    assert_str_equal(lw_buf_view(&place_get(p)->cert_pem), PEM("crt-2"));
    assert_str_equal(lw_buf_view(&p->credentials.key_pem), KEY("key-2"));
    assert_int_equal(p->credentials.tls_generation, tls + 1);
    replace(p, "ca", PEM("ca-2"));
    place_pass_seconds(p, 1);
    assert_str_equal(lw_buf_view(&place_get(p)->ca_pem), PEM("ca-2"));
    assert_int_equal(p->credentials.tls_generation, tls + 2);
}

static void a_broken_or_empty_ca_keeps_the_old_one(void **state)
{
    place *p = *state;
    load_files(p);
    uint64_t tls = place_get(p)->tls_generation;
    const char *const broken[] = { "", "no certificate", "-----BEG" };
    for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++) {
        replace(p, "ca", broken[i]);
        place_pass_seconds(p, 1);
        assert_str_equal(lw_buf_view(&place_get(p)->ca_pem), PEM("ca-1"));
    }
    assert_int_equal(p->credentials.tls_generation, tls);
}

static void a_touched_file_with_the_same_content_is_no_change(void **state)
{
    place *p = *state;
    load_files(p);
    uint64_t generation = place_get(p)->generation;
    replace(p, "ca", PEM("ca-1"));
    replace(p, "token", "token-1\n");
    place_pass_seconds(p, 1);
    assert_int_equal(place_get(p)->generation, generation);
}

static void files_are_looked_at_once_a_second_at_most(void **state)
{
    place *p = *state;
    load_files(p);
    (void)place_get(p);
    replace(p, "ca", PEM("ca-2"));
    lw_manual_clock_advance(p->manual, LW_NS_PER_S - 1);
    assert_str_equal(lw_buf_view(&place_get(p)->ca_pem), PEM("ca-1"));
    lw_manual_clock_advance(p->manual, 1);
    assert_str_equal(lw_buf_view(&place_get(p)->ca_pem), PEM("ca-2"));
}

static void after_401_files_are_read_once_more(void **state)
{
    place *p = *state;
    load_files(p);
    uint64_t generation = place_get(p)->generation;
    replace(p, "token", "token-2");
    assert_true(lw_config_refused(p->config, generation));
    assert_true(lw_config_refused(p->config, generation)); /* another request's */
    assert_str_equal(lw_buf_view(&place_get(p)->token), "token-2");
    assert_int_equal(p->credentials.generation, generation + 1);
    /* A late answer to the old one: there is a newer one to try. */
    assert_true(lw_config_refused(p->config, generation));
}

static void after_401_without_news_it_makes_no_sense_to_try_again(void **state)
{
    place *p = *state;
    load_files(p);
    uint64_t generation = place_get(p)->generation;
    assert_true(lw_config_refused(p->config, generation));
    assert_int_equal(place_get(p)->generation, generation);
    assert_false(lw_config_refused(p->config, generation));
    (void)place_get(p);
    assert_false(lw_config_refused(p->config, generation));
    /* Not for ever. */
    place_pass_seconds(p, 60);
    (void)place_get(p);
    assert_true(lw_config_refused(p->config, generation));
}

static void what_never_changes_is_not_tried_again(void **state)
{
    place *p = *state;
    place_load_text(p, "clusters: [{name: c, cluster: {server: 'https://one'}}]\n"
                       "users: [{name: u, user: {token: t}}]\n"
                       "contexts: [{name: x, context: {cluster: c, user: u}}]\n"
                       "current-context: x\n");
    assert_false(lw_config_refused(p->config, place_get(p)->generation));
}

static void every_asker_gets_its_own_copy(void **state)
{
    place *p = *state;
    load_files(p);
    lw_credentials other;
    lw_credentials_init(&other);
    (void)place_get(p);
    assert_int_equal(lw_config_credentials(p->config, p->clock, &other, NULL), LW_OK);
    assert_int_equal(other.generation, p->credentials.generation);
    assert_ptr_not_equal(other.token.data, p->credentials.token.data);
    assert_str_equal(lw_buf_view(&other.token), "token-1");
    lw_credentials_done(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_PLACE(nothing_changes_while_nothing_changes),
        TEST_IN_PLACE(a_token_of_a_new_file_counts_within_a_second),
        TEST_IN_PLACE(an_old_token_is_read_again_whatever_the_file_looks_like),
        TEST_IN_PLACE(a_token_that_cannot_be_read_stays),
        TEST_IN_PLACE(a_new_certificate_changes_the_tls_generation),
        TEST_IN_PLACE(a_broken_or_empty_ca_keeps_the_old_one),
        TEST_IN_PLACE(a_touched_file_with_the_same_content_is_no_change),
        TEST_IN_PLACE(files_are_looked_at_once_a_second_at_most),
        TEST_IN_PLACE(after_401_files_are_read_once_more),
        TEST_IN_PLACE(after_401_without_news_it_makes_no_sense_to_try_again),
        TEST_IN_PLACE(what_never_changes_is_not_tried_again),
        TEST_IN_PLACE(every_asker_gets_its_own_copy),
    };
    return cmocka_run_group_tests_name("credential_cache", tests, NULL, NULL);
}
