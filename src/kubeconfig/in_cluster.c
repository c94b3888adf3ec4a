/* SPDX-License-Identifier: Apache-2.0 */
/* in_cluster.c -- finds the API server and the service account of the pod that the program runs
 * in. */
#include "kubeconfig/environment.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/str.h"
#include "kubeconfig/whole_file.h"

enum {
    ADDRESS_LIMIT = 4096,
    NAMESPACE_LIMIT = 4096,
};

static bool is_set(const char *text)
{
    return text && text[0];
}

/* Gets the path of the file |name| of the service account. */
static lw_status account_path(const lw_config_environment *env, const char *name,
                              char path[PATH_MAX])
{
    const char *dir =
        env->account_dir ? env->account_dir : "/var/run/secrets/kubernetes.io/serviceaccount";
    int len = snprintf(path, PATH_MAX, "%s/%s", dir, name);
    return len < 0 || len >= PATH_MAX ? LW_ERR_LIMIT : LW_OK;
}

static bool is_file(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && !S_ISDIR(info.st_mode);
}

bool lw_in_cluster_is_possible(const lw_config_environment *env)
{
    if (!is_set(env->service_host) || !is_set(env->service_port))
        return false;
    char token[PATH_MAX];
    return account_path(env, "token", token) == LW_OK && is_file(token);
}

/* Returns "https://host:port"; an IPv6 address may come without brackets. */
static char *server_of(const lw_config_environment *env)
{
    bool is_bare_v6 = strchr(env->service_host, ':') && env->service_host[0] != '[';
    lw_buf url;
    lw_buf_init(&url, ADDRESS_LIMIT);
    lw_buf_append_text(&url, is_bare_v6 ? "https://[" : "https://");
    lw_buf_append_text(&url, env->service_host);
    lw_buf_append_text(&url, is_bare_v6 ? "]:" : ":");
    lw_buf_append_text(&url, env->service_port);
    char *text = lw_buf_take_text(&url);
    lw_buf_done(&url);
    return text;
}

lw_status lw_in_cluster_read(const lw_config_environment *env, lw_cluster *cluster,
                             lw_kubeconfig_user *user, lw_error *err)
{
    if (!is_set(env->service_host) || !is_set(env->service_port))
        return lw_error_set(err, LW_ERR_NOT_FOUND,
                            "not running in a pod: KUBERNETES_SERVICE_HOST and "
                            "KUBERNETES_SERVICE_PORT are not set");
    char token[PATH_MAX];
    char ca[PATH_MAX];
    if (account_path(env, "token", token) < 0 || account_path(env, "ca.crt", ca) < 0)
        return lw_error_set(err, LW_ERR_NOT_FOUND,
                            "the path of the service account directory is too long");
    cluster->server = server_of(env);
    user->token_file = lw_str_dup(lw_str_of(token));
    /* Without a CA file, the CAs of the system are used. */
    bool has_ca = is_file(ca);
    if (has_ca)
        cluster->ca_file = lw_str_dup(lw_str_of(ca));
    if (!cluster->server || !user->token_file || (has_ca && !cluster->ca_file))
        return lw_error_nomem(err);
    return LW_OK;
}

/* Gets the content of the file, or NULL if it is missing or empty. */
static lw_status read_namespace(const char *path, char **out, lw_error *err)
{
    lw_buf text;
    lw_buf_init(&text, NAMESPACE_LIMIT);
    lw_status st = lw_whole_file_read(path, &text, NULL, NULL);
    lw_str ns = lw_str_trim(lw_buf_view(&text));
    char *copy = st == LW_OK && ns.len > 0 ? lw_str_dup(ns) : NULL;
    bool is_lost = st == LW_ERR_NOMEM || (st == LW_OK && ns.len > 0 && !copy);
    lw_buf_done(&text);
    if (is_lost)
        return lw_error_nomem(err);
    *out = copy;
    return LW_OK;
}

lw_status lw_in_cluster_namespace(const lw_config_environment *env, char **out, lw_error *err)
{
    if (is_set(env->pod_namespace)) {
        char *copy = lw_str_dup(lw_str_of(env->pod_namespace));
        if (!copy)
            return lw_error_nomem(err);
        *out = copy;
        return LW_OK;
    }
    char path[PATH_MAX];
    *out = NULL;
    return account_path(env, "namespace", path) < 0 ? LW_OK : read_namespace(path, out, err);
}
