/* SPDX-License-Identifier: Apache-2.0 */
/* log_file.h -- the audit log: a file of lines that is rotated by size.
 *
 *     audit.log                               is written
 *     audit-2026-11-17T20-21-11.123.log       was full at that time (UTC)
 *     audit-2026-11-17T20-21-11.123.log.gz    the same, compressed
 *
 * Names are those of kube-apiserver.  Rotating only renames and creates files; old ones are
 * compressed and removed by lw_audit_log_tidy, which may take longer.  One thread at a time. */
#ifndef LW_SERVER_AUDIT_LOG_FILE_H
#define LW_SERVER_AUDIT_LOG_FILE_H

#include <stdatomic.h>

#include <listwatch/sys/clock.h>

#include "base/buf.h"

typedef struct lw_audit_log_options {
    const char *path;      /* "-": standard output, which is never rotated */
    uint64_t max_bytes;    /* size at which the file is rotated; 0: never */
    uint64_t max_age_days; /* of rotated files; 0: any age */
    uint64_t max_backups;  /* rotated files to keep; 0: all */
    bool compresses;       /* rotated files */
    const lw_clock *clock;
} lw_audit_log_options;

typedef struct lw_audit_log {
    lw_audit_log_options options; /* |path| is a copy */
    char *path;
    int fd; /* -1: not open */
    uint64_t size;
} lw_audit_log;

/* Opens the file to append to it, and creates it and its directory if necessary, readable only by
 * the owner.  Call lw_audit_log_close in any case.  LW_ERR_IO, LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_audit_log_open(lw_audit_log *log, const lw_audit_log_options *options,
                                          lw_error *err);
void lw_audit_log_close(lw_audit_log *log);

/* Appends |lines|, which are complete, after rotating the file if it would become too large.
 * |*has_rotated| says so.  LW_ERR_IO: they are not in the log, or only a part of them; the next
 * write tries to open the file again. */
LW_MUST_CHECK lw_status lw_audit_log_write(lw_audit_log *log, lw_str lines, bool *has_rotated,
                                           lw_error *err);

/* Compresses rotated files and removes those that are too many or too old.  Uses |log| only to read
 * its options: may run while another thread writes.  Ends early if |is_stopping| becomes true (may
 * be NULL).  LW_ERR_IO, LW_ERR_NOMEM. */
lw_status lw_audit_log_tidy(const lw_audit_log *log, const atomic_bool *is_stopping, lw_error *err);

/* Appends the name of a file that was full at |wall_ns|: for log_file.c and log_tidy.c. */
void lw_audit_log__append_backup(lw_buf *out, const char *path, int64_t wall_ns);

#endif
