/* SPDX-License-Identifier: Apache-2.0 */
/* cluster.c -- reads an entry of "clusters". */
#include "kubeconfig/cluster.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "kubeconfig/field.h"
#include "kubeconfig/secret.h"
#include "kubeconfig/whole_file.h"

enum {
    EXEC_CONFIG_LIMIT = 1 << 20,
};

void lw_cluster_init(lw_cluster *cluster)
{
    *cluster = (lw_cluster){ 0 };
    lw_buf_init(&cluster->ca_pem, LW_WHOLE_FILE_LIMIT);
}

void lw_cluster_done(lw_cluster *cluster)
{
    lw_free(cluster->server);
    lw_free(cluster->tls_server_name);
    lw_free(cluster->proxy_url);
    lw_free(cluster->ca_file);
    lw_secret_done(&cluster->ca_pem);
    lw_free(cluster->exec_config);
    lw_cluster_init(cluster);
}

static lw_status write_json(const lw_node *node, char **out, lw_error *err)
{
    lw_buf text;
    lw_buf_init(&text, EXEC_CONFIG_LIMIT);
    lw_json_writer w;
    lw_json_writer_init(&w, &text, LW_JSON_COMPACT);
    lw_node_write(node, &w);
    lw_status st = lw_json_writer_status(&w);
    char *json = st == LW_OK ? lw_buf_take_text(&text) : NULL;
    lw_buf_done(&text);
    if (st == LW_ERR_LIMIT)
        return lw_error_set(err, st, "the cluster extension for exec plugins is too large");
    if (!json)
        return lw_error_nomem(err);
    *out = json;
    return LW_OK;
}

/* Reads the extension for exec plugins, which they get with provideClusterInfo. */
static lw_status read_extension(lw_cluster *cluster, const lw_kube_entry *entry, lw_error *err)
{
    const lw_node *extensions = NULL;
    lw_status st = lw_field_array(entry, entry->body, "extensions", &extensions, err);
    for (size_t i = 0; st == LW_OK && i < lw_node_count(extensions); i++) {
        const lw_node *one = lw_node_at(extensions, i);
        lw_str name = lw_node_text(lw_node_get(one, LW_STR("name")));
        if (lw_str_equal(name, LW_STR("client.authentication.k8s.io/exec")))
            return write_json(lw_node_get(one, LW_STR("extension")), &cluster->exec_config, err);
    }
    return st;
}

lw_status lw_cluster_read(lw_cluster *cluster, const lw_kube_entry *entry, lw_error *err)
{
    const lw_node *in = entry->body;
    lw_status st = lw_field_text(entry, in, "server", &cluster->server, err);
    if (st == LW_OK)
        st = lw_field_text(entry, in, "tls-server-name", &cluster->tls_server_name, err);
    if (st == LW_OK)
        st = lw_field_text(entry, in, "proxy-url", &cluster->proxy_url, err);
    if (st == LW_OK)
        st = lw_field_file_path(entry, in, "certificate-authority", &cluster->ca_file, err);
    if (st == LW_OK)
        st = lw_field_pem(entry, in, "certificate-authority-data", &cluster->ca_pem, err);
    if (st == LW_OK)
        st = lw_field_bool(entry, in, "insecure-skip-tls-verify", &cluster->is_insecure, err);
    if (st == LW_OK)
        st = lw_field_bool(entry, in, "disable-compression", &cluster->is_compression_off, err);
    return st < 0 ? st : read_extension(cluster, entry, err);
}
