/* SPDX-License-Identifier: Apache-2.0 */
/* tls_channel.c -- records from and to a socket (RFC 8446, 5), alerts and key updates (4.6.3).
 *
 * Reading: what the socket has is received into the caller's buffer and decrypted there.  Only the
 * beginning of a record that is not complete is kept, in a buffer as long as the record.
 *
 * Writing: some records are encrypted into the engine's buffer and sent together.  If the socket
 * accepts a part of them, the rest of the record that has begun is kept, and its data count as sent
 * when the rest is.  Records that have not begun are forgotten: nobody has seen them, so they may
 * be encrypted again under the same number, with the same data and what has come since. */
#include "net/tls/tls_channel.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "base/alloc.h"

enum {
    EMPTY_MAX = 32,     /* records without data that may follow each other */
    KEY_UPDATE = 24,    /* a message of the handshake */
    KEY_UPDATE_LEN = 5, /* its type, its length in three bytes, and whether it is requested */
    ALERT_LEN = 2,      /* a level and a description */
    ALERT_WARNING = 1,
    ALERT_FATAL = 2,
};

/* Bytes that came or are to be sent. */
typedef struct remainder {
    char *bytes;      /* NULL: none */
    uint32_t at, len; /* those from |at| to |len| */
} remainder;

struct lw_tls_channel {
    lw_tls_engine *engine;
    int fd;
    uint8_t empty;    /* records without data since the last one with data */
    bool owes_update; /* the peer wants a key update, or we do */
    bool is_over;     /* |next| is the result of all further reads */
    bool is_told;     /* ... and was reported */
    lw_tls_result next;
    remainder came;   /* the beginning of a record */
    remainder unsent; /* the end of a record */
    uint32_t owed;    /* bytes of data that are sent when |unsent| is */
    lw_tls_keys reads, writes;
};

lw_tls_channel *lw_tls_channel_new(lw_tls_engine *engine, const lw_tls_secrets *secrets, int fd)
{
    lw_tls_channel *channel = lw_alloc_zero(1, sizeof(*channel));
    if (!channel)
        return NULL;
    channel->engine = engine;
    channel->fd = fd;
    if (!lw_tls_keys_init(&channel->reads, engine, secrets->suite, secrets->client) ||
        !lw_tls_keys_init(&channel->writes, engine, secrets->suite, secrets->server)) {
        lw_tls_channel_free(channel);
        return NULL;
    }
    channel->writes.sequence = secrets->sent;
    return channel;
}

static void drop(remainder *r)
{
    lw_free(r->bytes);
    *r = (remainder){ NULL, 0, 0 };
}

void lw_tls_channel_free(lw_tls_channel *channel)
{
    if (!channel)
        return;
    drop(&channel->came);
    drop(&channel->unsent);
    lw_tls_keys_done(&channel->reads);
    lw_tls_keys_done(&channel->writes);
    lw_free(channel);
}

/* Sending. */

