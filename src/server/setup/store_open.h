/* SPDX-License-Identifier: Apache-2.0 */
/* store_open.h -- opens the store of a server. */
#ifndef LW_SERVER_SETUP_STORE_OPEN_H
#define LW_SERVER_SETUP_STORE_OPEN_H

#include <listwatch/server.h>

#include "base/buf.h"
#include "store/lmdb/folder.h"
#include "store/store.h"

/* The limit of a store in a data directory, unless the options set one: what etcd recommends as its
 * maximum. */
#define LW_SERVER_STORE_BYTES (UINT64_C(8) << 30)

/* Opens the store in etcd, in data_dir (created if it does not exist) or in memory.  |*lock| locks
 * data_dir against other servers, if the store does not. */
lw_status lw_server_open_store(lw_store **out, const lw_server_options *options,
                               lw_lmdb_owner *lock, lw_error *err);

/* Appends the prefix of all keys, "/registry/" or the configured one, with a '/' at both ends. */
void lw_server_append_key_prefix(const lw_server_options *options, lw_buf *out);

#endif
