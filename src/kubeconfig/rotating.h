/* SPDX-License-Identifier: Apache-2.0 */
/* rotating.h -- a token or certificate that may lie in a file somebody replaces now and then.
 * One user at a time. */
#ifndef LW_KUBECONFIG_ROTATING_H
#define LW_KUBECONFIG_ROTATING_H

#include "kubeconfig/whole_file.h"

typedef enum lw_rotating_kind {
    LW_ROTATING_TOKEN, /* one line; blanks around it do not count */
    LW_ROTATING_PEM,
} lw_rotating_kind;

typedef struct lw_rotating {
    lw_rotating_kind kind;
    char *path;     /* NULL: |content| never changes */
    lw_buf content; /* the last that was good */
    lw_file_mark mark;
    int64_t read_ns; /* when it was read last; INT64_MIN: not since it was opened */
} lw_rotating;

void lw_rotating_init(lw_rotating *rotating, lw_rotating_kind kind);
void lw_rotating_done(lw_rotating *rotating);

/* Takes |path|, on error too, and |fallback|, and reads the file for the first time: where it
 * cannot be read, the fallback counts.  NULL path: the fallback is all there is.  LW_ERR_IO names
 * the file and |what| wants it; LW_ERR_NOMEM. */
lw_status lw_rotating_open_take(lw_rotating *rotating, char *path, lw_buf *fallback,
                                const char *what, lw_error *err);

/* Reads the file again if it has changed, or is a token that is old, or |is_forced|.  What is not
 * readable, or broken, leaves the content as it is. */
void lw_rotating_refresh(lw_rotating *rotating, int64_t now_ns, bool is_forced);

#endif
