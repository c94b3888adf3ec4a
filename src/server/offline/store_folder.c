/* SPDX-License-Identifier: Apache-2.0 */
/* store_folder.c -- the folder of the store in a data directory. */
#include "server/offline/store_folder.h"

#include <sys/stat.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/file/files.h"

lw_status lw_server_store_folder(const char *data_dir, char **folder, lw_error *err)
{
    struct stat status;
    char *path = lw_file_path(data_dir, LW_SERVER_STORE_FOLDER);
    if (!path)
        return lw_error_nomem(err);
    if (stat(path, &status) < 0 || !S_ISDIR(status.st_mode)) {
        lw_free(path);
        return lw_error_set(err, LW_ERR_NOT_FOUND,
                            "there is no store in %s: name the data directory of a server",
                            data_dir);
    }
    *folder = path;
    return LW_OK;
}
