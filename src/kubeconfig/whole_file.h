/* SPDX-License-Identifier: Apache-2.0 */
/* whole_file.h -- small files read in one go, and whether they have changed since. */
#ifndef LW_KUBECONFIG_WHOLE_FILE_H
#define LW_KUBECONFIG_WHOLE_FILE_H

#include <stdbool.h>

#include "base/buf.h"

enum {
    LW_WHOLE_FILE_LIMIT = 10 * 1024 * 1024, /* bytes of a kubeconfig, a certificate, a token */
};

/* Which file it was, and in which state; zeroed: none. */
typedef struct lw_file_mark {
    uint64_t device, inode;
    int64_t size;
    int64_t modified_ns, changed_ns;
} lw_file_mark;

bool lw_file_mark_equal(const lw_file_mark *a, const lw_file_mark *b);

/* The state of |path| now.  False: it cannot be looked at. */
bool lw_file_mark_read(const char *path, lw_file_mark *mark);

/* Appends the regular file |path| to |out|, which is treated as a secret; |*mark| (may be NULL) is
 * its state when it was opened.  LW_ERR_NOT_FOUND, LW_ERR_LIMIT (larger than |out| may be),
 * LW_ERR_INVALID (a directory, a device), LW_ERR_IO, LW_ERR_NOMEM; messages begin with the path. */
lw_status lw_whole_file_read(const char *path, lw_buf *out, lw_file_mark *mark, lw_error *err);

/* The same, and |path| may be a pipe, which is read until its end: a shell's <(command). */
lw_status lw_whole_file_read_once(const char *path, lw_buf *out, lw_error *err);

#endif
