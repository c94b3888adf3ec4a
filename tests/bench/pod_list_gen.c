/* SPDX-License-Identifier: Apache-2.0 */
/* pod_list_gen.c -- the program pod-list-gen: a sample PodList to a file or the standard output. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/pod_gen.h"
#include "bench/size.h"

static const char usage[] =
    "usage: pod-list-gen [--pods N | --bytes SIZE] [--seed N] [--managed-fields=0|1] [-o FILE]\n"
    "Writes a PodList as an API server sends it; SIZE may end in K, M or G.\n";

static bool write_to_file(const char *bytes, size_t len, void *arg)
{
    return fwrite(bytes, 1, len, arg) == len;
}

typedef struct request {
    pod_gen_options options;
    const char *path; /* NULL: standard output */
} request;

static bool read_option(request *req, int option)
{
    uint64_t number = 0;
    if (option == 'o') {
        req->path = strcmp(optarg, "-") == 0 ? NULL : optarg;
        return true;
    }
    if (!parse_size(optarg, &number))
        return false;
    switch (option) {
    case 'p': req->options.pods = number; return true;
    case 'b': req->options.bytes = number; return true;
    case 's': req->options.seed = number; return true;
    case 'm': req->options.drops_managed_fields = number == 0; return number <= 1;
    default: return false;
    }
}

static bool read_arguments(request *req, int argc, char **argv)
{
    static const struct option options[] = {
        { "pods", required_argument, NULL, 'p' },
        { "bytes", required_argument, NULL, 'b' },
        { "seed", required_argument, NULL, 's' },
        { "managed-fields", required_argument, NULL, 'm' },
        { "output", required_argument, NULL, 'o' },
        { NULL, 0, NULL, 0 },
    };
    int option;
    while ((option = getopt_long(argc, argv, "o:", options, NULL)) != -1) {
        if (option == '?' || !read_option(req, option))
            return false;
    }
    if (req->options.pods == 0 && req->options.bytes == 0)
        req->options.pods = 100;
    return optind == argc;
}

int main(int argc, char **argv)
{
    request req = { .options = { .seed = 1 } };
    if (!read_arguments(&req, argc, argv)) {
        fputs(usage, stderr);
        return 2;
    }
    FILE *out = req.path ? fopen(req.path, "wb") : stdout;
    if (!out || !pod_gen_list(&req.options, write_to_file, out, NULL) || fflush(out) != 0) {
        fprintf(stderr, "pod-list-gen: %s: %s\n", req.path ? req.path : "standard output",
                strerror(errno));
        return 1;
    }
    return 0;
}
