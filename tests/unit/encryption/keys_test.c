/* SPDX-License-Identifier: Apache-2.0 */
/* keys_test.c -- values as they are stored, and which key reads what. */
#include "encryption/keys.h"

#include "base/str.h"
#include "unit/test.h"

enum {
    ROOM = 64 * 1024,
};

static const lw_str at = LW_STR_INIT("/registry/secrets/default/a");

#define SECRET "0123456789abcdef0123456789abcdef"

static const lw_encryption_key cbc = { LW_ENCRYPTION_AESCBC, LW_STR_INIT("k8s:enc:aescbc:v1:one:"),
                                       SECRET, 32 };
static const lw_encryption_key gcm = { LW_ENCRYPTION_AESGCM, LW_STR_INIT("k8s:enc:aesgcm:v1:one:"),
                                       SECRET, 16 };
static const lw_encryption_key box = { LW_ENCRYPTION_SECRETBOX,
                                       LW_STR_INIT("k8s:enc:secretbox:v1:one:"), SECRET, 32 };
static const lw_encryption_key plain = { LW_ENCRYPTION_IDENTITY, LW_STR_INIT(""), "", 0 };

/* A copy of up to two keys. */
typedef struct ring {
    lw_encryption_key at[2];
    lw_encryption_keys keys;
} ring;

static const lw_encryption_keys *use(ring *r, const lw_encryption_key *first,
                                     const lw_encryption_key *second)
{
    if (first)
        r->at[0] = *first;
    if (second)
        r->at[1] = *second;
    r->keys = (lw_encryption_keys){ r->at, (first ? 1u : 0u) + (second ? 1u : 0u) };
    return &r->keys;
}

static void sealed(const lw_encryption_key *key, const char *value, lw_buf *out)
{
    ring r;
    lw_buf_init(out, ROOM);
    assert_int_equal(lw_encryption_seal(use(&r, key, NULL), at, lw_str_of(value), out), LW_OK);
}

static lw_status opened(const lw_encryption_keys *keys, lw_str key, lw_str stored, char *text,
                        bool *is_stale, lw_error *err)
{
    lw_buf scratch;
    lw_str value;
    lw_buf_init(&scratch, ROOM);
    lw_status st = lw_encryption_open(keys, key, stored, &scratch, &value, is_stale, err);
    if (st == LW_OK) {
        assert_true(value.len < ROOM);
        memcpy(text, value.ptr, value.len);
        text[value.len] = '\0';
    }
    lw_buf_done(&scratch);
    return st;
}

static void assert_round(const lw_encryption_key *key)
{
    ring r;
    lw_buf stored;
    static char text[ROOM];
    bool is_stale = true;
    sealed(key, "{\"password\":\"opensesame\"}", &stored);
    assert_true(lw_str_starts_with(lw_buf_view(&stored), key->prefix));
    assert_null(memmem(stored.data, stored.len, "opensesame", 10));
    assert_int_equal(opened(use(&r, key, NULL), at, lw_buf_view(&stored), text, &is_stale, NULL),
                     LW_OK);
    assert_string_equal(text, "{\"password\":\"opensesame\"}");
    assert_false(is_stale);
    lw_buf_done(&stored);
}

static void each_provider_reads_what_it_wrote(void **state)
{
    (void)state;
    assert_round(&cbc);
    assert_round(&gcm);
    assert_round(&box);
}

static void no_two_values_are_stored_alike(void **state)
{
    (void)state;
    lw_buf one, two;
    sealed(&cbc, "value", &one);
    sealed(&cbc, "value", &two);
    assert_int_equal(one.len, two.len);
    assert_memory_not_equal(one.data, two.data, one.len);
    lw_buf_done(&one);
    lw_buf_done(&two);
}

