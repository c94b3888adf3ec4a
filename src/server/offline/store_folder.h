/* SPDX-License-Identifier: Apache-2.0 */
/* store_folder.h -- the folder of the store in a data directory. */
#ifndef LW_SERVER_OFFLINE_STORE_FOLDER_H
#define LW_SERVER_OFFLINE_STORE_FOLDER_H

#include <listwatch/error.h>

#define LW_SERVER_STORE_FOLDER "store"
#define LW_SERVER_COPIES_FOLDER                                                                    \
    "cache" /* beside it: copies of large resources (cache/saving.h)                               \
             */

/* Returns the path of the folder, which must exist, in |*folder|; the caller frees it with lw_free.
 * LW_ERR_NOT_FOUND: there is no store in |data_dir|; LW_ERR_NOMEM. */
lw_status lw_server_store_folder(const char *data_dir, char **folder, lw_error *err);

#endif
