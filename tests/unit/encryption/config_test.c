/* SPDX-License-Identifier: Apache-2.0 */
/* config_test.c -- which keys a resource has, and which files are refused. */
#include "encryption/config.h"

#include <stdio.h>

#include "base/str.h"
#include "unit/server/scratch_folder.h"

#define HEAD      "apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration\nresources:\n"
#define KEY(name) "{name: " name ", secret: MDEyMzQ1Njc4OTAxMjM0NQ==}"
#define BOX_KEY   "{name: b, secret: MDEyMzQ1Njc4OTAxMjM0NTAxMjM0NTY3ODkwMTIzNDU=}"

static lw_encryption_config *parsed(const char *text)
{
    lw_encryption_config *config = NULL;
    lw_error err = LW_ERROR_INIT;
    if (lw_encryption_config_parse(&config, lw_str_of(text), &err) < 0)
        fail_msg("%s", err.message);
    return config;
}

static void assert_refused(const char *text, const char *message)
{
    lw_encryption_config *config = NULL;
    lw_error err = LW_ERROR_INIT;
    assert_true(lw_encryption_config_parse(&config, lw_str_of(text), &err) < 0);
    assert_null(config);
    assert_string_equal(err.message, message);
}

/* The prefixes of a resource's keys, each followed by a space. */
static void assert_keys(const lw_encryption_config *config, const char *group, const char *resource,
                        const char *expected)
{
    const lw_encryption_keys *keys =
        lw_encryption_config_find(config, lw_str_of(group), lw_str_of(resource));
    char text[512] = "";
    for (size_t i = 0; i < keys->count; i++) {
        size_t len = strlen(text);
        (void)snprintf(text + len, sizeof(text) - len, "%s%.*s", i > 0 ? " " : "",
                       LW_STR_ARG(keys->at[i].prefix));
    }
    assert_string_equal(text, expected);
}

static void keys_are_in_the_order_of_the_file(void **state)
{
    (void)state;
    lw_encryption_config *config =
        parsed(HEAD "- resources: [secrets]\n"
                    "  providers:\n"
                    "  - aescbc: {keys: [" KEY("new") ", " KEY(
                        "old") "]}\n"
                               "  - secretbox: {keys: [" BOX_KEY "]}\n"
                               "  - aesgcm: {keys: [" KEY("g") "]}\n"
                                                               "  - identity: {}\n");
    const lw_encryption_keys *keys =
        lw_encryption_config_find(config, LW_STR(""), LW_STR("secrets"));
    assert_keys(config, "", "secrets",
                "k8s:enc:aescbc:v1:new: k8s:enc:aescbc:v1:old: k8s:enc:secretbox:v1:b: "
                "k8s:enc:aesgcm:v1:g: ");
    assert_int_equal(keys->count, 5);
    assert_int_equal(keys->at[4].provider, LW_ENCRYPTION_IDENTITY);
    assert_int_equal(keys->at[0].secret_len, 16);
    assert_memory_equal(keys->at[0].secret, "0123456789012345", 16);
    assert_true(lw_encryption_writes(keys));
    lw_encryption_config_free(config);
}

static void the_narrowest_name_decides(void **state)
{
    (void)state;
    lw_encryption_config *config = parsed(
        HEAD "- resources: [secrets, widgets.example.com]\n"
             "  providers: [{aescbc: {keys: [" KEY(
                 "named") "]}}]\n"
                          "- resources: ['*.example.com', '*.']\n"
                          "  providers: [{aescbc: {keys: [" KEY(
                              "group") "]}}]\n"
                                       "- resources: ['*.*']\n"
                                       "  providers: [{aescbc: {keys: [" KEY("all") "]}}]\n");
    assert_keys(config, "", "secrets", "k8s:enc:aescbc:v1:named:");
    assert_keys(config, "example.com", "widgets", "k8s:enc:aescbc:v1:named:");
    assert_keys(config, "example.com", "gadgets", "k8s:enc:aescbc:v1:group:");
    assert_keys(config, "", "configmaps", "k8s:enc:aescbc:v1:group:");
    assert_keys(config, "apps", "deployments", "k8s:enc:aescbc:v1:all:");
    lw_encryption_config_free(config);
}

