/* SPDX-License-Identifier: Apache-2.0 */
/* manifest_file.c -- reads the objects of files, directories and URLs one by one. */
#include "manifest_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "manifest_url.h"
#include "message.h"

enum {
    CHUNK_SIZE = 64 * 1024,
    PATH_SIZE = 4096,
    DEPTH_MAX = 32, /* of directories: a symbolic link may lead back */
};

/* The files that are being read. */
typedef struct reading {
    const arguments *args;
    lw_manifest_reader *reader;
    manifest_object_fn on_object;
    void *arg;
    bool has_list;
    lw_error *err;
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

static lw_status feed_file(reading *r, const char *file, lw_error *err)
{
    static char chunk[CHUNK_SIZE];
    lw_status st = LW_OK;
    bool is_stdin = strcmp(file, "-") == 0;
    int fd = is_stdin ? STDIN_FILENO : open(file, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return set_read_error(err);
    while (st == LW_OK) {
        ssize_t len = read(fd, chunk, sizeof(chunk));
        if (len < 0 && errno == EINTR)
            continue;
        if (len <= 0) {
            st = len < 0 ? set_read_error(err) : LW_OK;
            break;
        }
        st = lw_manifest_reader_feed(r->reader, chunk, (size_t)len, err);
    }
    if (!is_stdin)
        (void)close(fd);
    return st;
}

static lw_status feed_bytes(const char *bytes, size_t len, void *arg)
{
    reading *r = arg;
    return lw_manifest_reader_feed(r->reader, bytes, len, r->err);
}

/* An error of the reader is in |err| already. */
static lw_status feed_url(reading *r, const char *url, lw_error *err)
{
    lw_error trouble = LW_ERROR_INIT;
    r->err = err;
    lw_status st = manifest_url_read(url, feed_bytes, r, &trouble);
    if (st < 0 && !err->message[0])
        *err = trouble;
    return st;
}

static void complain(const char *file, lw_status st, const lw_error *err)
{
    const char *name = strcmp(file, "-") == 0 ? "standard input" : file;
    const char *text = err->message[0] ? err->message : lw_status_name(st);
    if (err->offset != LW_NO_OFFSET)
        message("%s: byte %llu: %s", name, (unsigned long long)err->offset, text);
    else
        message("%s: %s", name, text);
}

static bool read_one(reading *r, const char *file)
{
    lw_manifest_reader_options options = { .on_object = hand_over, .arg = r };
    lw_error err = LW_ERROR_INIT;
    lw_status st = lw_manifest_reader_new(&r->reader, &options, &err);
    if (st == LW_OK)
        st = (manifest_url_is(file) ? feed_url : feed_file)(r, file, &err);
    if (st == LW_OK)
        st = lw_manifest_reader_finish(r->reader, &err);
    if (st == LW_OK && lw_manifest_reader_has_list(r->reader))
        r->has_list = true;
    lw_manifest_reader_free(r->reader);
    r->reader = NULL;
    if (st < 0 && st != LW_ERR_STOPPED)
        complain(file, st, &err);
    return st == LW_OK;
}

static bool is_manifest(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot &&
           (strcmp(dot, ".json") == 0 || strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0);
}

static bool is_directory(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static bool is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static int choose(const struct dirent *entry)
{
    return is_visible(entry);
}

/* Reads the manifests of a directory in the order of their names. */
static bool read_directory(reading *r, const char *directory, int depth, size_t *file_count)
{
    struct dirent **entries = NULL;
    int count = depth < DEPTH_MAX ? scandir(directory, &entries, choose, alphasort) : 0;
    bool is_fine = count >= 0;
    if (!is_fine)
        message("%s: %s", directory, strerror(errno));
    for (int i = 0; i < count; i++) {
        char path[PATH_SIZE];
        int len = snprintf(path, sizeof(path), "%s/%s", directory, entries[i]->d_name);
        if (is_fine && len > 0 && (size_t)len < sizeof(path)) {
            if (is_directory(path)) {
                if (r->args->is_recursive)
                    is_fine = read_directory(r, path, depth + 1, file_count);
            } else if (is_manifest(path)) {
                ++*file_count;
                is_fine = read_one(r, path);
            }
        }
        free(entries[i]);
    }
    free(entries);
    return is_fine;
}

static bool read_name(reading *r, const char *file)
{
    size_t file_count = 0;
    if (strcmp(file, "-") == 0 || manifest_url_is(file) || !is_directory(file))
        return read_one(r, file);
    bool is_fine = read_directory(r, file, 0, &file_count);
    if (is_fine && file_count == 0) {
        message("%s: the directory has no files *.json, *.yaml or *.yml", file);
        is_fine = false;
    }
    return is_fine;
}

bool manifest_files_read(const arguments *args, manifest_object_fn on_object, void *arg,
                         bool *has_list)
{
    reading r = { .args = args, .on_object = on_object, .arg = arg };
    bool is_fine = true;
    for (size_t i = 0; is_fine && i < args->file_count; i++)
        is_fine = read_name(&r, args->files[i]);
    if (has_list && r.has_list)
        *has_list = true;
    return is_fine;
}
