/* SPDX-License-Identifier: Apache-2.0 */
/* exec_credential.c -- writes and reads ExecCredential. */
#include "kubeconfig/exec.h"

#include "base/error.h"
#include "base/str.h"
#include "base/text/base64.h"
#include "base/text/time_text.h"
#include "kubeconfig/field.h"
#include "kubeconfig/secret.h"
#include "kubeconfig/user.h"
#include "kubeconfig/whole_file.h"

enum {
    CREDENTIAL_TREE_LIMIT = 8 << 20,
};

void lw_exec_credential_init(lw_exec_credential *credential)
{
    *credential = (lw_exec_credential){ 0 };
    lw_buf_init(&credential->token, LW_TOKEN_LIMIT);
    lw_buf_init(&credential->cert_pem, LW_WHOLE_FILE_LIMIT);
    lw_buf_init(&credential->key_pem, LW_WHOLE_FILE_LIMIT);
}

void lw_exec_credential_done(lw_exec_credential *credential)
{
    lw_secret_done(&credential->token);
    lw_secret_done(&credential->cert_pem);
    lw_secret_done(&credential->key_pem);
    lw_exec_credential_init(credential);
}

static void member_text(lw_json_writer *w, const char *key, const char *value)
{
    if (value)
        lw_json_write_member_string(w, key, lw_str_of(value));
}

static void member_true(lw_json_writer *w, const char *key, bool value)
{
    if (!value)
        return;
    lw_json_write_key(w, lw_str_of(key));
    lw_json_write_bool(w, true);
}

static void member_base64(lw_json_writer *w, const char *key, lw_str bytes)
{
    if (bytes.len == 0)
        return;
    lw_buf text;
    lw_buf_init(&text, 2 * (size_t)LW_WHOLE_FILE_LIMIT);
    lw_base64_encode(&text, bytes);
    lw_json_write_member_string(w, key, lw_buf_view(&text));
    if (text.st < 0 && w->out->st == LW_OK)
        w->out->st = text.st;
    lw_buf_done(&text);
}

static void write_cluster(lw_json_writer *w, const lw_exec_cluster *cluster)
{
    lw_json_write_key(w, LW_STR("cluster"));
    lw_json_write_object_begin(w);
    member_text(w, "server", cluster->server);
    member_text(w, "tls-server-name", cluster->tls_server_name);
    member_true(w, "insecure-skip-tls-verify", cluster->is_insecure);
    member_base64(w, "certificate-authority-data", cluster->ca_pem);
    member_text(w, "proxy-url", cluster->proxy_url);
    member_true(w, "disable-compression", cluster->is_compression_off);
    lw_json_write_key(w, LW_STR("config"));
    lw_json_write_raw(w, cluster->config_json ? lw_str_of(cluster->config_json) : LW_STR("null"));
    lw_json_write_object_end(w);
}

void lw_exec_info_write(lw_buf *out, const char *api_version, const lw_exec_cluster *cluster,
                        bool is_interactive)
{
    lw_json_writer w;
    lw_json_writer_init(&w, out, LW_JSON_COMPACT);
    lw_json_write_object_begin(&w);
    member_text(&w, "kind", "ExecCredential");
    member_text(&w, "apiVersion", api_version);
    lw_json_write_key(&w, LW_STR("spec"));
    lw_json_write_object_begin(&w);
    if (cluster)
        write_cluster(&w, cluster);
    lw_json_write_key(&w, LW_STR("interactive"));
    lw_json_write_bool(&w, is_interactive);
    lw_json_write_object_end(&w);
    lw_json_write_object_end(&w);
}

static lw_status refuse(lw_error *err, const char *problem)
{
    return lw_error_set(err, LW_ERR_UNAUTHORIZED, "%s", problem);
}

