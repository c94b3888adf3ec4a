/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_tls_channel.c -- what a client may send after the handshake of TLS 1.3.  The input is a list
 * of steps: a byte that says what is sent, a length, and the bytes.  They are encrypted as the
 * client would, or not at all, and cut as the first byte says.
 *
 * The channel returns the data that were encrypted, in order, until a step ends the connection. */
#include "support/tls_peer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    INPUT_MAX = 1024,
    TOTAL_MAX = 64 * 1024, /* fits into the socket */
    ROOM = 64 * 1024,
    SUITE_FIRST = 0x1301,
    SUITES = 3,
    KINDS = 6,
};

static void must(bool holds)
{
    if (!holds)
        abort();
}

typedef struct fuzz {
    lw_tls_engine *engine;
    tls_peer peer;
    lw_buf wire; /* what the client sends */
    lw_buf said; /* its data, before anything else than data and key updates */
    lw_buf got;
    bool is_honest; /* nothing else so far */
} fuzz;

static void update_key(fuzz *f, bool is_requested)
{
    const char message[] = { 24, 0, 0, 1, (char)is_requested };
    tls_peer_seal(&f->peer, LW_TLS_HANDSHAKE, lw_str_make(message, sizeof(message)), &f->wire);
    must(lw_tls_keys_update(&f->peer.writes, f->peer.engine));
}

static void take_step(fuzz *f, unsigned kind, lw_str bytes)
{
    if (kind <= 1) {
        tls_peer_seal(&f->peer, LW_TLS_DATA, bytes, &f->wire);
        if (f->is_honest)
            lw_buf_append_str(&f->said, bytes);
    } else if (kind <= 3) {
        update_key(f, kind == 3);
    } else if (kind == 4) {
        /* The type is the last byte that is not zero. */
        tls_peer_seal(&f->peer, 0, bytes, &f->wire);
        f->is_honest = false;
    } else {
        lw_buf_append_str(&f->wire, bytes);
        f->is_honest = f->is_honest && bytes.len == 0;
    }
}

static void take_steps(fuzz *f, lw_str input)
{
    while (input.len >= 2) {
        unsigned kind = (unsigned char)input.ptr[0] % KINDS;
        size_t len = (unsigned char)input.ptr[1];
        input = lw_str_skip(input, 2);
        len = len < input.len ? len : input.len;
        take_step(f, kind, lw_str_make(input.ptr, len));
        input = lw_str_skip(input, len);
    }
}

/* Returns the last result. */
static lw_tls_result read_all(fuzz *f)
{
    static char room[ROOM];
    lw_tls_result result;
    size_t len;
    do {
        len = 0;
        result = lw_tls_channel_read(f->peer.channel, room, sizeof(room), &len);
        must((result == LW_TLS_OK) == (len > 0) && len <= sizeof(room));
        lw_buf_append(&f->got, room, len);
    } while (result == LW_TLS_OK);
    return result;
}

/* Sends |step| bytes at a time; between them the channel writes. */
static lw_tls_result send_cut(fuzz *f, size_t step)
{
    static char reply[] = "reply";
    const struct iovec piece = { reply, sizeof(reply) };
    lw_tls_result result = LW_TLS_WANTS_READ;
    lw_str left = lw_buf_view(&f->wire);
    while (left.len > 0 && result == LW_TLS_WANTS_READ) {
        size_t part = left.len < step ? left.len : step, sent = 0;
        must(send(f->peer.fds[1], left.ptr, part, 0) == (ssize_t)part);
        left = lw_str_skip(left, part);
        result = read_all(f);
        if (result == LW_TLS_WANTS_READ)
            must(lw_tls_channel_write(f->peer.channel, &piece, 1, &sent) != LW_TLS_FAILED);
    }
    return result;
}

static void check(const fuzz *f, lw_tls_result result)
{
    size_t len = f->got.len < f->said.len ? f->got.len : f->said.len;
    must(len == 0 || memcmp(f->got.data, f->said.data, len) == 0);
    must(f->got.len >= f->said.len || result == LW_TLS_FAILED);
    must(f->got.len <= f->said.len || !f->is_honest);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2 || size > INPUT_MAX)
        return 0;
    fuzz f = { .engine = lw_tls_engine_new(), .is_honest = true };
    must(f.engine &&
         tls_peer_open(&f.peer, f.engine, tls_peer_secrets(SUITE_FIRST + data[0] % SUITES, 1)));
    lw_buf_init(&f.wire, TOTAL_MAX);
    lw_buf_init(&f.said, TOTAL_MAX);
    lw_buf_init(&f.got, TOTAL_MAX);
    take_steps(&f, lw_str_make((const char *)data + 2, size - 2));
    check(&f, send_cut(&f, data[1] ? data[1] : TOTAL_MAX));
    lw_buf_done(&f.wire);
    lw_buf_done(&f.said);
    lw_buf_done(&f.got);
    tls_peer_close(&f.peer);
    lw_tls_engine_free(f.engine);
    return 0;
}
