/* SPDX-License-Identifier: Apache-2.0 */
/* hook_credentials.c -- reads the credentials for admission webhooks. */
#include "server/webhook/hook_credentials.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/file/files.h"
#include "base/str.h"
#include "base/text/base64.h"
#include "kubeconfig/secret.h"
#include "json/fields.h"
#include "json/yaml/yaml.h"

enum {
    TREE_MAX = 16 * 1024 * 1024,
    USERS_MAX = 256,
    NAME_MAX_BYTES = 512,
};

typedef struct hook_user {
    char *server; /* its name */
    lw_buf cert, key, authorization;
} hook_user;

struct lw_hook_credentials {
    size_t count;
    hook_user users[USERS_MAX];
};

/* The file that is being read. */
typedef struct source {
    const char *file;
    lw_error *err;
} source;

static lw_status refuse(const source *from, const char *why)
{
    return lw_error_set(from->err, LW_ERR_INVALID, "%s: %s", from->file, why);
}

static lw_status read_tree(const source *from, lw_tree **out)
{
    lw_error why = LW_ERROR_INIT;
    lw_yaml_reader *reader = NULL;
    lw_buf text;
    lw_buf_init(&text, LW_HOOK_CREDENTIALS_FILE_MAX);
    lw_status st = lw_file_read(from->file, &text, &why);
    if (st < 0) {
        lw_buf_done(&text);
        return lw_error_set(from->err, st, "%s", why.message);
    }
    st = lw_yaml_reader_new(&reader, lw_buf_view(&text));
    if (st == LW_OK)
        st = lw_yaml_reader_next(reader, TREE_MAX, out, &why);
    lw_yaml_reader_free(reader);
    lw_secret_done(&text);
    if (st == LW_OK && !*out)
        return refuse(from, "the file is empty");
    return st < 0 ? lw_error_set(from->err, st, "%s: %s", from->file, why.message) : LW_OK;
}

/* Returns |name| as seen from the folder of |from|; the caller frees it. */
static char *beside(const source *from, lw_str name)
{
    const char *slash = strrchr(from->file, '/');
    lw_buf path;
    if (!slash || (name.len > 0 && name.ptr[0] == '/'))
        return lw_str_dup(name);
    lw_buf_init(&path, LW_HOOK_CREDENTIALS_FILE_MAX);
    lw_buf_append(&path, from->file, (size_t)(slash - from->file) + 1);
    lw_buf_append_str(&path, name);
    char *text = lw_buf_take_text(&path);
    lw_buf_done(&path);
    return text;
}

/* Reads |member|-data, which is base64, or the file that |member| names. */
static lw_status read_pem(const source *from, const lw_node *user, const char *member,
                          const char *data_member, lw_buf *out)
{
    lw_str data = lw_fields_text(user, data_member), file = lw_fields_text(user, member);
    lw_error why = LW_ERROR_INIT;
    lw_buf_init(out, LW_HOOK_CREDENTIALS_FILE_MAX);
    if (data.len > 0)
        return lw_base64_decode_lenient(out, data) ? LW_OK
                                                   : refuse(from, "a certificate or key is "
                                                                  "not base64");
    if (file.len == 0)
        return LW_OK;
    char *path = beside(from, file);
    lw_status st = path ? lw_file_read(path, out, &why) : LW_ERR_NOMEM;
    lw_free(path);
    if (st == LW_ERR_NOMEM)
        return lw_error_nomem(from->err);
    return st < 0 ? lw_error_set(from->err, st, "%s: %s", from->file, why.message) : LW_OK;
}

static lw_status read_authorization(const source *from, const lw_node *user, lw_buf *out)
{
    lw_str token = lw_fields_text(user, "token"), name = lw_fields_text(user, "username");
    lw_buf pair;
    lw_buf_init(out, LW_HOOK_CREDENTIALS_FILE_MAX);
    if (token.len > 0) {
        lw_buf_append_text(out, "Bearer ");
        lw_buf_append_str(out, token);
    } else if (name.len > 0) {
        lw_buf_init(&pair, LW_HOOK_CREDENTIALS_FILE_MAX);
        lw_buf_append_str(&pair, name);
        lw_buf_append_char(&pair, ':');
        lw_buf_append_str(&pair, lw_fields_text(user, "password"));
        lw_buf_append_text(out, "Basic ");
        lw_base64_encode(out, lw_buf_view(&pair));
        lw_secret_done(&pair);
    }
    return out->st < 0 ? lw_error_nomem(from->err) : LW_OK;
}

static lw_status read_user(const source *from, lw_hook_credentials *credentials,
                           const lw_node *entry)
{
    const lw_node *user = lw_node_get(entry, LW_STR("user"));
    if (credentials->count == USERS_MAX)
        return refuse(from, "there are too many users");
    hook_user *to = &credentials->users[credentials->count++];
    to->server = lw_str_dup(lw_fields_text(entry, "name"));
    if (!to->server)
        return lw_error_nomem(from->err);
    if (lw_node_get(user, LW_STR("exec")) || lw_node_get(user, LW_STR("auth-provider")) ||
        lw_node_get(user, LW_STR("tokenFile")))
        return lw_error_set(from->err, LW_ERR_UNSUPPORTED,
                            "%s: admission webhooks do not support exec, auth-provider and "
                            "tokenFile: use a client certificate, a token or a password",
                            from->file);
    lw_status st = read_pem(from, user, "client-certificate", "client-certificate-data", &to->cert);
    if (st == LW_OK)
        st = read_pem(from, user, "client-key", "client-key-data", &to->key);
    return st == LW_OK ? read_authorization(from, user, &to->authorization) : st;
}

