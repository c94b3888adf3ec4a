/* SPDX-License-Identifier: Apache-2.0 */
/* files.h -- small private files: read completely, and written so that a crash leaves the old file
 * or the new one, never a part. */
#ifndef LW_BASE_FILE_FILES_H
#define LW_BASE_FILE_FILES_H

#include "base/buf.h"

/* Creates |path| and its parent directories, accessible only by the owner.  LW_OK if it exists;
 * LW_ERR_IO names the directory that could not be created. */
lw_status lw_folder_make(const char *path, lw_error *err);

/* Appends the bytes of |path| to |out|, up to its limit.  LW_ERR_NOT_FOUND, LW_ERR_IO,
 * LW_ERR_LIMIT, LW_ERR_NOMEM; messages name the file. */
lw_status lw_file_read(const char *path, lw_buf *out, lw_error *err);

/* Replaces |path| with |bytes|, readable only by the owner: written to a temporary file, flushed,
 * renamed.  A power failure leaves the old file or the new one; lw_folder_flush ensures the new
 * one.  LW_ERR_IO, LW_ERR_NOMEM. */
lw_status lw_file_replace(const char *path, lw_str bytes, lw_error *err);

/* Writes |bytes| to the new file |beside|, readable only by the owner, which replaces one that a
 * crash has left.  |*fd| is open then, and nothing is flushed: lw_file_replace and
 * lw_file_batch_add do the rest.  LW_ERR_IO. */
LW_MUST_CHECK lw_status lw_file_write_beside(const char *beside, lw_str bytes, int *fd,
                                             lw_error *err);

/* Flushes the renames in |folder| to disk, as far as the file system supports it. */
void lw_folder_flush(const char *folder);

/* Returns "folder/name", which the caller frees with lw_free; NULL if memory runs out. */
LW_MUST_CHECK char *lw_file_path(const char *folder, const char *name);

#endif
