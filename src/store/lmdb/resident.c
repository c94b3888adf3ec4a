/* SPDX-License-Identifier: Apache-2.0 */
/* resident.c -- finds the map in /proc/self/maps, because LMDB does not provide its address,
 * and advises the system that its pages are not needed.  If that fails, only memory is wasted. */
#include "store/lmdb/resident.h"

#include <lmdb.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>

typedef struct mapping {
    uintptr_t start, end;
} mapping;

/* Parses for example "7f00-7f80 r--s 00000000 08:01 131 /var/lib/...".  Only shared mappings are
 * accepted: releasing the wrong one then costs only time. */
static bool line_is_of(const char *line, const struct stat *file, mapping *found)
{
    unsigned long start, end, inode;
    char rights[5];
    if (sscanf(line, "%lx-%lx %4s %*x %*s %lu", &start, &end, rights, &inode) != 4)
        return false;
    *found = (mapping){ start, end };
    return inode == file->st_ino && rights[3] == 's';
}

static bool find_mapping(MDB_env *env, mapping *found)
{
    mdb_filehandle_t fd;
    struct stat file;
    if (mdb_env_get_fd(env, &fd) != 0 || fstat(fd, &file) < 0)
        return false;
    FILE *maps = fopen("/proc/self/maps", "re");
    if (!maps)
        return false;
    char line[512];
    bool is_found = false;
    while (!is_found && fgets(line, sizeof(line), maps))
        is_found = line_is_of(line, &file, found);
    fclose(maps);
    return is_found;
}

static void give_back(MDB_env *env)
{
    MDB_envinfo info;
    MDB_stat stat;
    mapping map;
    if (mdb_env_info(env, &info) != 0 || mdb_env_stat(env, &stat) != 0 || !find_mapping(env, &map))
        return;
    size_t used = (info.me_last_pgno + 1) * stat.ms_psize;
    if (used > map.end - map.start)
        used = map.end - map.start;
    (void)madvise((void *)map.start, used, MADV_DONTNEED);
}

void lw_lmdb_resident_touch(lw_lmdb_resident *resident, struct MDB_env *env, size_t bytes)
{
    size_t before = atomic_fetch_add_explicit(&resident->touched, bytes, memory_order_relaxed);
    if (!env || before + bytes < LW_LMDB_RESIDENT_BYTES)
        return;
    atomic_store_explicit(&resident->touched, 0, memory_order_relaxed);
    give_back(env);
}
