/* SPDX-License-Identifier: Apache-2.0 */
/* rotating.h -- a token or certificate, which may be in a file that is replaced from time to time.
 * One user at a time. */
#ifndef LW_KUBECONFIG_ROTATING_H
#define LW_KUBECONFIG_ROTATING_H

#include "kubeconfig/whole_file.h"

typedef enum lw_rotating_kind {
    LW_ROTATING_TOKEN, /* one line; surrounding white space is ignored */
    LW_ROTATING_PEM,
} lw_rotating_kind;

typedef struct lw_rotating {
    lw_rotating_kind kind;
    char *path;     /* NULL: |content| never changes */
    lw_buf content; /* the last valid content */
    lw_file_mark mark;
    int64_t read_ns; /* time of the last read; INT64_MIN: not since it was opened */
} lw_rotating;

void lw_rotating_init(lw_rotating *rotating, lw_rotating_kind kind);
void lw_rotating_done(lw_rotating *rotating);

/* Takes |path|, also on error, and |fallback|, and reads the file for the first time; if it cannot
 * be read, the fallback is used.  NULL path: only the fallback is used.  LW_ERR_IO names the file
 * and |what| it is for; LW_ERR_INVALID, LW_ERR_NOMEM. */
lw_status lw_rotating_open_take(lw_rotating *rotating, char *path, lw_buf *fallback,
                                const char *what, lw_error *err);

/* Reads the file again if it has changed, if it is an old token, or if |is_forced|.  If it cannot
 * be read or is invalid, the content does not change. */
void lw_rotating_refresh(lw_rotating *rotating, int64_t now_ns, bool is_forced);

#endif
