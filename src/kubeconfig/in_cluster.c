/* SPDX-License-Identifier: Apache-2.0 */
/* in_cluster.c -- finds the API server and the service account of the pod we run in. */
#include "kubeconfig/in_cluster.h"

#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
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

/* The path of |name| in the folder of the service account, or NULL when out of memory. */
static char *account_file(const lw_config_environment *env, const char *name)
{
    lw_buf path;
    lw_buf_init(&path, LW_TREE_LIMIT);
    lw_buf_append_text(&path, env->account_dir ? env->account_dir
                                               : "/var/run/secrets/kubernetes.io/serviceaccount");
    lw_buf_append_char(&path, '/');
    lw_buf_append_text(&path, name);
    char *text = lw_buf_take_text(&path);
    lw_buf_done(&path);
    return text;
}

static bool is_file(const char *path)
{
    struct stat info;
    return path && stat(path, &info) == 0 && !S_ISDIR(info.st_mode);
}

bool lw_in_cluster_is_possible(const lw_config_environment *env)
{
    if (!is_set(env->service_host) || !is_set(env->service_port))
        return false;
    char *token = account_file(env, "token");
    bool is_there = is_file(token);
    lw_free(token);
    return is_there;
}

/* "https://host:port"; the address of an IPv6 cluster has no brackets of its own. */
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

lw_status lw_in_cluster_read(const lw_config_environment *env, lw_cluster *cluster, lw_user *user,
                             lw_error *err)
{
    if (!is_set(env->service_host) || !is_set(env->service_port))
        return lw_error_set(err, LW_ERR_NOT_FOUND,
                            "this is no pod: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT "
                            "are not set");
    cluster->server = server_of(env);
    user->token_file = account_file(env, "token");
    char *ca = account_file(env, "ca.crt");
    if (!cluster->server || !user->token_file || !ca) {
        lw_free(ca);
        return lw_error_nomem(err);
    }
    /* Without a CA the system's may still know the server. */
    if (is_file(ca)) {
        cluster->ca_file = ca;
        return LW_OK;
    }
    lw_free(ca);
    return LW_OK;
}

/* What the file says, or NULL when it does not. */
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
    char *path = account_file(env, "namespace");
    if (!path)
        return lw_error_nomem(err);
    lw_status st = read_namespace(path, out, err);
    lw_free(path);
    return st;
}
