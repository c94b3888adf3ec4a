/* SPDX-License-Identifier: Apache-2.0 */
/* manifest_file.c -- reads the objects of a file one by one. */
#include "manifest_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    CHUNK_SIZE = 64 * 1024,
};

/* A file that is being read. */
typedef struct reading {
    lw_manifest_reader *reader;
    manifest_object_fn on_object;
    void *arg;
} reading;

static lw_status hand_over(const lw_object *obj, void *arg, lw_error *err)
{
    reading *r = arg;
    return r->on_object(obj, lw_manifest_reader_has_list(r->reader), r->arg, err);
}

static lw_status set_read_error(lw_error *err)
{
    err->code = LW_ERR_IO;
    (void)snprintf(err->message, sizeof(err->message), "%s", strerror(errno));
    return LW_ERR_IO;
}

static lw_status feed(reading *r, int fd, lw_error *err)
{
    static char chunk[CHUNK_SIZE];
    lw_status st = LW_OK;
    while (st == LW_OK) {
        ssize_t len = read(fd, chunk, sizeof(chunk));
        if (len < 0 && errno == EINTR)
            continue;
        if (len < 0)
            return set_read_error(err);
        if (len == 0)
            return lw_manifest_reader_finish(r->reader, err);
        st = lw_manifest_reader_feed(r->reader, chunk, (size_t)len, err);
    }
    return st;
}

lw_status manifest_file_read(const char *file, manifest_object_fn on_object, void *arg,
                             bool *has_list, lw_error *err)
{
    reading r = { NULL, on_object, arg };
    lw_manifest_reader_options options = { .on_object = hand_over, .arg = &r };
    bool is_stdin = strcmp(file, "-") == 0;
    int fd = is_stdin ? STDIN_FILENO : open(file, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return set_read_error(err);
    lw_status st = lw_manifest_reader_new(&r.reader, &options, err);
    if (st == LW_OK)
        st = feed(&r, fd, err);
    if (st == LW_OK && has_list && lw_manifest_reader_has_list(r.reader))
        *has_list = true;
    lw_manifest_reader_free(r.reader);
    if (!is_stdin)
        (void)close(fd);
    return st;
}

void manifest_file_complain(const char *command, const char *file, lw_status st,
                            const lw_error *err)
{
    const char *message = err->message[0] ? err->message : lw_status_name(st);
    fprintf(stderr, "listwatch %s: %s: ", command,
            strcmp(file, "-") == 0 ? "standard input" : file);
    if (err->offset != LW_NO_OFFSET)
        fprintf(stderr, "byte %llu: ", (unsigned long long)err->offset);
    fprintf(stderr, "%s\n", message);
}
