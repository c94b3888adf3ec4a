/* SPDX-License-Identifier: Apache-2.0 */
/* manifest_url.c -- downloads a manifest. */
#include "manifest_url.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    NAME_SIZE = 4096,
};

bool manifest_url_is(const char *file)
{
    return strncmp(file, "http://", 7) == 0 || strncmp(file, "https://", 8) == 0;
}

/* Makes an empty kubeconfig, whose name is written to |name|: the credentials of the cluster are
 * not for this server. */
static lw_status make_kubeconfig(char name[NAME_SIZE], lw_error *err)
{
    static const char content[] = "apiVersion: v1\nkind: Config\n";
    const char *dir = getenv("TMPDIR");
    (void)snprintf(name, NAME_SIZE, "%s/listwatch-XXXXXX", dir && dir[0] ? dir : "/tmp");
    int fd = mkstemp(name);
    bool is_written = fd >= 0 && write(fd, content, sizeof(content) - 1) > 0;
    if (!is_written) {
        err->code = LW_ERR_IO;
        (void)snprintf(err->message, sizeof(err->message), "%.200s: %s", name, strerror(errno));
    }
    if (fd >= 0)
        (void)close(fd);
    return is_written ? LW_OK : LW_ERR_IO;
}

static lw_status connect_to(const char *server, lw_client **out, lw_error *err)
{
    char name[NAME_SIZE];
    lw_config_options options = LW_CONFIG_OPTIONS_INIT;
    lw_config *config = NULL;
    lw_status st = make_kubeconfig(name, err);
    if (st < 0)
        return st;
    options.kubeconfig = name;
    options.server = server;
    st = lw_config_load(&config, &options, err);
    (void)unlink(name);
    if (st == LW_OK)
        st = lw_client_new(out, config, NULL, err);
    lw_config_unref(config);
    return st;
}

lw_status manifest_url_read(const char *url, lw_bytes_fn on_bytes, void *arg, lw_error *err)
{
    lw_client *client = NULL;
    lw_raw_options options = LW_RAW_OPTIONS_INIT;
    const char *host = strstr(url, "://") + 3;
    const char *path = host + strcspn(host, "/?#");
    char *server = strndup(url, (size_t)(path - url));
    options.on_bytes = on_bytes;
    options.arg = arg;
    lw_status st = server ? connect_to(server, &client, err) : LW_ERR_NOMEM;
    if (st == LW_OK)
        st = lw_client_raw(client, "GET", path[0] == '/' ? path : "/", &options, NULL, err);
    lw_client_unref(client);
    free(server);
    return st;
}
