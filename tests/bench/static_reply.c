/* SPDX-License-Identifier: Apache-2.0 */
/* static_reply.c -- what the static source sends: gathered from the encoded texts, never copied. */
#include "bench/static_reply.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
    BATCH = 256, /* texts a system call */
    PARTS = 3,   /* pieces of memory a text */
};

static const lw_str pod_head = LW_STR_INIT("{");
static const lw_str added_head =
    LW_STR_INIT("{\"type\":\"ADDED\",\"object\":{\"kind\":\"Pod\",\"apiVersion\":\"v1\",");
static const lw_str modified_head =
    LW_STR_INIT("{\"type\":\"MODIFIED\",\"object\":{\"kind\":\"Pod\",\"apiVersion\":\"v1\",");
static const lw_str event_tail = LW_STR_INIT("}\n");
static const lw_str comma = LW_STR_INIT(",");
static const lw_str nothing = LW_STR_INIT("");

static bool send_bytes(int fd, const char *bytes, size_t len)
{
    while (len > 0) {
        ssize_t sent = send(fd, bytes, len, MSG_NOSIGNAL);
        if (sent <= 0)
            return false;
        bytes += sent;
        len -= (size_t)sent;
    }
    return true;
}

static bool send_text(int fd, const char *text)
{
    return send_bytes(fd, text, strlen(text));
}

/* Sends all of |parts|, however little goes at a time. */
static bool send_parts(int fd, struct iovec *parts, size_t count)
{
    size_t at = 0;
    while (at < count) {
        struct msghdr message = { .msg_iov = parts + at, .msg_iovlen = count - at };
        ssize_t sent = sendmsg(fd, &message, MSG_NOSIGNAL);
        if (sent <= 0)
            return false;
        for (size_t left = (size_t)sent; at < count; at++) {
            if (left < parts[at].iov_len) {
                parts[at].iov_base = (char *)parts[at].iov_base + left;
                parts[at].iov_len -= left;
                break;
            }
            left -= parts[at].iov_len;
        }
    }
    return true;
}

static struct iovec part_of(lw_str s)
{
    union {
        const char *from;
        void *to;
    } pointer = { .from = s.ptr };
    return (struct iovec){ pointer.to, s.len };
}

/* What stands around the texts of a reply. */
typedef struct frame {
    lw_str head;
    lw_str tail;
    bool is_chunked; /* HTTP chunks; and the last text has its tail too */
} frame;

static size_t framed_size(const static_texts *texts, const frame *f, uint64_t from, uint64_t to)
{
    return texts->starts[to] - texts->starts[from] +
           (size_t)(to - from) * (f->head.len + f->tail.len);
}

static bool send_texts(int fd, const static_texts *texts, const frame *f)
{
    struct iovec parts[BATCH * PARTS + 2];
    char size[32];
    for (uint64_t from = 0; from < texts->count; from += BATCH) {
        uint64_t to = from + BATCH < texts->count ? from + BATCH : texts->count;
        size_t count = 0;
        if (f->is_chunked) {
            (void)snprintf(size, sizeof(size), "%zx\r\n", framed_size(texts, f, from, to));
            parts[count++] = part_of(lw_str_of(size));
        }
        for (uint64_t i = from; i < to; i++) {
            bool is_last = i + 1 == texts->count && !f->is_chunked;
            parts[count++] = part_of(f->head);
            parts[count++] = part_of(static_text(texts, i));
            parts[count++] = part_of(is_last ? nothing : f->tail);
        }
        if (f->is_chunked)
            parts[count++] = part_of(lw_str_of("\r\n"));
        if (!send_parts(fd, parts, count))
            return false;
    }
    return true;
}

static bool send_chunk(int fd, lw_str bytes)
{
    char size[32];
    (void)snprintf(size, sizeof(size), "%zx\r\n", bytes.len);
    return send_text(fd, size) && send_bytes(fd, bytes.ptr, bytes.len) && send_text(fd, "\r\n");
}

static bool send_head(int fd, const char *type, size_t len)
{
    char head[256];
    (void)snprintf(head, sizeof(head),
                   "HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %zu\r\n\r\n", type, len);
    return send_text(fd, head);
}

void static_reply_json(int fd, const char *json)
{
    (void)(send_head(fd, "application/json", strlen(json)) && send_text(fd, json));
}

void static_reply_list(int fd, const static_pods *pods, bool is_protobuf)
{
    const frame f = { pod_head, comma, false };
    char start[256];
    if (is_protobuf) {
        (void)(send_head(fd, "application/vnd.kubernetes.protobuf", pods->list_pb.len) &&
               send_bytes(fd, pods->list_pb.data, pods->list_pb.len));
        return;
    }
    (void)snprintf(start, sizeof(start),
                   "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":"
                   "\"%llu\"},\"items\":[",
                   (unsigned long long)(STATIC_POD_RV + pods->pods.count));
    size_t body = framed_size(&pods->pods, &f, 0, pods->pods.count);
    size_t commas = pods->pods.count > 0; /* one fewer than pods */
    (void)(send_head(fd, "application/json", strlen(start) + body - commas + 3) &&
           send_text(fd, start) && send_texts(fd, &pods->pods, &f) && send_text(fd, "]}\n"));
}

static bool send_initial(int fd, const static_pods *pods, bool is_protobuf)
{
    if (is_protobuf)
        return send_chunk(fd, lw_buf_view(&pods->initial_pb));
    const frame f = { added_head, event_tail, true };
    char bookmark[512];
    (void)snprintf(bookmark, sizeof(bookmark),
                   "{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"Pod\",\"apiVersion\":\"v1\","
                   "\"metadata\":{\"resourceVersion\":\"%llu\",\"annotations\":{"
                   "\"k8s.io/initial-events-end\":\"true\"}}}}\n",
                   (unsigned long long)(STATIC_POD_RV + pods->pods.count));
    return send_texts(fd, &pods->pods, &f) && send_chunk(fd, lw_str_of(bookmark));
}

void static_reply_watch(int fd, const static_pods *pods, bool is_protobuf, bool has_initial)
{
    const frame f = { modified_head, event_tail, true };
    bool is_good =
        send_text(fd, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: ") &&
        send_text(fd, is_protobuf ? "application/vnd.kubernetes.protobuf;stream=watch\r\n\r\n"
                                  : "application/json\r\n\r\n");
    if (is_good && has_initial)
        is_good = send_initial(fd, pods, is_protobuf);
    if (!is_good || pods->events.count == 0)
        return;
    if (is_protobuf)
        (void)send_chunk(fd, lw_buf_view(&pods->events_pb));
    else
        (void)send_texts(fd, &pods->events, &f);
}