/* Appends the string |field| of |status|; it may be absent. */
static lw_status take_secret(const lw_node *status, const char *field, lw_buf *out, lw_error *err)
{
    const lw_node *node = lw_node_get(status, lw_str_of(field));
    if (lw_node_type(node) == LW_JSON_NULL)
        return LW_OK;
    if (!lw_node_is(node, LW_JSON_STRING))
        return lw_error_set(err, LW_ERR_UNAUTHORIZED, "status.%s is not a string", field);
    lw_secret_append(out, lw_node_text(node));
    if (out->st == LW_ERR_LIMIT)
        return lw_error_set(err, LW_ERR_UNAUTHORIZED, "status.%s is too long", field);
    return out->st < 0 ? lw_error_nomem(err) : LW_OK;
}

static lw_status take_expiry(lw_exec_credential *credential, const lw_node *status, lw_error *err)
{
    const lw_node *node = lw_node_get(status, LW_STR("expirationTimestamp"));
    lw_time when;
    if (lw_node_type(node) == LW_JSON_NULL)
        return LW_OK;
    if (!lw_node_is(node, LW_JSON_STRING) || !lw_time_parse(lw_node_text(node), &when))
        return refuse(err, "status.expirationTimestamp is not a valid RFC 3339 time");
    /* Outside of the range of nanoseconds it never expires, or expired long ago. */
    if (!lw_time_to_ns(when, &credential->expires_ns))
        credential->expires_ns = when.s > 0 ? INT64_MAX : INT64_MIN;
    credential->does_expire = true;
    return LW_OK;
}

static lw_status check_whole(const lw_exec_credential *credential, lw_error *err)
{
    lw_str token = lw_buf_view(&credential->token);
    lw_str cert = lw_buf_view(&credential->cert_pem);
    lw_str key = lw_buf_view(&credential->key_pem);
    if (token.len == 0 && cert.len == 0 && key.len == 0)
        return refuse(err, "status contains neither a token nor a client certificate with its key");
    if ((cert.len == 0) != (key.len == 0))
        return refuse(err, "status contains only one of clientCertificateData and clientKeyData");
    if (token.len > 0 && !lw_token_is_usable(token))
        return refuse(
            err,
            "status.token contains spaces or other characters that are not allowed in a token");
    if (cert.len > 0 && (!lw_pem_is_there(cert) || !lw_pem_is_there(key)))
        return refuse(err, "status.clientCertificateData or status.clientKeyData is not PEM");
    return LW_OK;
}

static lw_status credential_take(lw_exec_credential *credential, const lw_node *root,
                                 const char *api_version, lw_error *err)
{
    lw_str kind = lw_node_text(lw_node_get(root, LW_STR("kind")));
    lw_str version = lw_node_text(lw_node_get(root, LW_STR("apiVersion")));
    const lw_node *status = lw_node_get(root, LW_STR("status"));
    if (!lw_str_equal(kind, LW_STR("ExecCredential")))
        return refuse(err, "kind is not ExecCredential");
    if (!lw_str_equal(version, lw_str_of(api_version)))
        return lw_error_set(err, LW_ERR_UNAUTHORIZED,
                            "apiVersion is \"%.*s\", but the kubeconfig file specifies %s",
                            LW_STR_ARG(version), api_version);
    if (!lw_node_is(status, LW_JSON_OBJECT))
        return refuse(err, "status is missing");
    lw_status st = take_secret(status, "token", &credential->token, err);
    if (st == LW_OK)
        st = take_secret(status, "clientCertificateData", &credential->cert_pem, err);
    if (st == LW_OK)
        st = take_secret(status, "clientKeyData", &credential->key_pem, err);
    if (st == LW_OK)
        st = take_expiry(credential, status, err);
    return st < 0 ? st : check_whole(credential, err);
}

lw_status lw_exec_credential_read(lw_exec_credential *credential, lw_str json,
                                  const char *api_version, lw_error *err)
{
    lw_tree *tree = NULL;
    lw_error cause = LW_ERROR_INIT;
    lw_status st = lw_tree_parse(&tree, json, CREDENTIAL_TREE_LIMIT, &cause);
    if (st == LW_ERR_NOMEM)
        return lw_error_nomem(err);
    if (st < 0)
        return lw_error_set(err, LW_ERR_UNAUTHORIZED, "not valid JSON: %s", cause.message);
    st = credential_take(credential, lw_tree_root(tree), api_version, err);
    lw_tree_free(tree);
    return st;
}
