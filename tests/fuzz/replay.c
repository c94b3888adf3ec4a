/* SPDX-License-Identifier: Apache-2.0 */
/* replay.c -- a main() for fuzz targets without libFuzzer: runs every file of a folder and each
 * prefix of a file, so that the targets are tested in every build. */
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"

enum {
    INPUT_MAX = 1 << 20,
    PREFIX_MAX = 512, /* longer inputs are not cut at every byte */
};

/* Each input is in a block of its own, so that ASan detects a read past its end. */
static void run_input(const char *bytes, size_t len)
{
    uint8_t *input = malloc(len ? len : 1);
    if (!input)
        abort();
    if (len > 0)
        memcpy(input, bytes, len);
    (void)LLVMFuzzerTestOneInput(input, len);
    free(input);
}

static bool run_file(const char *folder, const char *name, char *bytes)
{
    char path[4096];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (!file) {
        printf("# cannot open %s\n", path);
        return false;
    }
    size_t len = fread(bytes, 1, INPUT_MAX, file);
    fclose(file);
    run_input(bytes, len);
    for (size_t cut = 0; len <= PREFIX_MAX && cut < len; cut++)
        run_input(bytes, cut);
    return true;
}

static bool is_input(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* Returns the number of inputs run from |folder|, or -1. */
static int run_folder(const char *folder)
{
    struct dirent **entries = NULL;
    int found = scandir(folder, &entries, NULL, alphasort);
    char *bytes = malloc(INPUT_MAX);
    int count = found < 0 || !bytes ? -1 : 0;
    for (int i = 0; i < found; i++) {
        if (count >= 0 && is_input(entries[i]))
            count = run_file(folder, entries[i]->d_name, bytes) ? count + 1 : -1;
        free(entries[i]);
    }
    free(entries);
    free(bytes);
    return count;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s <corpus folder>\n", argv[0]);
        return 2;
    }
    printf("1..1\n");
    fflush(stdout);
    int count = run_folder(argv[1]);
    printf("%sok 1 - replays %d inputs and their prefixes\n", count > 0 ? "" : "not ", count);
    return count > 0 ? 0 : 1;
}
