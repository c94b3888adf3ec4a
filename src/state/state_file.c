/* SPDX-License-Identifier: Apache-2.0 */
/* state_file.c -- writes and reads a saved cache. */
#include "state/state_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/crc32c.h"
#include "base/error.h"
#include "base/str.h"

enum {
    CHUNK = 256 * 1024,       /* bytes per write */
    WINDOW = 4 * 1024 * 1024, /* bytes that wait for the disk, twice */
    RELEASE = 1024,           /* objects that are read before the file in memory is given back */
    SUM_AT = 12,
    SUMMED_AT = 16, /* the first byte that the checksum covers */
    SAVED_AT = 16,
    COUNT_AT = 24,
    LENGTHS_AT = 32,
    PARTS = 4, /* identity, cluster, resourceVersion, body */
};

static const char magic[] = "LWSTATE\n"; /* 8 bytes without the NUL */

/* Numbers. */

static void put_number(char *at, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        at[i] = (char)(unsigned char)(value >> (8 * i));
}

static uint64_t get_number(const char *at, int bytes)
{
    uint64_t value = 0;
    for (int i = bytes; i-- > 0;)
        value = value << 8 | (unsigned char)at[i];
    return value;
}

/* Writing. */

/* A file that is being written; the first failure stays. */
typedef struct writer {
    int fd;
    lw_buf chunk;
    uint32_t sum;
    uint64_t written; /* bytes after the head */
    uint64_t flushed; /* bytes that the disk was told to write */
    size_t count;     /* objects */
    lw_status st;
    int error;    /* errno, if LW_ERR_IO */
    lw_error why; /* of the objects: why they are not to be saved; code LW_OK: they are */
} writer;

/* Lets the disk write what is in its cache, window by window: otherwise the first fsync of anybody
 * on this file system, the store's for example, would wait for all of it.  A hint: errors are those
 * of the fsync at the end. */
static void write_behind(writer *w)
{
    const uint64_t end = LW_STATE_HEAD + w->written, begin = w->flushed;
    if (w->st < 0 || end - begin < WINDOW)
        return;
    const unsigned waits =
        SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER;
    (void)sync_file_range(w->fd, (off_t)begin, (off_t)(end - begin), SYNC_FILE_RANGE_WRITE);
    if (begin >= WINDOW)
        (void)sync_file_range(w->fd, (off_t)(begin - WINDOW), WINDOW, waits);
    w->flushed = end;
}

static void flush(writer *w)
{
    lw_str left = lw_buf_view(&w->chunk);
    if (w->st == LW_OK && w->chunk.st < 0)
        w->st = w->chunk.st;
    w->sum = lw_crc32c(w->sum, left.ptr, left.len);
    w->written += left.len;
    if (w->st == LW_OK && w->written > LW_STATE_BYTES_MAX - LW_STATE_HEAD)
        w->st = LW_ERR_LIMIT;
    while (w->st == LW_OK && left.len > 0) {
        ssize_t len = write(w->fd, left.ptr, left.len);
        if (len < 0 && errno != EINTR) {
            w->st = LW_ERR_IO;
            w->error = errno;
        } else if (len > 0) {
            left = lw_str_skip(left, (size_t)len);
        }
    }
    lw_buf_reset(&w->chunk);
    write_behind(w);
}

static void put(writer *w, lw_str text)
{
    lw_buf_append_str(&w->chunk, text);
    if (w->chunk.len >= CHUNK)
        flush(w);
}

/* Puts the next object.  Returns false if there is none. */
static bool put_object(writer *w, lw_saved_writer *records, const lw_state_objects *objects)
{
    const lw_object *obj = objects->at(objects->arg, w->count);
    if (!obj) {
        w->st = objects->end(objects->arg, &w->why);
        return false;
    }
    if (objects->note)
        w->st = lw_saved_writer_note(objects->note(objects->arg), &w->chunk);
    if (w->st == LW_OK)
        w->st = lw_saved_writer_put(records, obj, &w->chunk);
    w->count++;
    return true;
}

