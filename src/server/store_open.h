/* SPDX-License-Identifier: Apache-2.0 */
/* store_open.h -- the store that a server's options ask for. */
#ifndef LW_SERVER_STORE_OPEN_H
#define LW_SERVER_STORE_OPEN_H

#include <listwatch/server.h>

#include "store/store.h"

/* In data_dir, which is made if it is not there, or in memory. */
lw_status lw_server_open_store(lw_store **out, const lw_server_options *options, lw_error *err);

#endif
