/* SPDX-License-Identifier: Apache-2.0 */
/* user.c -- reads an entry of "users". */
#include "kubeconfig/user.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "kubeconfig/field.h"
#include "kubeconfig/impersonate.h"
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
        st = lw_jsonpath(entry, entry->body, "tokenFile", &user->token_file, err);
    if (st == LW_OK && user->token.len > 0 && !lw_token_is_usable(lw_buf_view(&user->token)))
        return lw_field_fail(entry, "token", err, "has blanks or other characters no token has");
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
                             "must be there with a password, and have no colon");
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
    lw_status st = lw_jsonpath(entry, in, "client-certificate", &user->cert_file, err);
    if (st == LW_OK)
        st = lw_field_pem(entry, in, "client-certificate-data", &user->cert_pem, err);
    if (st == LW_OK)
        st = lw_jsonpath(entry, in, "client-key", &user->key_file, err);
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
        return lw_field_fail(entry, "auth-provider", err, "must not be there together with exec");
    if (provider) {
        (void)lw_field_fail(entry, "auth-provider", err,
                            "is not supported; use an exec plugin that does the same");
        if (err)
            err->code = LW_ERR_UNSUPPORTED;
        return LW_ERR_UNSUPPORTED;
    }
    return exec ? lw_exec_spec_read(&user->exec, entry, exec, err) : LW_OK;
}

lw_status lw_kubeconfig_user_read(lw_kubeconfig_user *user, const lw_kube_entry *entry,
                                  lw_error *err)
{
    lw_status st = read_token(user, entry, err);
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
                             "must not be there together with a token: keep one of them");
    return LW_OK;
}
