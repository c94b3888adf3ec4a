/* SPDX-License-Identifier: Apache-2.0 */
/* user.c -- reads an entry of "users". */
#include "kubeconfig/user.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "kubeconfig/field.h"
#include "kubeconfig/secret.h"
#include "kubeconfig/whole_file.h"

void lw_kubeconfig_user_init(lw_kubeconfig_user *user)
{
    *user = (lw_kubeconfig_user){ 0 };
    lw_buf_init(&user->token, LW_TOKEN_LIMIT);
    lw_buf_init(&user->basic, LW_TOKEN_LIMIT);
    lw_buf_init(&user->cert_pem, LW_WHOLE_FILE_LIMIT);
    lw_buf_init(&user->key_pem, LW_WHOLE_FILE_LIMIT);
}

void lw_kubeconfig_user_done(lw_kubeconfig_user *user)
{
    lw_secret_done(&user->token);
    lw_secret_done(&user->basic);
    lw_secret_done(&user->cert_pem);
    lw_secret_done(&user->key_pem);
    lw_free(user->origin);
    lw_free(user->token_file);
    lw_free(user->cert_file);
    lw_free(user->key_file);
    lw_strings_done(&user->headers);
    lw_exec_spec_done(&user->exec);
    lw_kubeconfig_user_init(user);
}

bool lw_token_is_usable(lw_str token)
{
    for (size_t i = 0; i < token.len; i++) {
        unsigned char c = (unsigned char)token.ptr[i];
        if (c <= ' ' || c >= 0x7f)
            return false;
    }
    return token.len > 0;
}

static lw_status read_token(lw_kubeconfig_user *user, const lw_kube_entry *entry, lw_error *err)
{
    lw_status st = lw_field_secret(entry, entry->body, "token", &user->token, err);
    if (st == LW_OK)
        st = lw_field_file_path(entry, entry->body, "tokenFile", &user->token_file, err);
    if (st == LW_OK && user->token.len > 0 && !lw_token_is_usable(lw_buf_view(&user->token)))
        return lw_field_fail(entry, "token", err,
                             "contains spaces or other characters that are not allowed in a token");
    return st;
}

static lw_status read_basic(lw_kubeconfig_user *user, const lw_kube_entry *entry, lw_error *err)
{
    lw_str name = { 0 };
    lw_str password = { 0 };
    lw_status st = lw_field_view(entry, entry->body, "username", &name, err);
    if (st == LW_OK)
        st = lw_field_view(entry, entry->body, "password", &password, err);
    if (st < 0 || (name.len == 0 && password.len == 0))
        return st;
    /* RFC 7617, 2: the first colon ends the name. */
    if (name.len == 0 || memchr(name.ptr, ':', name.len))
        return lw_field_fail(entry, "username", err,
                             "must be set if a password is set, and must not contain a colon");
    lw_secret_append(&user->basic, name);
    lw_secret_append(&user->basic, LW_STR(":"));
    lw_secret_append(&user->basic, password);
    if (user->basic.st == LW_ERR_LIMIT)
        return lw_field_fail(entry, "password", err, "is too long");
    return user->basic.st < 0 ? lw_error_nomem(err) : LW_OK;
}

static lw_status read_certificate(lw_kubeconfig_user *user, const lw_kube_entry *entry,
                                  lw_error *err)
{
    const lw_node *in = entry->body;
    lw_status st = lw_field_file_path(entry, in, "client-certificate", &user->cert_file, err);
    if (st == LW_OK)
        st = lw_field_pem(entry, in, "client-certificate-data", &user->cert_pem, err);
    if (st == LW_OK)
        st = lw_field_file_path(entry, in, "client-key", &user->key_file, err);
    if (st == LW_OK)
        st = lw_field_pem(entry, in, "client-key-data", &user->key_pem, err);
    if (st < 0)
        return st;
    bool has_certificate = user->cert_file || user->cert_pem.len > 0;
    bool has_key = user->key_file || user->key_pem.len > 0;
    if (has_certificate && !has_key)
        return lw_field_fail(entry, "client-certificate", err,
                             "needs its key: set client-key or client-key-data");
    return LW_OK;
}

static lw_status read_plugins(lw_kubeconfig_user *user, const lw_kube_entry *entry, lw_error *err)
{
    const lw_node *exec = NULL;
    const lw_node *provider = NULL;
    lw_status st = lw_field_object(entry, entry->body, "exec", &exec, err);
    if (st == LW_OK)
        st = lw_field_object(entry, entry->body, "auth-provider", &provider, err);
    if (st < 0)
        return st;
    if (exec && provider)
        return lw_field_fail(entry, "auth-provider", err,
                             "and exec are mutually exclusive: remove one of them");
    if (provider) {
        (void)lw_field_fail(entry, "auth-provider", err,
                            "is not supported; use an exec plugin instead");
        if (err)
            err->code = LW_ERR_UNSUPPORTED;
        return LW_ERR_UNSUPPORTED;
    }
    return exec ? lw_exec_spec_read(&user->exec, entry, exec, err) : LW_OK;
}

static lw_status note_origin(lw_kubeconfig_user *user, const lw_kube_entry *entry, lw_error *err)
{
    lw_buf text;
    lw_buf_init(&text, LW_TREE_LIMIT);
    lw_buf_printf(&text, "user \"%.*s\" in %s", LW_STR_ARG(entry->name), entry->file->path);
    user->origin = lw_buf_take_text(&text);
    lw_buf_done(&text);
    return user->origin ? LW_OK : lw_error_nomem(err);
}

/* Appends one credential; |path| is its file, or NULL. */
static void append_credential(lw_buf *out, const char *what, const char *path)
{
    lw_buf_append_text(out, out->len > 0 ? " and " : "");
    lw_buf_append_text(out, what);
    if (!path)
        return;
    lw_buf_append_text(out, " file ");
    lw_buf_append_text(out, path);
}

void lw_kubeconfig_user_describe(const lw_kubeconfig_user *user, lw_buf *out)
{
    if (user->token_file || user->token.len > 0)
        append_credential(out, "token", user->token_file);
    if (user->basic.len > 0)
        append_credential(out, "user name and password", NULL);
    if (user->cert_file || user->cert_pem.len > 0)
        append_credential(out, "client certificate",
                          user->cert_pem.len > 0 ? NULL : user->cert_file);
    if (user->exec.command) {
        append_credential(out, "exec plugin ", NULL);
        lw_buf_append_text(out, user->exec.command);
    }
    if (out->len > 0 && user->origin) {
        lw_buf_append_text(out, ", ");
        lw_buf_append_text(out, user->origin);
    }
}

lw_status lw_kubeconfig_user_read(lw_kubeconfig_user *user, const lw_kube_entry *entry,
                                  lw_error *err)
{
    lw_status st = note_origin(user, entry, err);
    if (st == LW_OK)
        st = read_token(user, entry, err);
    if (st == LW_OK)
        st = read_basic(user, entry, err);
    if (st == LW_OK)
        st = read_certificate(user, entry, err);
    if (st == LW_OK)
        st = read_plugins(user, entry, err);
    if (st == LW_OK)
        st = lw_impersonate_read(&user->headers, entry, err);
    if (st < 0)
        return st;
    if (user->basic.len > 0 && (user->token.len > 0 || user->token_file))
        return lw_field_fail(entry, "username", err,
                             "and a token are mutually exclusive: remove one of them");
    return LW_OK;
}
