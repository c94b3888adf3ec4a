/* SPDX-License-Identifier: Apache-2.0 */
/* cluster.h -- a server and how to verify it: an entry of "clusters", or its equivalent for a
 * pod. */
#ifndef LW_KUBECONFIG_CLUSTER_H
#define LW_KUBECONFIG_CLUSTER_H

#include "kubeconfig/file.h"

/* Every member may be NULL or empty. */
typedef struct lw_cluster {
    char *server; /* not normalised */
    char *tls_server_name;
    char *proxy_url;
    char *ca_file; /* ignored if ca_pem is set */
    lw_buf ca_pem;
    char *exec_config; /* JSON for exec plugins */
    bool is_insecure;
    bool is_compression_off;
} lw_cluster;

void lw_cluster_init(lw_cluster *cluster);
void lw_cluster_done(lw_cluster *cluster);

/* Reads an entry into |cluster|, which must be initialised.  LW_ERR_INVALID, LW_ERR_NOMEM. */
lw_status lw_cluster_read(lw_cluster *cluster, const lw_kube_entry *entry, lw_error *err);

/* Normalises |text| to the URL of a server without a slash at the end: "host:port" becomes https if
 * |is_tls| (a CA, a certificate or "insecure" is set), otherwise http.  LW_ERR_INVALID: not the URL
 * of a server; |from| is the origin for the message.  LW_ERR_NOMEM. */
lw_status lw_server_url_read(const char *text, bool is_tls, const char *from, char **out,
                             lw_error *err);

/* Returns LW_ERR_INVALID unless |text| is the URL of a proxy: http, https, socks5, socks5h. */
lw_status lw_proxy_url_check(const char *text, const char *from, lw_error *err);

#endif
