/* SPDX-License-Identifier: Apache-2.0 */
/* pki_open.c -- the hosts and files of a server's certificates. */
#include "server/setup/pki_open.h"

#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file/files.h"

enum {
    HOST_NAME_SIZE = 256,
    HOSTS_MAX = 6,
};

/* Gets this machine's host name, if it can be used in a certificate. */
static bool find_host_name(char name[HOST_NAME_SIZE])
{
    if (gethostname(name, HOST_NAME_SIZE) < 0)
        return false;
    name[HOST_NAME_SIZE - 1] = '\0';
    size_t len = strlen(name);
    return len > 0 && strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                   "0123456789.-") == len;
}

lw_status lw_server_open_pki(lw_pki *pki, const lw_server_options *options,
                             const lw_endpoint *https, const lw_clock *clock, lw_error *err)
{
    char name[HOST_NAME_SIZE];
    const char *hosts[HOSTS_MAX] = { "localhost", "127.0.0.1", "::1" };
    size_t count = 3;
    if (find_host_name(name))
        hosts[count++] = name;
    if (!https->is_any && !https->is_loopback)
        hosts[count++] = https->host;
    char *folder = options->data_dir ? lw_file_path(options->data_dir, "pki") : NULL;
    if (options->data_dir && !folder)
        return lw_error_nomem(err);
    const lw_pki_options wanted = {
        .folder = folder,
        .hosts = hosts,
        .cert_file = options->tls_cert_file,
        .key_file = options->tls_key_file,
        .client_ca_file = options->client_ca_file,
        .has_kubelet_client = !options->proxies || !options->proxies->kubelet_client_certificate,
        .has_front_proxy = !options->proxies || !options->proxies->proxy_client_cert_file,
        .wall_ns = lw_clock_wall(clock),
        .logger = options->logger,
    };
    lw_status st = lw_pki_open(pki, &wanted, err);
    lw_free(folder);
    return st;
}
