/* SPDX-License-Identifier: Apache-2.0 */
/* files.h -- small private files: read whole, and written so that a crash leaves the old one or the
 * new one, never half of it. */
#ifndef LW_BASE_FILES_H
#define LW_BASE_FILES_H

#include "base/buf.h"

/* Makes |path| and the folders above it, for the owner alone.  LW_OK when it is there already;
 * LW_ERR_IO names the folder that could not be made. */
lw_status lw_folder_make(const char *path, lw_error *err);

/* Appends the bytes of |path|, as many as |out| may hold.  LW_ERR_NOT_FOUND, LW_ERR_IO,
 * LW_ERR_LIMIT, LW_ERR_NOMEM; messages name the file. */
lw_status lw_file_read(const char *path, lw_buf *out, lw_error *err);

/* Replaces |path| by |bytes|, readable by its owner alone: written beside it, flushed, renamed.  A
 * power failure leaves the old file or the new one; that it is the new one, lw_folder_flush sees
 * to.  LW_ERR_IO, LW_ERR_NOMEM. */
lw_status lw_file_replace(const char *path, lw_str bytes, lw_error *err);

/* Has the renames in |folder| on the disk, as far as its file system can. */
void lw_folder_flush(const char *folder);

/* "folder/name", to lw_free; NULL when out of memory. */
LW_MUST_CHECK char *lw_file_path(const char *folder, const char *name);

#endif
