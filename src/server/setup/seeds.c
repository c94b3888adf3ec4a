/* SPDX-License-Identifier: Apache-2.0 */
/* seeds.c -- stores the objects that the server itself needs: those of the API, what API servers
 * behind this one need to know, APIServices, and those of flow control. */
#include "server/setup/seeds.h"

#include "api/context/seed_batch.h"
#include "base/error.h"
#include "server/core/authentication_info.h"
#include "server/flowcontrol/flow_seed.h"

static lw_status add_all(lw_seed_batch *batch, const lw_server_parts *parts,
                         const lw_server_options *options)
{
    lw_status st = lw_api_seed_add(batch);
    if (st == LW_OK)
        st = lw_authentication_info_seed(batch, parts->client_ca,
                                         parts->proxy ? parts->proxy : parts->own_proxy);
    if (st == LW_OK)
        st = lw_aggregator_seed(batch);
    if (st == LW_OK && !options->disable_priority_and_fairness)
        st = lw_flow_seed(batch);
    return st;
}

lw_status lw_server_seed(lw_server_parts *parts, const lw_server_options *options, lw_error *err)
{
    lw_seed_batch batch;
    lw_status st = lw_seed_batch_init(&batch, parts->api, err);
    if (st == LW_OK && (st = add_all(&batch, parts, options)) < 0)
        st = lw_error_set(err, st, "cannot make the server's own objects: %s", lw_status_name(st));
    if (st == LW_OK)
        st = lw_seed_batch_commit(&batch, err);
    lw_seed_batch_done(&batch);
    return st;
}
