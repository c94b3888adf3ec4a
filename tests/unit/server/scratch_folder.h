/* SPDX-License-Identifier: Apache-2.0 */
/* scratch_folder.h -- a folder for the files of one test, gone after it. */
#ifndef LW_TESTS_UNIT_SERVER_SCRATCH_FOLDER_H
#define LW_TESTS_UNIT_SERVER_SCRATCH_FOLDER_H

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit/test.h"

typedef struct scratch {
    char folder[64];
    char path[192]; /* of the last scratch_path */
} scratch;

static inline void scratch_begin(scratch *s)
{
    (void)snprintf(s->folder, sizeof(s->folder), "/tmp/listwatch-test-XXXXXX");
    assert_non_null(mkdtemp(s->folder));
}

static inline int scratch__remove(const char *path, const struct stat *facts, int what,
                                  struct FTW *at)
{
    (void)facts;
    (void)what;
    (void)at;
    return remove(path);
}

static inline void scratch_end(scratch *s)
{
    (void)nftw(s->folder, scratch__remove, 16, FTW_DEPTH | FTW_PHYS);
}

/* The path of |name| in the folder; good until the next call. */
static inline const char *scratch_path(scratch *s, const char *name)
{
    (void)snprintf(s->path, sizeof(s->path), "%s/%s", s->folder, name);
    return s->path;
}

static inline void scratch_write(scratch *s, const char *name, const char *text)
{
    FILE *file = fopen(scratch_path(s, name), "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
}

/* The text of a file, at most |size| - 1 bytes; -1: it is not there. */
static inline ssize_t scratch_read(scratch *s, const char *name, char *text, size_t size)
{
    FILE *file = fopen(scratch_path(s, name), "r");
    if (!file)
        return -1;
    size_t len = fread(text, 1, size - 1, file);
    text[len] = '\0';
    (void)fclose(file);
    return (ssize_t)len;
}

/* The permissions of a file; 0: it is not there. */
static inline unsigned scratch_mode(scratch *s, const char *name)
{
    struct stat facts;
    return stat(scratch_path(s, name), &facts) == 0 ? facts.st_mode & 0777u : 0;
}

#endif
