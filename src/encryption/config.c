/* SPDX-License-Identifier: Apache-2.0 */
/* config.c -- loads the encryption configuration and finds the keys of a resource. */
#include "encryption/config.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/file/files.h"
#include "base/str.h"
#include "encryption/config_internal.h"
#include "json/yaml/yaml.h"

enum {
    DUPLICATES_MAX = 4096,
};

static void wipe(void *bytes, size_t len)
{
    explicit_bzero(bytes, len);
}

void lw_encryption_config_free(lw_encryption_config *config)
{
    if (!config)
        return;
    for (size_t i = 0; i < config->count; i++) {
        lw_encryption_rule *rule = &config->rules[i];
        for (size_t k = 0; k < rule->keys.count; k++)
            lw_free((char *)(uintptr_t)rule->keys.at[k].prefix.ptr);
        if (rule->keys.count > 0)
            wipe(rule->keys.at, rule->keys.count * sizeof(rule->keys.at[0]));
        lw_free(rule->keys.at);
        lw_free((char *)(uintptr_t)rule->resource.ptr); /* the group follows it */
    }
    lw_free(config->rules);
    lw_free(config);
}

lw_encryption_rule *lw_encryption__rule(const lw_encryption_config *config, lw_str group,
                                        lw_str resource)
{
    for (size_t i = 0; i < config->count; i++) {
        if (lw_str_equal(config->rules[i].group, group) &&
            lw_str_equal(config->rules[i].resource, resource))
            return &config->rules[i];
    }
    return NULL;
}

const lw_encryption_keys *lw_encryption_config_find(const lw_encryption_config *config,
                                                    lw_str group, lw_str resource)
{
    static const lw_encryption_keys none;
    const lw_encryption_rule *rule = lw_encryption__rule(config, group, resource);
    if (!rule)
        rule = lw_encryption__rule(config, group, LW_STR("*"));
    if (!rule)
        rule = lw_encryption__rule(config, LW_STR("*"), LW_STR("*"));
    return rule ? &rule->keys : &none;
}

/* Reads the only document of |text|; a member that is there twice is refused. */
static lw_status read_document(lw_str text, lw_tree **out, lw_error *err)
{
    lw_yaml_reader *reader = NULL;
    lw_tree *tree = NULL, *more = NULL;
    lw_buf twice;
    lw_buf_init(&twice, DUPLICATES_MAX);
    lw_status st = lw_yaml_reader_new(&reader, text);
    if (st < 0)
        return lw_error_nomem(err);
    lw_yaml_reader_report_duplicates(reader, &twice);
    st = lw_yaml_reader_next(reader, 0, &tree, err);
    if (st == LW_OK && tree)
        st = lw_yaml_reader_next(reader, 0, &more, err);
    lw_str line, rest;
    (void)lw_str_cut(lw_buf_view(&twice), '\n', &line, &rest);
    if (st == LW_OK && (!tree || !lw_node_is(lw_tree_root(tree), LW_JSON_OBJECT)))
        st = lw_error_set(err, LW_ERR_INVALID, "is not an EncryptionConfiguration");
    else if (st == LW_OK && more)
        st = lw_error_set(err, LW_ERR_INVALID, "has more than one document");
    else if (st == LW_OK && line.len > 0)
        st = lw_error_set(err, LW_ERR_INVALID, "%.*s", LW_STR_ARG(line));
    else if (st == LW_OK && lw_tree_had_repeats(tree))
        st = lw_error_set(err, LW_ERR_INVALID, "a field is there twice");
    lw_tree_free(more);
    lw_yaml_reader_free(reader);
    lw_buf_done(&twice);
    if (st < 0)
        lw_tree_free(tree);
    else
        *out = tree;
    return st;
}

lw_status lw_encryption_config_parse(lw_encryption_config **out, lw_str text, lw_error *err)
{
    lw_tree *tree = NULL;
    lw_encryption_config *config = NULL;
    lw_status st = read_document(text, &tree, err);
    if (st < 0)
        return st;
    config = lw_alloc_zero(1, sizeof(*config));
    st = config ? lw_encryption__read(config, lw_tree_root(tree), err) : lw_error_nomem(err);
    lw_tree_free(tree);
    if (st < 0)
        lw_encryption_config_free(config);
    else
        *out = config;
    return st;
}

/* The file has secrets: whoever can read it can read the store, and whoever can change it can make
 * the server write values in the clear. */
static lw_status check_private(const char *path, lw_error *err)
{
    struct stat facts;
    if (stat(path, &facts) < 0)
        return lw_error_set(err, errno == ENOENT ? LW_ERR_NOT_FOUND : LW_ERR_IO,
                            "cannot read %s: %s", path, strerror(errno));
    if (facts.st_uid != geteuid() && facts.st_uid != 0)
        return lw_error_set(err, LW_ERR_FORBIDDEN,
                            "%s has encryption keys and belongs to another user: change its owner "
                            "with chown",
                            path);
    if ((facts.st_mode & (S_IRWXG | S_IRWXO)) != 0)
        return lw_error_set(err, LW_ERR_FORBIDDEN,
                            "%s has encryption keys and other users can read or change it: run "
                            "chmod 600 %s",
                            path, path);
    return LW_OK;
}

lw_status lw_encryption_config_load(lw_encryption_config **out, const char *path, lw_error *err)
{
    lw_buf text;
    lw_error why = LW_ERROR_INIT;
    lw_status st = check_private(path, err);
    if (st < 0)
        return st;
    lw_buf_init(&text, LW_ENCRYPTION_FILE_MAX);
    st = lw_file_read(path, &text, err);
    if (st == LW_OK) {
        st = lw_encryption_config_parse(out, lw_buf_view(&text), &why);
        if (st == LW_ERR_NOMEM)
            (void)lw_error_nomem(err);
        else if (st < 0)
            (void)lw_error_set(err, st, "%s: %s", path, why.message);
    }
    if (text.len > 0)
        wipe(text.data, text.len);
    lw_buf_done(&text);
    return st;
}