static void what_another_key_wrote_is_stale(void **state)
{
    (void)state;
    ring r;
    lw_buf stored;
    static char text[ROOM];
    bool is_stale = false;
    sealed(&cbc, "value", &stored);
    assert_int_equal(opened(use(&r, &box, &cbc), at, lw_buf_view(&stored), text, &is_stale, NULL),
                     LW_OK);
    assert_string_equal(text, "value");
    assert_true(is_stale);
    /* Away from encryption: identity is first and reads what is not encrypted only. */
    assert_int_equal(opened(use(&r, &plain, &cbc), at, lw_buf_view(&stored), text, &is_stale, NULL),
                     LW_OK);
    assert_true(is_stale);
    assert_int_equal(opened(use(&r, &plain, &cbc), at, LW_STR("{}"), text, &is_stale, NULL), LW_OK);
    assert_string_equal(text, "{}");
    assert_false(is_stale);
    /* Towards it. */
    assert_int_equal(opened(use(&r, &cbc, &plain), at, LW_STR("{}"), text, &is_stale, NULL), LW_OK);
    assert_true(is_stale);
    lw_buf_done(&stored);
}

/* Two keys of the same name: the first does not fit, the second does. */
static void a_key_that_does_not_fit_is_passed_over(void **state)
{
    (void)state;
    ring r;
    lw_buf stored;
    static char text[ROOM];
    bool is_stale = false;
    lw_encryption_key wrong = gcm;
    wrong.secret[0] ^= 1;
    sealed(&gcm, "value", &stored);
    assert_int_equal(opened(use(&r, &wrong, &gcm), at, lw_buf_view(&stored), text, &is_stale, NULL),
                     LW_OK);
    assert_string_equal(text, "value");
    assert_true(is_stale);
    lw_buf_done(&stored);
}

static void assert_refused(const lw_encryption_keys *keys, lw_str key, lw_str stored,
                           const char *message)
{
    static char text[ROOM];
    bool is_stale;
    lw_error err = LW_ERROR_INIT;
    assert_int_equal(opened(keys, key, stored, text, &is_stale, &err), LW_ERR_INVALID);
    assert_string_equal(err.message, message);
}

static void an_unknown_key_is_named(void **state)
{
    (void)state;
    ring r;
    lw_buf stored;
    sealed(&cbc, "value", &stored);
    const char *message =
        "the value of key /registry/secrets/default/a in the store is encrypted with "
        "k8s:enc:aescbc:v1:one:: add this key to the encryption configuration of its resource";
    assert_refused(use(&r, &box, &plain), at, lw_buf_view(&stored), message);
    assert_refused(use(&r, NULL, NULL), at, lw_buf_view(&stored), message);
    lw_buf_done(&stored);
}

static void a_wrong_secret_is_told_from_an_unknown_key(void **state)
{
    (void)state;
    ring r;
    lw_buf stored;
    lw_encryption_key wrong = gcm;
    wrong.secret[0] ^= 1;
    const char *message =
        "cannot decrypt the value of key /registry/secrets/default/a in the store with "
        "k8s:enc:aesgcm:v1:one:: the secret of this key is wrong, or the value was changed";
    sealed(&gcm, "value", &stored);
    assert_refused(use(&r, &wrong, &plain), at, lw_buf_view(&stored), message);
    assert_refused(use(&r, &gcm, NULL), at, LW_STR("k8s:enc:aesgcm:v1:one:short"), message);
    lw_buf_done(&stored);
}

static void a_value_of_aesgcm_belongs_to_its_key(void **state)
{
    (void)state;
    ring r;
    lw_buf stored;
    sealed(&gcm, "value", &stored);
    assert_refused(use(&r, &gcm, NULL), LW_STR("/registry/secrets/default/b"), lw_buf_view(&stored),
                   "cannot decrypt the value of key /registry/secrets/default/b in the store with "
                   "k8s:enc:aesgcm:v1:one:: the secret of this key is wrong, or the value was "
                   "changed");
    lw_buf_done(&stored);
}

static void a_value_in_the_clear_needs_identity(void **state)
{
    (void)state;
    ring r;
    assert_refused(use(&r, &cbc, NULL), at, LW_STR("{}"),
                   "the value of key /registry/secrets/default/a in the store is not encrypted: "
                   "add the provider identity to the encryption configuration of its resource");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(each_provider_reads_what_it_wrote),
        TEST(no_two_values_are_stored_alike),
        TEST(what_another_key_wrote_is_stale),
        TEST(a_key_that_does_not_fit_is_passed_over),
        TEST(an_unknown_key_is_named),
        TEST(a_wrong_secret_is_told_from_an_unknown_key),
        TEST(a_value_of_aesgcm_belongs_to_its_key),
        TEST(a_value_in_the_clear_needs_identity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