static lw_status read_users(const source *from, lw_hook_credentials *credentials)
{
    lw_tree *tree = NULL;
    lw_status st = read_tree(from, &tree);
    const lw_node *users = st == LW_OK ? lw_node_get(lw_tree_root(tree), LW_STR("users")) : NULL;
    for (size_t i = 0; st == LW_OK && i < lw_node_count(users); i++)
        st = read_user(from, credentials, lw_node_at(users, i));
    lw_tree_free(tree);
    return st;
}

/* Reads a WebhookAdmissionConfiguration. */
static lw_status read_plugin(const source *from, lw_hook_credentials *credentials,
                             const lw_node *configuration)
{
    lw_str file = lw_fields_text(configuration, "kubeConfigFile");
    if (!lw_str_equal(lw_fields_text(configuration, "kind"),
                      LW_STR("WebhookAdmissionConfiguration")))
        return refuse(from, "the configuration of an admission webhook plugin is not a "
                            "WebhookAdmissionConfiguration");
    if (file.len == 0)
        return LW_OK;
    char *path = beside(from, file);
    if (!path)
        return lw_error_nomem(from->err);
    const source users = { path, from->err };
    lw_status st = read_users(&users, credentials);
    lw_free(path);
    return st;
}

static lw_status read_plugin_file(const source *from, lw_hook_credentials *credentials, lw_str file)
{
    lw_tree *tree = NULL;
    char *path = beside(from, file);
    if (!path)
        return lw_error_nomem(from->err);
    const source plugin = { path, from->err };
    lw_status st = read_tree(&plugin, &tree);
    if (st == LW_OK)
        st = read_plugin(&plugin, credentials, lw_tree_root(tree));
    lw_tree_free(tree);
    lw_free(path);
    return st;
}

static lw_status read_plugins(const source *from, lw_hook_credentials *credentials,
                              const lw_node *root)
{
    const lw_node *plugins = lw_node_get(root, LW_STR("plugins"));
    lw_status st = LW_OK;
    if (!lw_str_equal(lw_fields_text(root, "kind"), LW_STR("AdmissionConfiguration")))
        return refuse(from, "the file is not an AdmissionConfiguration");
    for (size_t i = 0; st == LW_OK && i < lw_node_count(plugins); i++) {
        const lw_node *plugin = lw_node_at(plugins, i);
        lw_str name = lw_fields_text(plugin, "name"), path = lw_fields_text(plugin, "path");
        if (!lw_str_equal(name, LW_STR("MutatingAdmissionWebhook")) &&
            !lw_str_equal(name, LW_STR("ValidatingAdmissionWebhook")))
            return lw_error_set(from->err, LW_ERR_UNSUPPORTED,
                                "%s: the admission plugin %.*s has no configuration here",
                                from->file, LW_STR_ARG(name));
        st = path.len > 0
                 ? read_plugin_file(from, credentials, path)
                 : read_plugin(from, credentials, lw_node_get(plugin, LW_STR("configuration")));
    }
    return st;
}

lw_status lw_hook_credentials_read(lw_hook_credentials **out, const char *file, lw_error *err)
{
    const source from = { file, err };
    lw_tree *tree = NULL;
    lw_hook_credentials *credentials = lw_alloc_zero(1, sizeof(*credentials));
    if (!credentials)
        return lw_error_nomem(err);
    lw_status st = read_tree(&from, &tree);
    if (st == LW_OK)
        st = read_plugins(&from, credentials, lw_tree_root(tree));
    lw_tree_free(tree);
    if (st < 0)
        lw_hook_credentials_free(credentials);
    else
        *out = credentials;
    return st;
}

void lw_hook_credentials_free(lw_hook_credentials *credentials)
{
    if (!credentials)
        return;
    for (size_t i = 0; i < credentials->count; i++) {
        hook_user *user = &credentials->users[i];
        lw_free(user->server);
        lw_buf_done(&user->cert);
        lw_secret_done(&user->key);
        lw_secret_done(&user->authorization);
    }
    lw_free(credentials);
}

static const hook_user *find_user(const lw_hook_credentials *credentials, lw_str server)
{
    for (size_t i = 0; i < credentials->count; i++) {
        if (lw_str_equal(lw_str_of(credentials->users[i].server), server))
            return &credentials->users[i];
    }
    return NULL;
}

/* Tries "host:port", "host", then "*" for more and more of its first labels. */
static const hook_user *find_specific(const lw_hook_credentials *credentials, lw_str host,
                                      unsigned port)
{
    const hook_user *found = NULL;
    lw_str label, rest = host;
    lw_buf name;
    lw_buf_init(&name, NAME_MAX_BYTES);
    lw_buf_printf(&name, "%.*s:%u", LW_STR_ARG(host), port);
    if (name.st == LW_OK)
        found = find_user(credentials, lw_buf_view(&name));
    if (!found)
        found = find_user(credentials, host);
    while (!found && lw_str_cut(rest, '.', &label, &rest)) {
        lw_buf_reset(&name);
        lw_buf_append_text(&name, "*.");
        lw_buf_append_str(&name, rest);
        if (name.st == LW_OK)
            found = find_user(credentials, lw_buf_view(&name));
    }
    lw_buf_done(&name);
    return found ? found : find_user(credentials, LW_STR("*"));
}

bool lw_hook_credentials_find(const lw_hook_credentials *credentials, lw_str host, unsigned port,
                              lw_hook_credential *out)
{
    const hook_user *user = credentials ? find_specific(credentials, host, port) : NULL;
    if (!user)
        return false;
    *out = (lw_hook_credential){ lw_buf_view(&user->cert), lw_buf_view(&user->key),
                                 lw_buf_view(&user->authorization) };
    return true;
}