static void put_body(writer *w, const lw_state_objects *objects)
{
    lw_saved_writer *records = NULL;
    lw_status st = lw_saved_writer_new(&records);
    while (st == LW_OK && w->st == LW_OK && w->count < objects->count &&
           put_object(w, records, objects)) {
        if (w->chunk.len >= CHUNK)
            flush(w);
    }
    if (st < 0 && w->st == LW_OK)
        w->st = st;
    flush(w);
    lw_saved_writer_free(records);
}

/* The head is written last, because it has the checksum and the length of the body. */
static void put_head(writer *w, const lw_state_facts *facts)
{
    char head[LW_STATE_HEAD];
    const uint64_t lengths[PARTS - 1] = { facts->identity.len, facts->cluster.len,
                                          facts->resource_version.len };
    uint64_t body = w->written;
    memcpy(head, magic, sizeof(magic) - 1);
    put_number(head + sizeof(magic) - 1, LW_STATE_VERSION, 4);
    put_number(head + SAVED_AT, (uint64_t)facts->saved_s, 8);
    put_number(head + COUNT_AT, w->count, 8);
    for (int i = 0; i < PARTS - 1; i++) {
        put_number(head + LENGTHS_AT + 8 * i, lengths[i], 8);
        body -= lengths[i];
    }
    put_number(head + LENGTHS_AT + 8 * (PARTS - 1), body, 8);
    uint32_t sum = lw_crc32c(w->sum, head + SUMMED_AT, LW_STATE_HEAD - SUMMED_AT);
    put_number(head + SUM_AT, sum, 4);
    if (w->st == LW_OK && pwrite(w->fd, head, sizeof(head), 0) != (ssize_t)sizeof(head)) {
        w->st = LW_ERR_IO;
        w->error = errno;
    }
}

static void write_all(writer *w, const lw_state_facts *facts, const lw_state_objects *objects)
{
    if (lseek(w->fd, LW_STATE_HEAD, SEEK_SET) < 0) {
        w->st = LW_ERR_IO;
        w->error = errno;
        return;
    }
    put(w, facts->identity);
    put(w, facts->cluster);
    put(w, facts->resource_version);
    put_body(w, objects);
    put_head(w, facts);
    if (w->st == LW_OK && fsync(w->fd) < 0) {
        w->st = LW_ERR_IO;
        w->error = errno;
    }
}

static lw_status replace(const char *path, const char *fresh, const lw_state_facts *facts,
                         const lw_state_objects *objects, lw_error *err)
{
    writer w = { .st = LW_OK, .why = LW_ERROR_INIT };
    w.fd = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR);
    if (w.fd < 0)
        return lw_error_set(err, LW_ERR_IO, "cannot create %s: %s", fresh, strerror(errno));
    lw_buf_init(&w.chunk, (size_t)LW_STATE_BYTES_MAX);
    write_all(&w, facts, objects);
    lw_buf_done(&w.chunk);
    (void)close(w.fd);
    if (w.st == LW_OK && rename(fresh, path) < 0) {
        w.st = LW_ERR_IO;
        w.error = errno;
    }
    if (w.st < 0)
        (void)unlink(fresh);
    if (w.why.code < 0) {
        if (err)
            *err = w.why;
        return w.st;
    }
    if (w.st == LW_ERR_IO)
        return lw_error_set(err, w.st, "cannot write %s: %s", path, strerror(w.error));
    if (w.st == LW_ERR_LIMIT)
        return lw_error_set(err, w.st, "the cache does not fit into %s: the limit is %llu bytes",
                            path, (unsigned long long)LW_STATE_BYTES_MAX);
    return w.st < 0 ? lw_error_nomem(err) : LW_OK;
}

