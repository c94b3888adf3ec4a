/* SPDX-License-Identifier: Apache-2.0 */
/* cluster.h -- a server and how it is known: an entry of "clusters", or what stands for one. */
#ifndef LW_KUBECONFIG_CLUSTER_H
#define LW_KUBECONFIG_CLUSTER_H

#include "kubeconfig/file.h"

/* Everything may be NULL or empty. */
typedef struct lw_cluster {
    char *server; /* as it was written */
    char *tls_server_name;
    char *proxy_url;
    char *ca_file; /* not looked at when there is ca_pem */
    lw_buf ca_pem;
    char *exec_config; /* JSON: what the cluster says to exec plugins */
    bool is_insecure;
    bool is_compression_off;
} lw_cluster;

void lw_cluster_init(lw_cluster *cluster);
void lw_cluster_done(lw_cluster *cluster);

/* Reads an entry into the initialised |cluster|.  LW_ERR_INVALID, LW_ERR_NOMEM. */
lw_status lw_cluster_read(lw_cluster *cluster, const lw_kube_entry *entry, lw_error *err);

/* Writes |text| as the URL of a server without a slash at the end: "host:port" becomes https where
 * |is_tls| (a CA, a certificate or "insecure" were given), else http.  LW_ERR_INVALID: no URL of a
 * server; |from| says where it came from.  LW_ERR_NOMEM. */
lw_status lw_server_url_read(const char *text, bool is_tls, const char *from, char **out,
                             lw_error *err);

/* LW_ERR_INVALID unless |text| is the URL of a proxy: http, https, socks5, socks5h. */
lw_status lw_proxy_url_check(const char *text, const char *from, lw_error *err);

#endif
