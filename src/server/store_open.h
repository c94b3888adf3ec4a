/* SPDX-License-Identifier: Apache-2.0 */
/* store_open.h -- the store that a server's options ask for. */
#ifndef LW_SERVER_STORE_OPEN_H
#define LW_SERVER_STORE_OPEN_H

#include <listwatch/server.h>

#include "base/buf.h"
#include "store/store.h"

/* In etcd, in data_dir, which is made if it is not there, or in memory.  |*lock| is a descriptor
 * that keeps other servers out of data_dir until it is closed, or -1. */
lw_status lw_server_open_store(lw_store **out, const lw_server_options *options, int *lock,
                               lw_error *err);

/* Appends what all keys begin with: "/registry/", or what is wanted instead, with a '/' at both
 * ends. */
void lw_server_append_key_prefix(const lw_server_options *options, lw_buf *out);

#endif