static void a_resource_that_is_not_named_has_no_keys(void **state)
{
    (void)state;
    lw_encryption_config *config =
        parsed(HEAD "- {resources: [secrets], providers: [{identity: {}}]}\n");
    assert_int_equal(lw_encryption_config_find(config, LW_STR(""), LW_STR("pods"))->count, 0);
    assert_int_equal(lw_encryption_config_find(config, LW_STR("a"), LW_STR("secrets"))->count, 0);
    assert_false(
        lw_encryption_writes(lw_encryption_config_find(config, LW_STR(""), LW_STR("secrets"))));
    lw_encryption_config_free(config);
}

static void several_entries_of_a_resource_add_up(void **state)
{
    (void)state;
    lw_encryption_config *config =
        parsed(HEAD "- {resources: [secrets], providers: [{aescbc: {keys: [" KEY(
            "a") "]}}]}\n"
                 "- {resources: [secrets], providers: [{aescbc: {keys: [" KEY("b") "]}}]}\n");
    assert_keys(config, "", "secrets", "k8s:enc:aescbc:v1:a: k8s:enc:aescbc:v1:b:");
    lw_encryption_config_free(config);
}

static void json_is_read_too(void **state)
{
    (void)state;
    lw_encryption_config *config = parsed(
        "{\"kind\":\"EncryptionConfiguration\",\"apiVersion\":\"apiserver.config.k8s.io/v1\","
        "\"resources\":[{\"resources\":[\"secrets\"],\"providers\":[{\"identity\":{}}]}]}");
    lw_encryption_config_free(config);
}

static void a_wrong_field_is_named(void **state)
{
    (void)state;
    assert_refused("", "is not an EncryptionConfiguration");
    assert_refused("[]", "is not an EncryptionConfiguration");
    assert_refused("kind: Config\n", "kind: must be EncryptionConfiguration");
    assert_refused("kind: EncryptionConfiguration\napiVersion: v1\n",
                   "apiVersion: must be apiserver.config.k8s.io/v1");
    assert_refused(HEAD, "resources: must be a list");
    assert_refused(HEAD "- {}\n", "resources[0].resources: must be a list");
    assert_refused(HEAD "- {resources: []}\n",
                   "resources[0].resources: must have at least one element");
    assert_refused(HEAD "- {resources: [a], provider: []}\n",
                   "resources[0].provider: unknown field");
    assert_refused(HEAD "- {resources: [a], providers: [{}]}\n",
                   "resources[0].providers[0]: must have exactly one of aescbc, aesgcm, secretbox "
                   "and identity");
    assert_refused(HEAD "- {resources: [a], providers: [{identity: {a: 1}}]}\n",
                   "resources[0].providers[0].identity.a: unknown field");
    assert_refused(HEAD "- {resources: [a], providers: [{identity: {}}, {kms: {name: x}}]}\n",
                   "resources[0].providers[1].kms: is not supported by this server: use aescbc, "
                   "aesgcm, secretbox or identity");
    assert_refused(HEAD "- {resources: [a], providers: [{aescbc: {keys: [{secret: a}]}}]}\n",
                   "resources[0].providers[0].aescbc.keys[0].name: must be set");
    assert_refused(HEAD "- {resources: [a], providers: [{identity: {}}]}\n---\na: b\n",
                   "has more than one document");
}

static void a_wrong_secret_is_refused_and_not_shown(void **state)
{
    (void)state;
    assert_refused(HEAD "- {resources: [a], providers: [{aescbc: {keys: [{name: k}]}}]}\n",
                   "resources[0].providers[0].aescbc.keys[0].secret: must be set");
    assert_refused(HEAD
                   "- {resources: [a], providers: [{aescbc: {keys: [{name: k, secret: 'a!'}]}}]}\n",
                   "resources[0].providers[0].aescbc.keys[0].secret: must be encoded in base64");
    assert_refused(
        HEAD "- {resources: [a], providers: [{aesgcm: {keys: [{name: k, secret: YWJj}]}}]}\n",
        "resources[0].providers[0].aesgcm.keys[0].secret: must have 16, 24 or 32 bytes before it "
        "is encoded in base64");
    assert_refused(HEAD "- {resources: [a], providers: [{secretbox: {keys: [" KEY("k") "]}}]}\n",
                   "resources[0].providers[0].secretbox.keys[0].secret: must have 32 bytes before "
                   "it is encoded in base64");
}

