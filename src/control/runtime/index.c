/* SPDX-License-Identifier: Apache-2.0 */
/* index.c -- adds indexes to informers that outlive the controllers. */
#include "runtime/controller.h"

lw_status lw_control_add_index(lw_informer *informer, const char *name, lw_index_fn fn,
                               lw_error *err)
{
    lw_status st = lw_informer_add_index(informer, name, fn, NULL, err);
    return st == LW_ERR_EXISTS ? LW_OK : st;
}

lw_status lw_control_add_index_path(lw_informer *informer, const char *name, const char *pointer,
                                    lw_error *err)
{
    lw_status st = lw_informer_add_index_path(informer, name, pointer, err);
    return st == LW_ERR_EXISTS ? LW_OK : st;
}
