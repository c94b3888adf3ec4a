/* SPDX-License-Identifier: Apache-2.0 */
/* whole_file.h -- reads small files completely, and detects whether they have changed. */
#ifndef LW_KUBECONFIG_WHOLE_FILE_H
#define LW_KUBECONFIG_WHOLE_FILE_H

#include <stdbool.h>

#include "base/buf.h"

enum {
    LW_WHOLE_FILE_LIMIT =
        10 * 1024 * 1024, /* size limit of a kubeconfig, certificate or token file, in bytes */
};

/* Identifies a file and its state; zeroed: none. */
typedef struct lw_file_mark {
    uint64_t device, inode;
    int64_t size;
    int64_t modified_ns, changed_ns;
} lw_file_mark;

bool lw_file_mark_equal(const lw_file_mark *a, const lw_file_mark *b);

/* Gets the current state of |path|.  Returns false if that fails. */
bool lw_file_mark_read(const char *path, lw_file_mark *mark);

/* Appends the regular file |path| to |out|, as a secret; |*mark| (may be NULL) is its state when it
 * was opened.  LW_ERR_NOT_FOUND, LW_ERR_LIMIT (too large for |out|), LW_ERR_INVALID (a directory or
 * device), LW_ERR_IO, LW_ERR_NOMEM; messages begin with the path. */
lw_status lw_whole_file_read(const char *path, lw_buf *out, lw_file_mark *mark, lw_error *err);

/* As lw_whole_file_read, but |path| may also be a pipe, which is read until its end: <(command) of
 * a shell. */
lw_status lw_whole_file_read_once(const char *path, lw_buf *out, lw_error *err);

#endif
