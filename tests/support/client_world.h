/* SPDX-License-Identifier: Apache-2.0 */
/* client_world.h -- a server in this process, and clients of it. */
#ifndef LW_TESTS_SUPPORT_CLIENT_WORLD_H
#define LW_TESTS_SUPPORT_CLIENT_WORLD_H

#include <listwatch/client.h>
#include <listwatch/server.h>

typedef struct client_world {
    char folder[64];
    lw_server *server;
    lw_client *client; /* over plain HTTP */
} client_world;

/* Opens a server without objects, over HTTP and HTTPS; |tokens| (may be NULL) is its token file. */
void client_world_open(client_world *world, const char *tokens);
void client_world_close(client_world *world);

/* Makes a client with the configuration |options|; the caller unrefs it. */
lw_client *client_world_connect(const lw_config_options *options);

/* Write the path of |name| in the folder to |path|; and make a file there with |text|. */
void client_world_path(const client_world *world, const char *name, char path[192]);
void client_world_write(const client_world *world, const char *name, const char *text);

lw_gvr client_world_configmaps(void);

/* Makes a config map |name| in "default" with the label app=|app| and a value; the caller unrefs
 * it. */
lw_object *client_world_configmap(const char *name, const char *app, const char *value);

/* Creates a config map, or fails the test. */
void client_world_create(client_world *world, const char *name, const char *app);

#endif
