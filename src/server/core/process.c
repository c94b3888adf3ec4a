/* SPDX-License-Identifier: Apache-2.0 */
/* process.c -- the resource usage of this process, read from /proc. */
#include "server/core/process.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/str.h"

enum {
    STAT_SIZE = 1024,
    /* Index in /proc/self/stat, counted from the field after the name: proc(5). */
    STAT_THREADS = 17,
    STAT_START = 19,
    STAT_VIRTUAL = 20,
    STAT_RESIDENT = 21,
};

static size_t read_stat(char *text, size_t size)
{
    int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    ssize_t len = read(fd, text, size);
    (void)close(fd);
    return len > 0 ? (size_t)len : 0;
}

/* Returns the number at |index| of the space-separated |fields|; 0 if there is none. */
static uint64_t field_at(lw_str fields, unsigned index)
{
    lw_str field = { NULL, 0 };
    uint64_t value = 0;
    for (unsigned i = 0; i <= index; i++)
        (void)lw_str_cut(fields, ' ', &field, &fields);
    return lw_str_to_uint64(field, &value) ? value : 0;
}

static int64_t ns_of(clockid_t id)
{
    struct timespec at;
    return clock_gettime(id, &at) == 0 ? at.tv_sec * LW_NS_PER_S + at.tv_nsec : 0;
}

static uint64_t count_fds(void)
{
    DIR *folder = opendir("/proc/self/fd");
    uint64_t count = 0;
    if (!folder)
        return 0;
    while (readdir(folder))
        count++;
    (void)closedir(folder);
    return count > 3 ? count - 3 : 0; /* ".", "..", and the descriptor of the directory itself */
}

void lw_process_look(lw_process_facts *facts, const lw_clock *clock)
{
    char text[STAT_SIZE];
    size_t len = read_stat(text, sizeof(text));
    /* The program's name is in parentheses and may contain any character. */
    const char *name_end = len > 0 ? memrchr(text, ')', len) : NULL;
    struct rlimit limit;
    memset(facts, 0, sizeof(*facts));
    if (name_end) {
        lw_str fields = lw_str_make(name_end + 1, len - (size_t)(name_end + 1 - text));
        fields = lw_str_skip(fields, 1);
        int64_t ticks = sysconf(_SC_CLK_TCK), page = sysconf(_SC_PAGESIZE);
        int64_t since_boot =
            (int64_t)field_at(fields, STAT_START) * (LW_NS_PER_S / (ticks > 0 ? ticks : 100));
        facts->threads = field_at(fields, STAT_THREADS);
        facts->virtual_bytes = field_at(fields, STAT_VIRTUAL);
        facts->resident_bytes =
            field_at(fields, STAT_RESIDENT) * (uint64_t)(page > 0 ? page : 4096);
        facts->start_wall_ns = lw_clock_wall(clock) - (ns_of(CLOCK_BOOTTIME) - since_boot);
    }
    facts->cpu_ns = ns_of(CLOCK_PROCESS_CPUTIME_ID);
    facts->open_fds = count_fds();
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0)
        facts->max_fds = limit.rlim_cur;
}
