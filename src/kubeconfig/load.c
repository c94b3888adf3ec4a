/* SPDX-License-Identifier: Apache-2.0 */
/* load.c -- finds a configuration, applies the options of the program, and checks the result.
 *
 *   the pod, if requested ─┐
 *   files ─▶ context ──────┼─▶ cluster, user, namespace ─▶ options ─▶ checks ─▶ credential cache
 *   only a server ─────────┤
 *   otherwise the pod ─────┘ */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/options.h"
#include "base/str.h"
#include "kubeconfig/core.h"
#include "kubeconfig/environment.h"
#include "kubeconfig/field.h"
#include "kubeconfig/file.h"
#include "kubeconfig/secret.h"
#include "kubeconfig/user.h"

enum {
    NAMES_SIZE = 256,   /* bytes of a list of contexts in a message */
    NAMESPACE_MAX = 63, /* RFC 1123: a label */
};

typedef struct loading {
    lw_config *config;
    const lw_config_options *options;
    const lw_config_environment *env;
    lw_kube_files files;
} loading;

static bool is_set(const char *text)
{
    return text && text[0];
}

/* Replaces |*to| by a copy of |text|. */
static lw_status set_text(char **to, const char *text, lw_error *err)
{
    char *copy = lw_str_dup(lw_str_of(text));
    if (!copy)
        return lw_error_nomem(err);
    lw_free(*to);
    *to = copy;
    return LW_OK;
}

static void drop_text(char **text)
{
    lw_free(*text);
    *text = NULL;
}

/* The default file need not exist. */
static lw_status read_home(loading *l, lw_error *err)
{
    lw_buf text;
    lw_buf_init(&text, LW_TREE_LIMIT);
    lw_buf_append_text(&text, l->env->home);
    lw_buf_append_text(&text, "/.kube/config");
    char *path = lw_buf_take_text(&text);
    lw_buf_done(&text);
    if (!path)
        return lw_error_nomem(err);
    lw_error cause = LW_ERROR_INIT;
    lw_status st = lw_kube_files_read(&l->files, path, &cause);
    lw_free(path);
    if (st == LW_ERR_NOT_FOUND) {
        lw_kube_files_done(&l->files);
        return LW_OK;
    }
    if (st < 0 && err)
        *err = cause;
    return st;
}

static lw_status read_files(loading *l, lw_error *err)
{
    if (is_set(l->options->kubeconfig))
        return lw_kube_files_read(&l->files, l->options->kubeconfig, err);
    if (is_set(l->env->kubeconfig))
        return lw_kube_files_read_list(&l->files, l->env->kubeconfig, err);
    return is_set(l->env->home) ? read_home(l, err) : LW_OK;
}

static lw_status not_there(const loading *l, lw_kube_list list, const char *what, lw_str name,
                           lw_error *err)
{
    char names[NAMES_SIZE];
    lw_kube_files_names(&l->files, list, names, sizeof(names));
    return lw_error_set(err, LW_ERR_NOT_FOUND, "%s: %s \"%.*s\" not found; existing entries: %s",
                        l->files.count > 0 ? l->files.files[0].path : "no kubeconfig file", what,
                        LW_STR_ARG(name), names);
}

static lw_status read_cluster(loading *l, const lw_kube_entry *context, lw_error *err)
{
    lw_str name = { 0 };
    lw_status st = lw_field_view(context, context->body, "cluster", &name, err);
    if (st < 0)
        return st;
    /* If the program sets a server, no cluster is needed. */
    if (name.len == 0 && is_set(l->options->server))
        return LW_OK;
    if (name.len == 0)
        return lw_field_fail(context, "cluster", err, "must be the name of a cluster");
    const lw_kube_entry *entry = lw_kube_files_find(&l->files, LW_KUBE_CLUSTERS, name);
    if (!entry)
        return not_there(l, LW_KUBE_CLUSTERS, "cluster", name, err);
    st = lw_cluster_read(&l->config->cluster, entry, err);
    if (st == LW_OK && !l->config->cluster.server && !is_set(l->options->server))
        return lw_field_fail(entry, "server", err, "must be set, e.g. https://host:6443");
    return st;
}

static lw_status read_user(loading *l, const lw_kube_entry *context, lw_error *err)
{
    lw_str name = { 0 };
    lw_status st = lw_field_view(context, context->body, "user", &name, err);
    if (st < 0 || name.len == 0)
        return st;
    const lw_kube_entry *entry = lw_kube_files_find(&l->files, LW_KUBE_USERS, name);
    if (!entry)
        return not_there(l, LW_KUBE_USERS, "user", name, err);
    return lw_kubeconfig_user_read(&l->config->user, entry, err);
}

static lw_status choose_context(loading *l, lw_str name, lw_error *err)
{
    const lw_kube_entry *context = lw_kube_files_find(&l->files, LW_KUBE_CONTEXTS, name);
    if (!context)
        return not_there(l, LW_KUBE_CONTEXTS, "context", name, err);
    lw_status st = set_text(&l->config->origin, context->file->path, err);
    if (st == LW_OK)
        st = lw_field_text(context, context->body, "namespace", &l->config->ns, err);
    if (st == LW_OK)
        st = read_cluster(l, context, err);
    return st < 0 ? st : read_user(l, context, err);
}