static void a_name_that_would_not_take_effect_is_refused(void **state)
{
    (void)state;
#define WITH(names) HEAD "- {resources: [" names "], providers: [{identity: {}}]}\n"
    assert_refused(WITH("Secrets"), "resources[0].resources[0]: must not have capital letters");
    assert_refused(WITH("'*'"), "resources[0].resources[0]: use '*.' for all resources of the core "
                                "group or '*.*' for all resources");
    assert_refused(WITH("events.events.k8s.io"),
                   "resources[0].resources[0]: its objects are stored as 'events': use that name");
    assert_refused(WITH("'deployments.*'"), "resources[0].resources[0]: a resource of all groups "
                                            "cannot be named: name the group");
    assert_refused(WITH("a, a"), "resources[0].resources[1]: is named twice");
    assert_refused(WITH("secrets, '*.'"),
                   "resources[0].resources[0]: is covered by a wildcard of the same list");
    assert_refused(HEAD "- {resources: ['*.*'], providers: [{identity: {}}]}\n"
                        "- {resources: [secrets], providers: [{identity: {}}]}\n",
                   "resources[1].resources[0]: is covered by a wildcard of an earlier entry: put "
                   "it before that");
}

static void a_field_that_is_there_twice_is_refused(void **state)
{
    (void)state;
    lw_encryption_config *config = NULL;
    lw_error err = LW_ERROR_INIT;
    const char *text = HEAD "- resources: [secrets]\n"
                            "  providers: [{identity: {}}]\n"
                            "  providers: [{aescbc: {keys: [" KEY("a") "]}}]\n";
    assert_int_equal(lw_encryption_config_parse(&config, lw_str_of(text), &err), LW_ERR_INVALID);
    assert_non_null(strstr(err.message, "already set in map"));
}

static void a_file_that_others_can_read_is_refused(void **state)
{
    (void)state;
    scratch s;
    lw_encryption_config *config = NULL;
    lw_error err = LW_ERROR_INIT;
    scratch_begin(&s);
    scratch_write(&s, "config", HEAD "- {resources: [secrets], providers: [{identity: {}}]}\n");
    const char *path = scratch_path(&s, "config");
    assert_int_equal(chmod(path, 0640), 0);
    assert_int_equal(lw_encryption_config_load(&config, path, &err), LW_ERR_FORBIDDEN);
    assert_non_null(strstr(err.message, "chmod 600"));
    assert_int_equal(chmod(path, 0600), 0);
    assert_int_equal(lw_encryption_config_load(&config, path, &err), LW_OK);
    lw_encryption_config_free(config);
    config = NULL;
    assert_int_equal(lw_encryption_config_load(&config, scratch_path(&s, "absent"), &err),
                     LW_ERR_NOT_FOUND);
    scratch_write(&s, "config", "kind: Config\n");
    path = scratch_path(&s, "config");
    assert_int_equal(lw_encryption_config_load(&config, path, &err), LW_ERR_INVALID);
    assert_non_null(strstr(err.message, path)); /* the file is named */
    scratch_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(keys_are_in_the_order_of_the_file),
        TEST(the_narrowest_name_decides),
        TEST(a_resource_that_is_not_named_has_no_keys),
        TEST(several_entries_of_a_resource_add_up),
        TEST(json_is_read_too),
        TEST(a_wrong_field_is_named),
        TEST(a_wrong_secret_is_refused_and_not_shown),
        TEST(a_name_that_would_not_take_effect_is_refused),
        TEST(a_field_that_is_there_twice_is_refused),
        TEST(a_file_that_others_can_read_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
