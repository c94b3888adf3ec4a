/* SPDX-License-Identifier: Apache-2.0 */
/* account_keys.c -- reads or generates the keys of service account tokens. */
#include "server/authn/account_keys.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/file/files.h"
#include "base/log.h"
#include "base/str.h"

enum {
    FILE_MAX = 1 << 20, /* bytes */
};

static void wipe(lw_buf *buf)
{
    if (buf->data)
        explicit_bzero(buf->data, buf->cap);
    lw_buf_done(buf);
}

/* Adds |key|, which is taken, unless it is there. */
static lw_status add_key(lw_account_keys *keys, lw_signing_key *key, lw_error *err)
{
    for (size_t i = 0; i < keys->count; i++) {
        if (strcmp(lw_signing_key_id(keys->keys[i]), lw_signing_key_id(key)) == 0) {
            lw_signing_key_unref(key);
            return LW_OK;
        }
    }
    if (keys->count == LW_SIGNING_KEYS_MAX) {
        lw_signing_key_unref(key);
        return lw_error_set(err, LW_ERR_LIMIT,
                            "more than %d keys for service account tokens; remove old ones",
                            LW_SIGNING_KEYS_MAX);
    }
    keys->keys[keys->count++] = key;
    return LW_OK;
}

/* Reads the keys of a file. */
static lw_status read_keys(const char *path, lw_signing_key *found[LW_SIGNING_KEYS_MAX],
                           size_t *count, lw_error *err)
{
    lw_buf pem;
    lw_error why = LW_ERROR_INIT;
    lw_buf_init(&pem, FILE_MAX);
    lw_status st = lw_file_read(path, &pem, err);
    if (st == LW_OK) {
        st = lw_signing_keys_read(lw_buf_view(&pem), found, count, &why);
        if (st < 0)
            (void)lw_error_set(err, st, "%s: %s", path, why.message);
    }
    wipe(&pem);
    return st;
}

static lw_status add_file(lw_account_keys *keys, const char *path, lw_error *err)
{
    lw_signing_key *found[LW_SIGNING_KEYS_MAX];
    size_t count = 0;
    lw_status st = read_keys(path, found, &count, err);
    for (size_t i = 0; i < count; i++) {
        if (st == LW_OK)
            st = add_key(keys, found[i], err);
        else
            lw_signing_key_unref(found[i]);
    }
    return st;
}

/* Makes |key| the signer; it verifies, too. */
static lw_status use_signer(lw_account_keys *keys, lw_signing_key *key, lw_error *err)
{
    keys->signer = key;
    return add_key(keys, lw_signing_key_ref(key), err);
}

/* The first key of the file signs. */
static lw_status read_signer(lw_account_keys *keys, const char *path, lw_error *err)
{
    lw_signing_key *found[LW_SIGNING_KEYS_MAX];
    size_t count = 0;
    lw_status st = read_keys(path, found, &count, err);
    if (st < 0)
        return st;
    for (size_t i = 1; i < count; i++)
        lw_signing_key_unref(found[i]);
    if (lw_signing_key_is_private(found[0]))
        return use_signer(keys, found[0], err);
    lw_signing_key_unref(found[0]);
    return lw_error_set(err, LW_ERR_INVALID,
                        "%s: the first key is public; tokens are signed with a private key", path);
}

static lw_status save_signer(const lw_signing_key *key, const lw_account_keys_options *options,
                             const char *path, lw_error *err)
{
    lw_buf pem;
    lw_buf_init(&pem, FILE_MAX);
    lw_status st = lw_signing_key_write(key, &pem);
    if (st < 0)
        st = lw_error_set(err, st, "%s: cannot write the generated key", path);
    if (st == LW_OK)
        st = lw_folder_make(options->folder, err);
    if (st == LW_OK)
        st = lw_file_replace(path, lw_buf_view(&pem), err);
    wipe(&pem);
    if (st == LW_OK) {
        lw_folder_flush(options->folder);
        lw_log(options->logger, LW_LOG_INFO, "pki", "created %s", path);
    }
    return st;
}

static lw_status generate_signer(lw_account_keys *keys, const lw_account_keys_options *options,
                                 const char *path, lw_error *err)
{
    lw_signing_key *key = NULL;
    lw_status st = lw_signing_key_generate(&key, false, err);
    if (st == LW_OK && path)
        st = save_signer(key, options, path, err);
    if (st < 0) {
        lw_signing_key_unref(key);
        return st;
    }
    return use_signer(keys, key, err);
}

static lw_status open_own_signer(lw_account_keys *keys, const lw_account_keys_options *options,
                                 lw_error *err)
{
    lw_error why = LW_ERROR_INIT;
    if (!options->folder)
        return generate_signer(keys, options, NULL, err);
    char *path = lw_file_path(options->folder, "sa.key");
    if (!path)
        return lw_error_nomem(err);
    lw_status st = read_signer(keys, path, &why);
    if (st == LW_ERR_NOT_FOUND)
        st = generate_signer(keys, options, path, err);
    else if (st < 0)
        (void)lw_error_set(err, st,
                           "%s; restore the file, or remove it to create a new key: tokens that "
                           "were issued before then become invalid",
                           why.message);
    lw_free(path);
    return st;
}

lw_status lw_account_keys_open(lw_account_keys *keys, const lw_account_keys_options *options,
                               lw_error *err)
{
    lw_status st = options->signing_key_file ? read_signer(keys, options->signing_key_file, err)
                                             : open_own_signer(keys, options, err);
    for (const char *const *path = options->key_files; path && *path && st == LW_OK; path++)
        st = add_file(keys, *path, err);
    return st;
}

void lw_account_keys_done(lw_account_keys *keys)
{
    lw_signing_key_unref(keys->signer);
    for (size_t i = 0; i < keys->count; i++)
        lw_signing_key_unref(keys->keys[i]);
    *keys = (lw_account_keys){ .signer = NULL };
}

lw_status lw_account_keys_write_set(const lw_account_keys *keys, lw_buf *json)
{
    lw_status st = LW_OK;
    lw_buf_append_text(json, "{\"keys\":[");
    for (size_t i = 0; i < keys->count && st == LW_OK; i++) {
        lw_buf_append_text(json, i > 0 ? ",{" : "{");
        st = lw_signing_key_write_jwk(keys->keys[i], json);
        lw_buf_append_text(json, "}");
    }
    lw_buf_append_text(json, "]}");
    return st < 0 ? st : json->st;
}