/* Sends |len| bytes; returns how many the socket accepted; -1: the connection is lost. */
static ssize_t send_bytes(const lw_tls_channel *channel, const char *bytes, size_t len)
{
    ssize_t sent;
    do
        sent = send(channel->fd, bytes, len, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
        return 0;
    return sent;
}

/* Sends the rest of the record that has begun. */
static lw_tls_result send_rest(lw_tls_channel *channel)
{
    remainder *rest = &channel->unsent;
    if (!rest->bytes)
        return LW_TLS_OK;
    ssize_t sent = send_bytes(channel, rest->bytes + rest->at, rest->len - rest->at);
    if (sent < 0)
        return LW_TLS_FAILED;
    rest->at += (uint32_t)sent;
    if (rest->at < rest->len)
        return LW_TLS_WANTS_WRITE;
    drop(rest);
    return LW_TLS_OK;
}

static bool keep_rest(lw_tls_channel *channel, const char *bytes, size_t len)
{
    char *kept = lw_alloc(len);
    if (!kept)
        return false;
    memcpy(kept, bytes, len);
    channel->unsent = (remainder){ kept, 0, (uint32_t)len };
    return true;
}

/* Sends a record that is not data; nothing is unsent. */
static lw_tls_result send_message(lw_tls_channel *channel, lw_tls_content content, lw_str message)
{
    char record[KEY_UPDATE_LEN + LW_TLS_RECORD_COST];
    lw_tls_sealing sealing;
    lw_tls_seal_begin(&sealing, channel->engine, &channel->writes, record, message.len);
    lw_tls_seal_add(&sealing, channel->engine, message);
    const char *end = lw_tls_seal_end(&sealing, channel->engine, content);
    if (!end)
        return LW_TLS_FAILED;
    size_t len = (size_t)(end - record);
    ssize_t sent = send_bytes(channel, record, len);
    if (sent < 0)
        return LW_TLS_FAILED;
    if ((size_t)sent < len && !keep_rest(channel, record + sent, len - (size_t)sent))
        return LW_TLS_FAILED;
    return LW_TLS_OK;
}

static void send_alert(lw_tls_channel *channel, int level, lw_tls_alert alert)
{
    const char message[ALERT_LEN] = { (char)level, (char)alert };
    if (send_rest(channel) == LW_TLS_OK)
        (void)send_message(channel, LW_TLS_ALERT, lw_str_make(message, sizeof(message)));
}

/* The new key is used from the next record on. */
static lw_tls_result update_key(lw_tls_channel *channel)
{
    static const char message[KEY_UPDATE_LEN] = { KEY_UPDATE, 0, 0, 1, 0 };
    lw_tls_result result =
        send_message(channel, LW_TLS_HANDSHAKE, lw_str_make(message, sizeof(message)));
    if (result != LW_TLS_OK)
        return result;
    channel->owes_update = false;
    return lw_tls_keys_update(&channel->writes, channel->engine) ? LW_TLS_OK : LW_TLS_FAILED;
}

/* A position in the pieces of a write. */
typedef struct place {
    const struct iovec *pieces;
    size_t count, used; /* bytes of the first piece that are used */
} place;

static size_t left_of(const place *p, size_t max)
{
    size_t left = 0;
    for (size_t i = 0; i < p->count && left < max; i++)
        left += p->pieces[i].iov_len - (i == 0 ? p->used : 0);
    return left < max ? left : max;
}

static char *seal_data(lw_tls_channel *channel, place *p, size_t len, char *out)
{
    lw_tls_sealing sealing;
    lw_tls_seal_begin(&sealing, channel->engine, &channel->writes, out, len);
    while (len > 0) {
        size_t rest = p->pieces->iov_len - p->used, part = rest < len ? rest : len;
        lw_tls_seal_add(&sealing, channel->engine,
                        lw_str_make((const char *)p->pieces->iov_base + p->used, part));
        len -= part;
        p->used += part;
        if (p->used == p->pieces->iov_len) {
            p->pieces++;
            p->count--;
            p->used = 0;
        }
    }
    return lw_tls_seal_end(&sealing, channel->engine, LW_TLS_DATA);
}

/* Records in the engine's buffer. */
typedef struct batch {
    size_t count;
    size_t data[LW_TLS_BATCH]; /* bytes in each */
    size_t ends[LW_TLS_BATCH]; /* where each ends */
} batch;

/* Encrypts what there is into |out|. */
static bool seal_batch(lw_tls_channel *channel, const struct iovec *pieces, size_t count, char *out,
                       batch *made)
{
    place p = { pieces, count, 0 };
    char *at = out;
    made->count = 0;
    for (size_t len; made->count < LW_TLS_BATCH; made->count++) {
        len = left_of(&p, LW_TLS_RECORD_DATA_MAX);
        if (len == 0)
            break;
        at = seal_data(channel, &p, len, at);
        if (!at)
            return false;
        made->data[made->count] = len;
        made->ends[made->count] = (size_t)(at - out);
    }
    return true;
}

/* |taken| bytes of the batch in |bytes| are sent, and the socket accepts no more. */
static lw_tls_result settle_batch(lw_tls_channel *channel, const batch *made, const char *bytes,
                                  size_t taken, size_t *sent)
{
    size_t i = 0, begin = 0;
    for (*sent = 0; i < made->count && made->ends[i] <= taken; i++) {
        *sent += made->data[i];
        begin = made->ends[i];
    }
    size_t unseen = made->count - i;
    if (taken > begin) {
        if (!keep_rest(channel, bytes + taken, made->ends[i] - taken))
            return LW_TLS_FAILED;
        channel->owed = (uint32_t)made->data[i];
        unseen--;
    }
    channel->writes.sequence -= unseen;
    return *sent > 0 ? LW_TLS_OK : LW_TLS_WANTS_WRITE;
}

lw_tls_result lw_tls_channel_write(lw_tls_channel *channel, const struct iovec *pieces,
                                   size_t count, size_t *sent)
{
    batch made;
    lw_tls_result result = send_rest(channel);
    if (result != LW_TLS_OK)
        return result;
    if (channel->owed > 0) {
        *sent = channel->owed;
        channel->owed = 0;
        return LW_TLS_OK;
    }
    if (channel->owes_update || channel->writes.sequence >= LW_TLS_KEY_RECORDS) {
        result = update_key(channel);
        if (result == LW_TLS_OK && channel->unsent.bytes)
            result = LW_TLS_WANTS_WRITE;
        if (result != LW_TLS_OK)
            return result;
    }
    char *bytes = lw_tls_engine_buffer(channel->engine);
    if (!bytes || !seal_batch(channel, pieces, count, bytes, &made))
        return LW_TLS_FAILED;
    ssize_t taken = made.count > 0 ? send_bytes(channel, bytes, made.ends[made.count - 1]) : 0;
    if (taken < 0)
        return LW_TLS_FAILED;
    return settle_batch(channel, &made, bytes, (size_t)taken, sent);
}

void lw_tls_channel_shutdown(lw_tls_channel *channel)
{
    send_alert(channel, ALERT_WARNING, LW_TLS_CLOSE_NOTIFY);
}

/* Reading. */

static void end(lw_tls_channel *channel, lw_tls_result result)
{
    channel->is_over = true;
    channel->next = result;
}

static void refuse(lw_tls_channel *channel, lw_tls_alert alert)
{
    send_alert(channel, ALERT_FATAL, alert);
    end(channel, LW_TLS_FAILED);
}

static void take_alert(lw_tls_channel *channel, lw_str message)
{
    if (message.len != ALERT_LEN)
        refuse(channel, LW_TLS_DECODE_ERROR);
    else if (message.ptr[1] == LW_TLS_CLOSE_NOTIFY)
        end(channel, LW_TLS_CLOSED);
    else if (message.ptr[1] != LW_TLS_USER_CANCELED)
        end(channel, LW_TLS_FAILED);
}

/* A client sends only key updates after the handshake.  They end their record, because what follows
 * has another key. */
static void take_message(lw_tls_channel *channel, lw_str message)
{
    static const char head[] = { KEY_UPDATE, 0, 0, 1 };
    if (message.len != KEY_UPDATE_LEN || memcmp(message.ptr, head, sizeof(head)) != 0) {
        refuse(channel, LW_TLS_UNEXPECTED_MESSAGE);
        return;
    }
    unsigned char is_requested = (unsigned char)message.ptr[KEY_UPDATE_LEN - 1];
    if (is_requested > 1)
        refuse(channel, LW_TLS_ILLEGAL_PARAMETER);
    else if (!lw_tls_keys_update(&channel->reads, channel->engine))
        refuse(channel, LW_TLS_INTERNAL_ERROR);
    else if (is_requested)
        channel->owes_update = true;
}

/* Decrypts the complete |record|; moves its data to |out|, which may be before it in the same
 * buffer, and returns their length. */
static size_t take_record(lw_tls_channel *channel, char *record, size_t size, char *out)
{
    lw_tls_alert alert;
    lw_tls_content content;
    lw_str data;
    if (!lw_tls_open(channel->engine, &channel->reads, record, size, &data, &content, &alert)) {
        refuse(channel, alert);
        return 0;
    }
    if (content == LW_TLS_DATA && data.len > 0) {
        memmove(out, data.ptr, data.len);
        channel->empty = 0;
        return data.len;
    }
    if (++channel->empty > EMPTY_MAX)
        refuse(channel, LW_TLS_UNEXPECTED_MESSAGE);
    else if (content == LW_TLS_ALERT)
        take_alert(channel, data);
    else if (content == LW_TLS_HANDSHAKE)
        take_message(channel, data);
    else if (content != LW_TLS_DATA)
        refuse(channel, LW_TLS_UNEXPECTED_MESSAGE);
    return 0;
}

/* Returns the size of the record that |bytes| begin; 0: not known yet, or refused. */
static size_t size_of(lw_tls_channel *channel, const char *bytes, size_t len)
{
    lw_tls_alert alert;
    if (len < LW_TLS_RECORD_HEAD)
        return 0;
    size_t size = lw_tls_record_size(bytes, &alert);
    if (size == 0)
        refuse(channel, alert);
    return size;
}

/* Keeps the beginning of a record, in a buffer that has room for the |size| bytes of all of it; 0:
 * its head is not complete either. */
static void keep(lw_tls_channel *channel, const char *bytes, size_t len, size_t size)
{
    remainder *came = &channel->came;
    char *room = lw_realloc_array(came->bytes, size ? size : LW_TLS_RECORD_HEAD, 1);
    if (!room) {
        refuse(channel, LW_TLS_INTERNAL_ERROR);
        return;
    }
    memcpy(room + came->len, bytes, len);
    came->bytes = room;
    came->len += (uint32_t)len;
}

/* Takes the records that begin |bytes|; their data take their place.  Returns the length of the
 * data. */
static size_t take_records(lw_tls_channel *channel, char *bytes, size_t len)
{
    size_t at = 0, got = 0, size = 0;
    while (!channel->is_over) {
        size = size_of(channel, bytes + at, len - at);
        if (size == 0 || size > len - at)
            break;
        got += take_record(channel, bytes + at, size, bytes + got);
        at += size;
    }
    if (!channel->is_over && at < len)
        keep(channel, bytes + at, len - at, size);
    return got;
}

/* Receives at most |cap| bytes; 0: none, and either they come later or the end is noted. */
static size_t receive(lw_tls_channel *channel, char *out, size_t cap)
{
    ssize_t got;
    do
        got = recv(channel->fd, out, cap, 0);
    while (got < 0 && errno == EINTR);
    if (got > 0)
        return (size_t)got;
    /* Many clients end connections without close_notify; HTTP knows whether a message is whole. */
    if (got == 0)
        end(channel, LW_TLS_CLOSED);
    else if (errno != EAGAIN && errno != EWOULDBLOCK)
        end(channel, LW_TLS_FAILED);
    return 0;
}

/* Completes the record that has begun; returns the length of its data. */
static size_t read_rest(lw_tls_channel *channel, char *out)
{
    remainder *came = &channel->came;
    while (!channel->is_over) {
        size_t size = size_of(channel, came->bytes, came->len);
        size_t wanted = size ? size : LW_TLS_RECORD_HEAD;
        if (channel->is_over)
            return 0;
        if (size > 0 && came->len == size) {
            remainder record = *came;
            *came = (remainder){ NULL, 0, 0 };
            size_t got = take_record(channel, record.bytes, size, out);
            drop(&record);
            return got;
        }
        char *room = lw_realloc_array(came->bytes, wanted, 1);
        if (!room) {
            refuse(channel, LW_TLS_INTERNAL_ERROR);
            return 0;
        }
        came->bytes = room;
        size_t got = receive(channel, room + came->len, wanted - came->len);
        if (got == 0)
            return 0;
        came->len += (uint32_t)got;
    }
    return 0;
}

lw_tls_result lw_tls_channel_read(lw_tls_channel *channel, char *out, size_t cap, size_t *got)
{
    *got = 0;
    if (!channel->is_over && channel->came.bytes)
        *got = read_rest(channel, out);
    if (*got == 0 && !channel->is_over && !channel->came.bytes)
        *got = take_records(channel, out, receive(channel, out, cap));
    if (*got > 0)
        return LW_TLS_OK;
    if (!channel->is_over)
        return LW_TLS_WANTS_READ;
    channel->is_told = true;
    return channel->next;
}

bool lw_tls_channel_has_more(const lw_tls_channel *channel)
{
    return channel->is_over && !channel->is_told;
}
