/* SPDX-License-Identifier: Apache-2.0 */
/* prune.c -- reads a list and prints each object as the scanner copied it out, one a line.
 *
 *   prune [--chunk N] [--drop | --keep PATH...] <list
 *
 * --drop alone drops nothing.  Exit code 1 and a message when the list is refused. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json/scan.h"

enum {
    CHUNK_MAX = 1 << 20,
};

/* A line break is a blank between tokens; none stands inside a string. */
static lw_status print_item(const lw_scan_item *item, void *arg, lw_error *err)
{
    (void)err;
    for (size_t i = 0; i < item->json.len; i++) {
        char c = item->json.ptr[i];
        fputc(c == '\n' || c == '\r' ? ' ' : c, arg);
    }
    fputc('\n', arg);
    return LW_OK;
}

static lw_status scan_file(lw_scan *scan, FILE *in, size_t chunk, lw_error *err)
{
    static char bytes[CHUNK_MAX];
    size_t len;
    while ((len = fread(bytes, 1, chunk, in)) > 0) {
        lw_status st = lw_scan_feed(scan, bytes, len, err);
        if (st < 0)
            return st;
    }
    return lw_scan_finish(scan, err);
}

int main(int argc, char **argv)
{
    lw_scan_options options = { .shape = LW_SCAN_LIST, .on_item = print_item, .arg = stdout };
    size_t chunk = CHUNK_MAX;
    for (int i = 1; i < argc; i++) {
        const char *const *paths = (const char *const *)&argv[i + 1];
        if (strcmp(argv[i], "--chunk") == 0 && argv[i + 1]) {
            chunk = strtoul(argv[++i], NULL, 10);
        } else if (strcmp(argv[i], "--drop") == 0) {
            options.drop = paths;
            break;
        } else if (strcmp(argv[i], "--keep") == 0) {
            options.keep = paths;
            break;
        }
    }
    if (chunk == 0 || chunk > CHUNK_MAX)
        return 2;
    lw_error err = LW_ERROR_INIT;
    lw_scan *scan = NULL;
    lw_status st = lw_scan_new(&scan, &options, &err);
    if (st >= 0)
        st = scan_file(scan, stdin, chunk, &err);
    if (st < 0)
        fprintf(stderr, "%s at %llu\n", err.message, (unsigned long long)err.offset);
    lw_scan_free(scan);
    return st < 0 ? 1 : 0;
}
