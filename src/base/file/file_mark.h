/* SPDX-License-Identifier: Apache-2.0 */
/* file_mark.h -- identifies a file and its state, to notice changes without reading it. */
#ifndef LW_BASE_FILE_FILE_MARK_H
#define LW_BASE_FILE_FILE_MARK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

/* Zeroed: there is no file. */
typedef struct lw_file_mark {
    uint64_t device, inode;
    int64_t size;
    int64_t modified_ns, changed_ns;
} lw_file_mark;

bool lw_file_mark_equal(const lw_file_mark *a, const lw_file_mark *b);

/* Gets the current state of |path|.  Returns false and zeroes |mark| if that fails. */
bool lw_file_mark_read(const char *path, lw_file_mark *mark);

/* Returns the mark of a file with this state. */
lw_file_mark lw_file_mark_of(const struct stat *info);

#endif