static lw_status choose_pod(loading *l, lw_error *err)
{
    lw_status st = set_text(&l->config->origin, "in-cluster", err);
    return st < 0 ? st : lw_in_cluster_read(l->env, &l->config->cluster, &l->config->user, err);
}

static lw_status nothing_found(const loading *l, lw_error *err)
{
    if (l->files.count == 0)
        return lw_error_set(err, LW_ERR_NOT_FOUND,
                            "no configuration found: there is no kubeconfig file (%s), and the "
                            "program is not running in a pod (no service account mounted); set "
                            "KUBECONFIG or specify a server",
                            is_set(l->env->kubeconfig) ? l->env->kubeconfig : "~/.kube/config");
    char names[NAMES_SIZE];
    lw_kube_files_names(&l->files, LW_KUBE_CONTEXTS, names, sizeof(names));
    return lw_error_set(err, LW_ERR_NOT_FOUND,
                        "%s: current-context is not set; specify a context (existing contexts: %s)",
                        l->files.files[0].path, names);
}

static lw_status choose(loading *l, lw_error *err)
{
    if (l->options->is_in_cluster)
        return choose_pod(l, err);
    lw_status st = read_files(l, err);
    if (st < 0)
        return st;
    lw_str context = lw_str_of(l->options->context);
    if (context.len == 0)
        context = lw_kube_files_current_context(&l->files);
    if (context.len > 0)
        return choose_context(l, context, err);
    if (is_set(l->options->server))
        return set_text(&l->config->origin, "options", err);
    if (!is_set(l->options->kubeconfig) && lw_in_cluster_is_possible(l->env))
        return choose_pod(l, err);
    return nothing_found(l, err);
}

/* Applies the options for the server.  They replace related settings: a CA or "insecure" replaces
 * all settings for verification, another server replaces the TLS name. */
static lw_status override_cluster(lw_cluster *cluster, const lw_config_options *options,
                                  lw_error *err)
{
    lw_status st = LW_OK;
    if (is_set(options->server)) {
        drop_text(&cluster->tls_server_name);
        st = set_text(&cluster->server, options->server, err);
    }
    if (is_set(options->ca_file) || options->is_insecure) {
        drop_text(&cluster->ca_file);
        lw_secret_done(&cluster->ca_pem);
        cluster->is_insecure = options->is_insecure;
    }
    if (st == LW_OK && is_set(options->ca_file))
        st = set_text(&cluster->ca_file, options->ca_file, err);
    return st;
}

static lw_status override_user(lw_kubeconfig_user *user, const lw_config_options *options,
                               lw_error *err)
{
    if (is_set(options->token)) {
        lw_str token = lw_str_of(options->token);
        if (!lw_token_is_usable(token))
            return lw_error_set(err, LW_ERR_INVALID,
                                "options: token contains spaces or other characters that are not "
                                "allowed in a token");
        drop_text(&user->origin);
        drop_text(&user->token_file);
        lw_secret_done(&user->basic);
        lw_exec_spec_done(&user->exec);
        lw_status st = lw_secret_set(&user->token, token);
        if (st == LW_ERR_LIMIT)
            return lw_error_set(err, st, "options: token is too long");
        if (st < 0)
            return lw_error_nomem(err);
    }
    if (is_set(options->impersonate)) {
        lw_strings_done(&user->headers);
        return lw_impersonate_user(&user->headers, options, err);
    }
    return LW_OK;
}

/* A namespace becomes part of paths: "../.." must be rejected. */
static bool is_namespace(lw_str ns)
{
    for (size_t i = 0; i < ns.len; i++) {
        char c = ns.ptr[i];
        bool is_edge = i == 0 || i + 1 == ns.len;
        if (!((c >= 'a' && c <= 'z') || lw_char_is_digit(c) || (c == '-' && !is_edge)))
            return false;
    }
    return ns.len > 0 && ns.len <= NAMESPACE_MAX;
}

/* The namespace of the options, of the context, of the pod, or "default". */
static lw_status resolve_namespace(loading *l, lw_error *err)
{
    lw_config *config = l->config;
    lw_status st = LW_OK;
    if (is_set(l->options->ns))
        st = set_text(&config->ns, l->options->ns, err);
    if (st == LW_OK && !config->ns &&
        (l->options->is_in_cluster || lw_in_cluster_is_possible(l->env)))
        st = lw_in_cluster_namespace(l->env, &config->ns, err);
    if (st == LW_OK && !config->ns)
        st = set_text(&config->ns, "default", err);
    if (st < 0)
        return st;
    if (!is_namespace(lw_str_of(config->ns)))
        return lw_error_set(err, LW_ERR_INVALID,
                            "%s: namespace \"%s\" is invalid: use lower case letters, digits and "
                            "'-', at most %d characters",
                            is_set(l->options->ns) ? "options" : config->origin, config->ns,
                            NAMESPACE_MAX);
    return LW_OK;
}

