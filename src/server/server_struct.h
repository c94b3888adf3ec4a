/* SPDX-License-Identifier: Apache-2.0 */
/* server_struct.h -- a server with its threads and addresses, for the files that implement
 * <listwatch/server.h>. */
#ifndef LW_SERVER_SERVER_STRUCT_H
#define LW_SERVER_SERVER_STRUCT_H

#include <listwatch/server.h>

#include "base/sync.h"
#include "net/endpoint.h"
#include "server/core/authz_mode.h"
#include "server/core/loops.h"
#include "server/core/memory_trim.h"
#include "server/core/server_internal.h"
#include "server/core/serving_tls.h"
#include "server/setup/mirror_open.h"
#include "store/lmdb/folder.h"

struct lw_server {
    lw_server_parts parts;
    lw_loops loops;
    lw_memory_trim trim;
    lw_mirror_recheck recheck;
    lw_serving_tls tls;
    lw_endpoint https, http;
    char *url, *insecure_url, *kubeconfig;
    lw_lmdb_owner folder_lock;
    lw_server_modes modes;

    lw_mutex mu; /* guards is_drained */
    lw_cond changed;
    bool is_drained;
};

#endif
