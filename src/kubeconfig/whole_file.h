/* SPDX-License-Identifier: Apache-2.0 */
/* whole_file.h -- reads small files completely. */
#ifndef LW_KUBECONFIG_WHOLE_FILE_H
#define LW_KUBECONFIG_WHOLE_FILE_H

#include "base/buf.h"
#include "base/file/file_mark.h"

enum {
    LW_WHOLE_FILE_LIMIT =
        10 * 1024 * 1024, /* size limit of a kubeconfig, certificate or token file, in bytes */
};

/* Appends the regular file |path| to |out|, as a secret; |*mark| (may be NULL) is its state when it
 * was opened.  LW_ERR_NOT_FOUND, LW_ERR_LIMIT (too large for |out|), LW_ERR_INVALID (a directory or
 * device), LW_ERR_IO, LW_ERR_NOMEM; messages begin with the path. */
lw_status lw_whole_file_read(const char *path, lw_buf *out, lw_file_mark *mark, lw_error *err);

/* As lw_whole_file_read, but |path| may also be a pipe, which is read until its end: <(command) of
 * a shell. */
lw_status lw_whole_file_read_once(const char *path, lw_buf *out, lw_error *err);

#endif