/* Without TLS the server is not authenticated: secrets are neither read nor sent. */
static void drop_secrets(lw_cluster *cluster, lw_kubeconfig_user *user)
{
    drop_text(&cluster->ca_file);
    lw_secret_done(&cluster->ca_pem);
    drop_text(&user->token_file);
    drop_text(&user->cert_file);
    drop_text(&user->key_file);
    lw_secret_done(&user->token);
    lw_secret_done(&user->basic);
    lw_secret_done(&user->cert_pem);
    lw_secret_done(&user->key_pem);
    lw_exec_spec_done(&user->exec);
}

static lw_status resolve_endpoint(loading *l, lw_error *err)
{
    lw_config *config = l->config;
    lw_cluster *cluster = &config->cluster;
    lw_kubeconfig_user *user = &config->user;
    bool has_ca = cluster->ca_file || cluster->ca_pem.len > 0;
    bool has_cert = user->cert_file || user->cert_pem.len > 0;
    if (cluster->is_insecure && has_ca)
        return lw_error_set(err, LW_ERR_INVALID,
                            "%s: insecure-skip-tls-verify and a certificate authority are mutually "
                            "exclusive: remove one of them",
                            config->origin);
    lw_status st = lw_server_url_read(cluster->server, has_ca || has_cert || cluster->is_insecure,
                                      is_set(l->options->server) ? "options" : config->origin,
                                      &config->server, err);
    if (st == LW_OK && cluster->proxy_url)
        st = lw_proxy_url_check(cluster->proxy_url, config->origin, err);
    if (st < 0)
        return st;
    if (!lw_str_starts_with(lw_str_of(config->server), LW_STR("https:")))
        drop_secrets(cluster, user);
    /* Other credentials take precedence over a plugin. */
    if (user->token.len > 0 || user->token_file || user->basic.len > 0 || has_cert)
        lw_exec_spec_done(&user->exec);
    config->endpoint = (lw_config_endpoint){ .server = config->server,
                                             .tls_server_name = cluster->tls_server_name,
                                             .proxy_url = cluster->proxy_url,
                                             .is_insecure = cluster->is_insecure,
                                             .is_compression_off = cluster->is_compression_off };
    return LW_OK;
}

/* Describes the credentials before the cache takes them. */
static lw_status note_credentials(lw_config *config, lw_error *err)
{
    lw_buf text;
    lw_buf_init(&text, LW_TREE_LIMIT);
    lw_kubeconfig_user_describe(&config->user, &text);
    lw_status st = text.st;
    if (st == LW_OK && text.len > 0) {
        config->credential_source = lw_buf_take_text(&text);
        st = config->credential_source ? LW_OK : LW_ERR_NOMEM;
    }
    lw_buf_done(&text);
    return st < 0 ? lw_error_nomem(err) : LW_OK;
}

static lw_status note_ca(lw_config *config, lw_error *err)
{
    lw_str pem = lw_buf_view(&config->credentials.current.ca_pem);
    if (pem.len == 0)
        return LW_OK;
    config->ca = lw_str_dup(pem);
    return config->ca ? LW_OK : lw_error_nomem(err);
}

static lw_status load(loading *l, lw_error *err)
{
    lw_config *config = l->config;
    if (is_set(l->options->ca_file) && l->options->is_insecure)
        return lw_error_set(err, LW_ERR_INVALID,
                            "options: ca_file and is_insecure are mutually exclusive: set only "
                            "one of them");
    lw_status st = choose(l, err);
    if (st == LW_OK)
        st = resolve_namespace(l, err);
    if (st == LW_OK)
        st = override_cluster(&config->cluster, l->options, err);
    if (st == LW_OK)
        st = override_user(&config->user, l->options, err);
    if (st == LW_OK)
        st = resolve_endpoint(l, err);
    if (st == LW_OK)
        st = note_credentials(config, err);
    if (st == LW_OK)
        st = lw_credential_cache_open(&config->credentials, &config->cluster, &config->user,
                                      &config->endpoint, err);
    return st == LW_OK ? note_ca(config, err) : st;
}

static lw_config *config_new(void)
{
    lw_config *config = lw_alloc_zero(1, sizeof(*config));
    if (!config)
        return NULL;
    lw_ref_init(&config->refs);
    lw_cluster_init(&config->cluster);
    lw_kubeconfig_user_init(&config->user);
    lw_credential_cache_init(&config->credentials);
    return config;
}

lw_status lw_config__load(lw_config **out, const lw_config_options *options,
                          const lw_config_environment *env, lw_error *err)
{
    lw_config_options full = LW_CONFIG_OPTIONS_INIT;
    lw_status st = lw_options_read(&full, sizeof(full), options, "lw_config_options", err);
    if (st < 0)
        return st;
    loading l = { .options = &full, .env = env, .config = config_new() };
    if (!l.config)
        return lw_error_nomem(err);
    st = load(&l, err);
    lw_kube_files_done(&l.files);
    if (st < 0) {
        lw_config_unref(l.config);
        return st;
    }
    *out = l.config;
    return LW_OK;
}
