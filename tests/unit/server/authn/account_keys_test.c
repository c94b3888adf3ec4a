/* SPDX-License-Identifier: Apache-2.0 */
/* account_keys_test.c -- keys that are generated and kept, and keys of files. */
#include "server/authn/account_keys.h"

#include "base/alloc.h"
#include "base/error.h"
#include "unit/server/scratch_folder.h"

/* A public ECDSA key on P-256. */
#define PUBLIC                                                                                     \
    "-----BEGIN PUBLIC KEY-----\n"                                                                 \
    "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE7Pez490HeLJfJrLwHMC1A3Snc3zr\n"                           \
    "63Ko5XmovqdF+uLoyheXpQ1pWK9s+1uAKgclVATtYmcyEEgeyOJyJ/qO+w==\n"                               \
    "-----END PUBLIC KEY-----\n"

static void open_keys(lw_account_keys *keys, const lw_account_keys_options *options)
{
    lw_error err = LW_ERROR_INIT;
    *keys = (lw_account_keys){ .signer = NULL };
    if (lw_account_keys_open(keys, options, &err) < 0)
        fail_msg("%s", err.message);
}

static void assert_refused(const lw_account_keys_options *options, lw_status st, const char *words)
{
    lw_error err = LW_ERROR_INIT;
    lw_account_keys keys = { .signer = NULL };
    assert_int_equal(lw_account_keys_open(&keys, options, &err), st);
    if (!strstr(err.message, words))
        fail_msg("\"%s\" does not say \"%s\"", err.message, words);
    lw_account_keys_done(&keys);
}

static void a_key_is_generated_once_for_the_owner_only(void **state)
{
    scratch s;
    struct stat facts;
    lw_account_keys first, second;
    (void)state;
    scratch_begin(&s);
    const lw_account_keys_options options = { .folder = s.folder };
    open_keys(&first, &options);
    assert_true(lw_signing_key_is_private(first.signer));
    assert_int_equal(first.count, 1);
    assert_int_equal(stat(scratch_path(&s, "sa.key"), &facts), 0);
    assert_int_equal(facts.st_mode & 0777, 0600);
    open_keys(&second, &options);
    assert_string_equal(lw_signing_key_id(second.signer), lw_signing_key_id(first.signer));
    lw_account_keys_done(&first);
    lw_account_keys_done(&second);
    scratch_end(&s);
}

static void keys_of_files_verify_and_each_counts_once(void **state)
{
    scratch s;
    char path[192];
    lw_account_keys made, keys;
    (void)state;
    scratch_begin(&s);
    const lw_account_keys_options own = { .folder = s.folder };
    open_keys(&made, &own);
    (void)snprintf(path, sizeof(path), "%s", scratch_path(&s, "sa.key"));
    const char *const files[] = { path, path, NULL };
    const lw_account_keys_options in_memory = { .key_files = files };
    open_keys(&keys, &in_memory);
    assert_int_equal(keys.count, 2); /* its own, and the one of the file */
    assert_string_equal(lw_signing_key_id(keys.keys[1]), lw_signing_key_id(made.signer));
    lw_account_keys_done(&keys);
    const lw_account_keys_options given = { .signing_key_file = path, .key_files = files };
    open_keys(&keys, &given);
    assert_int_equal(keys.count, 1);
    lw_account_keys_done(&keys);
    lw_account_keys_done(&made);
    scratch_end(&s);
}

static void unusable_files_are_refused_with_their_names(void **state)
{
    scratch s;
    (void)state;
    scratch_begin(&s);
    scratch_write(&s, "sa.key", "nothing");
    const lw_account_keys_options own = { .folder = s.folder };
    assert_refused(&own, LW_ERR_INVALID, "sa.key: no PEM block with a key; restore the file");
    const lw_account_keys_options missing = { .signing_key_file = "/nonexistent/key" };
    assert_refused(&missing, LW_ERR_NOT_FOUND, "/nonexistent/key");
    scratch_write(&s, "public.pem", PUBLIC);
    const lw_account_keys_options given = { .signing_key_file = scratch_path(&s, "public.pem") };
    assert_refused(&given, LW_ERR_INVALID, "public.pem: the first key is public");
    scratch_end(&s);
}

static void the_key_set_has_the_public_keys_only(void **state)
{
    lw_account_keys keys;
    lw_buf json;
    (void)state;
    const lw_account_keys_options options = { .folder = NULL };
    open_keys(&keys, &options);
    lw_buf_init(&json, 1 << 16);
    assert_int_equal(lw_account_keys_write_set(&keys, &json), LW_OK);
    char *text = lw_buf_take_text(&json);
    assert_non_null(text);
    assert_ptr_equal(strstr(text, "{\"keys\":[{\"use\":\"sig\",\"kty\":\"EC\",\"kid\":\""), text);
    assert_non_null(strstr(text, lw_signing_key_id(keys.signer)));
    assert_null(strstr(text, "\"d\":"));
    lw_free(text);
    lw_account_keys_done(&keys);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_key_is_generated_once_for_the_owner_only),
        TEST(keys_of_files_verify_and_each_counts_once),
        TEST(unusable_files_are_refused_with_their_names),
        TEST(the_key_set_has_the_public_keys_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