lw_status lw_state_file_write(const char *path, const lw_state_facts *facts,
                              const lw_state_objects *objects, lw_error *err)
{
    lw_buf fresh;
    lw_buf_init(&fresh, 8192);
    lw_buf_printf(&fresh, "%s.new", path);
    lw_buf_append_char(&fresh, '\0');
    lw_status st =
        fresh.st < 0 ? lw_error_nomem(err) : replace(path, fresh.data, facts, objects, err);
    lw_buf_done(&fresh);
    return st;
}

/* Reading. */

static lw_status damaged(lw_error *err, const char *how)
{
    return lw_error_set(err, LW_ERR_INVALID, "%s", how);
}

/* The parts of a file, after its head was checked. */
typedef struct parts {
    lw_str identity, cluster, rv, body;
    uint64_t count;
    int64_t saved_s;
} parts;

static lw_status split(lw_str bytes, parts *out, lw_error *err)
{
    uint64_t lengths[PARTS];
    if (bytes.len < LW_STATE_HEAD || memcmp(bytes.ptr, magic, sizeof(magic) - 1) != 0)
        return damaged(err, "it is not a saved cache, or is truncated");
    uint64_t version = get_number(bytes.ptr + sizeof(magic) - 1, 4);
    if (version != LW_STATE_VERSION)
        return lw_error_set(err, LW_ERR_INVALID, "it has format version %llu instead of %d",
                            (unsigned long long)version, LW_STATE_VERSION);
    lw_str rest = lw_str_skip(bytes, LW_STATE_HEAD);
    uint32_t sum = lw_crc32c(0, rest.ptr, rest.len);
    sum = lw_crc32c(sum, bytes.ptr + SUMMED_AT, LW_STATE_HEAD - SUMMED_AT);
    if (get_number(bytes.ptr + SUM_AT, 4) != sum)
        return damaged(err, "its checksum is wrong");
    for (int i = 0; i < PARTS; i++)
        lengths[i] = get_number(bytes.ptr + LENGTHS_AT + 8 * i, 8);
    if (lengths[0] > LW_STATE_IDENTITY_MAX || lengths[1] > LW_STATE_CLUSTER_MAX ||
        lengths[2] == 0 || lengths[2] > LW_STATE_RV_MAX || lengths[3] > rest.len ||
        lengths[0] + lengths[1] + lengths[2] + lengths[3] != rest.len)
        return damaged(err, "its lengths are wrong");
    out->saved_s = (int64_t)get_number(bytes.ptr + SAVED_AT, 8);
    out->count = get_number(bytes.ptr + COUNT_AT, 8);
    lw_str *all[PARTS] = { &out->identity, &out->cluster, &out->rv, &out->body };
    for (int i = 0; i < PARTS; i++) {
        *all[i] = lw_str_make(rest.ptr, lengths[i]);
        rest = lw_str_skip(rest, lengths[i]);
    }
    return LW_OK;
}

/* The bytes of a file in memory. */
typedef struct mapping {
    char *bytes;
    size_t size;
    size_t released; /* the first ones, which are not needed any more */
} mapping;

/* Counts what the sink gets. */
typedef struct counter {
    const lw_saved_sink *sink;
    mapping *map;  /* NULL: the bytes are the caller's */
    size_t before; /* bytes of the map before the body */
    size_t read;   /* bytes of the body */
    uint64_t count;
} counter;

/* Gives back what was read, so that file and objects are not in memory together. */
static void release_read(counter *c)
{
    size_t read = c->before + c->read;
    read -= read % WINDOW;
    if (read <= c->map->released)
        return;
    (void)madvise(c->map->bytes + c->map->released, read - c->map->released, MADV_DONTNEED);
    c->map->released = read;
}

static lw_status on_object(const lw_object *obj, void *arg, lw_error *err)
{
    counter *c = arg;
    c->count++;
    if (c->map && c->count % RELEASE == 0)
        release_read(c);
    return c->sink->on_object(obj, c->sink->arg, err);
}

