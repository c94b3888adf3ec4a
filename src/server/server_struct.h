/* SPDX-License-Identifier: Apache-2.0 */
/* server_struct.h -- a server with its threads and addresses, for the files that implement
 * <listwatch/server.h>. */
#ifndef LW_SERVER_SERVER_STRUCT_H
#define LW_SERVER_SERVER_STRUCT_H

#include <listwatch/server.h>

#include "base/sync.h"
#include "net/endpoint.h"
#include "server/authz_mode.h"
#include "server/loops.h"
#include "server/memory_trim.h"
#include "server/mirror_open.h"
#include "server/server_internal.h"
#include "server/serving_tls.h"
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
