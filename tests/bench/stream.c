/* SPDX-License-Identifier: Apache-2.0 */
/* stream.c -- peak memory of a process that streams a list through the scanner.
 * A process of its own: the list that the contest holds in memory must not be counted, and the
 * peak (VmHWM) begins anew with exec, unlike what getrusage says of children. */
#include "bench/stream.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/pod_gen.h"
#include "json/scan.h"

static lw_status count_item(const lw_scan_item *item, void *arg, lw_error *err)
{
    (void)item;
    (void)err;
    (*(uint64_t *)arg)++;
    return LW_OK;
}

static bool feed_scan(const char *bytes, size_t len, void *arg)
{
    return lw_scan_feed(arg, bytes, len, NULL) == LW_OK;
}

static uint64_t peak_kib(void)
{
    char line[256];
    unsigned long long kib = 0;
    FILE *status = fopen("/proc/self/status", "r");
    if (!status)
        return 0;
    while (fgets(line, sizeof(line), status)) {
        if (sscanf(line, "VmHWM: %llu kB", &kib) == 1)
            break;
    }
    fclose(status);
    return kib;
}

int stream_child(uint64_t bytes, uint64_t seed)
{
    uint64_t items = 0;
    pod_gen_totals totals = { 0 };
    lw_scan *scan = NULL;
    const lw_scan_options options = { .shape = LW_SCAN_LIST, .on_item = count_item, .arg = &items };
    const pod_gen_options list = { .bytes = bytes, .seed = seed };
    if (lw_scan_new(&scan, &options, NULL) < 0)
        return 1;
    bool is_good = pod_gen_list(&list, feed_scan, scan, &totals) &&
                   lw_scan_finish(scan, NULL) == LW_OK && items == totals.pods;
    lw_scan_free(scan);
    printf("%llu %llu %llu\n", (unsigned long long)totals.bytes, (unsigned long long)items,
           (unsigned long long)peak_kib());
    return is_good ? 0 : 1;
}

static void run_child(int output, uint64_t bytes, uint64_t seed)
{
    char bytes_text[24], seed_text[24];
    snprintf(bytes_text, sizeof(bytes_text), "%llu", (unsigned long long)bytes);
    snprintf(seed_text, sizeof(seed_text), "%llu", (unsigned long long)seed);
    if (dup2(output, STDOUT_FILENO) >= 0)
        execl("/proc/self/exe", "bench-scan", "--stream", bytes_text, "--seed", seed_text,
              (char *)NULL);
    _exit(127);
}

static bool read_result(int input, stream_result *out)
{
    unsigned long long bytes, items, kib;
    FILE *file = fdopen(input, "r");
    if (!file) {
        close(input);
        return false;
    }
    bool is_good = fscanf(file, "%llu %llu %llu", &bytes, &items, &kib) == 3;
    fclose(file);
    if (is_good)
        *out = (stream_result){ .bytes = bytes, .items = items, .peak_kib = kib };
    return is_good;
}

bool stream_measure(uint64_t bytes, uint64_t seed, stream_result *out)
{
    int ends[2];
    if (pipe(ends) < 0)
        return false;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0)
        run_child(ends[1], bytes, seed);
    close(ends[1]);
    if (child < 0) {
        close(ends[0]);
        return false;
    }
    bool is_good = read_result(ends[0], out);
    int status = 0;
    return waitpid(child, &status, 0) == child && status == 0 && is_good;
}