static void on_note(uint32_t note, void *arg)
{
    const counter *c = arg;
    if (c->sink->on_note)
        c->sink->on_note(note, c->sink->arg);
}

static lw_status read_body(const parts *p, mapping *map, const lw_saved_sink *sink,
                           lw_compact **packer, lw_error *err)
{
    counter objects = { .sink = sink, .map = map };
    lw_saved_sink counting = *sink;
    counting.on_object = on_object;
    counting.on_note = on_note;
    if (map) {
        objects.before = (size_t)(p->body.ptr - map->bytes);
        counting.read = &objects.read;
    }
    counting.arg = &objects;
    lw_status st = lw_saved_read(p->body, &counting, packer, err);
    if (st == LW_OK && objects.count != p->count) {
        lw_compact_close(*packer);
        st = damaged(err, "objects are missing");
    }
    return st;
}

/* |map| has the bytes; NULL: they are the caller's. */
static lw_status parse(lw_str bytes, mapping *map, lw_str identity, const lw_saved_sink *sink,
                       lw_state *out, lw_error *err)
{
    parts p = { .count = 0 };
    lw_compact *packer = NULL;
    lw_status st = split(bytes, &p, err);
    if (st < 0)
        return st;
    if (!lw_str_equal(p.identity, identity))
        return damaged(err, "it belongs to another server, resource, selector or version of the "
                            "program");
    if (memchr(p.rv.ptr, '\0', p.rv.len))
        return damaged(err, "its resourceVersion is malformed");
    st = read_body(&p, map, sink, &packer, err);
    if (st < 0)
        return st;
    *out = (lw_state){ .saved_s = p.saved_s, .packer = packer };
    memcpy(out->resource_version, p.rv.ptr, p.rv.len);
    memcpy(out->cluster, p.cluster.ptr, p.cluster.len);
    return LW_OK;
}

lw_status lw_state_parse(lw_str bytes, lw_str identity, const lw_saved_sink *sink, lw_state *out,
                         lw_error *err)
{
    return parse(bytes, NULL, identity, sink, out, err);
}

static lw_status parse_mapped(int fd, size_t size, lw_str identity, const lw_saved_sink *sink,
                              lw_state *out, lw_error *err)
{
    void *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
    if (bytes == MAP_FAILED)
        return lw_error_set(err, LW_ERR_IO, "cannot map it: %s", strerror(errno));
    mapping map = { .bytes = bytes, .size = size };
    lw_status st = parse(lw_str_make(bytes, size), &map, identity, sink, out, err);
    (void)munmap(bytes, size);
    return st;
}

lw_status lw_state_file_read(const char *path, lw_str identity, const lw_saved_sink *sink,
                             lw_state *out, lw_error *err)
{
    struct stat facts;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return lw_error_set(err, errno == ENOENT ? LW_ERR_NOT_FOUND : LW_ERR_IO,
                            "cannot open it: %s", strerror(errno));
    lw_status st;
    if (fstat(fd, &facts) < 0 || !S_ISREG(facts.st_mode))
        st = lw_error_set(err, LW_ERR_IO, "it is not a regular file");
    else if ((facts.st_mode & (S_IRWXG | S_IRWXO)) != 0 || facts.st_uid != geteuid())
        st = damaged(err, "others can read or write it: its mode must be 0600, and its owner the "
                          "user of the program");
    else if ((uint64_t)facts.st_size > LW_STATE_BYTES_MAX)
        st = lw_error_set(err, LW_ERR_LIMIT, "it is larger than %llu bytes",
                          (unsigned long long)LW_STATE_BYTES_MAX);
    else if (facts.st_size == 0)
        st = damaged(err, "it is empty");
    else
        st = parse_mapped(fd, (size_t)facts.st_size, identity, sink, out, err);
    (void)close(fd);
    return st;
}
