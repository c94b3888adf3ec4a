/* SPDX-License-Identifier: Apache-2.0 */
/* store_progress.c -- shows how far a command is: on a terminal one line that changes, otherwise a
 * line every five seconds. */
#include "store_progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum {
    TERMINAL_MS = 200,
    FILE_MS = 5000,
};

static int64_t now_ms(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void store_progress_init(store_progress *progress, const store_arguments *args, const char *what)
{
    *progress = (store_progress){
        .args = args, .what = what, .is_terminal = isatty(STDERR_FILENO) == 1, .shown_ms = now_ms()
    };
}

void store_progress_done(store_progress *progress)
{
    if (progress->has_line)
        fputc('\n', stderr);
    progress->has_line = false;
}

static bool show(uint64_t done, void *arg)
{
    store_progress *progress = arg;
    int64_t now = now_ms();
    if (progress->args->is_quiet ||
        now - progress->shown_ms < (progress->is_terminal ? TERMINAL_MS : FILE_MS))
        return true;
    progress->shown_ms = now;
    progress->has_line = progress->is_terminal;
    fprintf(stderr, "%s%llu %s%s", progress->is_terminal ? "\r" : "", (unsigned long long)done,
            progress->what, progress->is_terminal ? "" : "\n");
    return true;
}

static void print_line(const char *line, void *arg)
{
    store_progress_done(arg);
    fprintf(stderr, "%s\n", line);
}

lw_server_store_report store_progress_report(store_progress *progress)
{
    return (lw_server_store_report){ .on_line = print_line, .on_progress = show, .arg = progress };
}
