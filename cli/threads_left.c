/* SPDX-License-Identifier: Apache-2.0 */
/* threads_left.c -- reads /proc/self/task without stdio and opendir, because a hanging thread may
 * hold the locks of the allocator. */
#include "threads_left.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    NAMES_SIZE = 4096,
    STAT_SIZE = 256,
};

/* The entries written by the system call getdents64. */
typedef struct entry {
    uint64_t inode;
    int64_t offset;
    uint16_t len;
    unsigned char type;
    char name[];
} entry;

/* Appends "name (state)" of the thread |id|. */
static size_t append_thread(char *text, size_t at, size_t size, const char *id)
{
    char path[64], stat[STAT_SIZE + 1];
    (void)snprintf(path, sizeof(path), "/proc/self/task/%s/stat", id);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t len = file >= 0 ? read(file, stat, STAT_SIZE) : -1;
    if (file >= 0)
        (void)close(file);
    if (len <= 0)
        return at;
    stat[len] = '\0';
    char *name = strchr(stat, '('), *end = strrchr(stat, ')'); /* "12 (name) S ..." */
    if (!name || !end || end[1] == '\0' || strtoul(id, NULL, 10) == (unsigned long)gettid())
        return at;
    *end = '\0';
    int more = snprintf(text + at, size - at, "%s%s (%c)", at > 0 ? ", " : "", name + 1, end[2]);
    return more > 0 && at + (size_t)more < size ? at + (size_t)more : at;
}

void threads_left(char *text, size_t size)
{
    _Alignas(entry) char names[NAMES_SIZE];
    int folder = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    size_t at = 0;
    long got;
    text[0] = '\0';
    while (folder >= 0 && (got = syscall(SYS_getdents64, folder, names, sizeof(names))) > 0) {
        for (long i = 0; i < got;) {
            const entry *e = (const entry *)(const void *)(names + i);
            if (e->name[0] != '.')
                at = append_thread(text, at, size, e->name);
            text[at] = '\0';
            i += e->len;
        }
    }
    if (folder >= 0)
        (void)close(folder);
}
