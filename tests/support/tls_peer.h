/* SPDX-License-Identifier: Apache-2.0 */
/* tls_peer.h -- a channel on one end of a pair of sockets, and the client on the other, which
 * encrypts what it is told to. */
#ifndef LW_TESTS_SUPPORT_TLS_PEER_H
#define LW_TESTS_SUPPORT_TLS_PEER_H

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/str.h"
#include "net/tls/tls_channel.h"

typedef struct tls_peer {
    lw_tls_engine *engine; /* of the client */
    lw_tls_keys writes, reads;
    lw_tls_channel *channel;
    int fds[2]; /* the channel's, the client's */
} tls_peer;

/* Two secrets that depend on |seed|. */
static inline lw_tls_secrets tls_peer_secrets(unsigned suite, unsigned seed)
{
    lw_tls_secrets secrets = { .suite = lw_tls_suite_find(suite) };
    memset(secrets.client, (int)seed, sizeof(secrets.client));
    memset(secrets.server, (int)seed + 1, sizeof(secrets.server));
    return secrets;
}

/* |engine| is that of the channel.  False: out of memory; the peer must be closed as well. */
static inline bool tls_peer_open(tls_peer *p, lw_tls_engine *engine, lw_tls_secrets secrets)
{
    *p = (tls_peer){ .engine = lw_tls_engine_new() };
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, p->fds) < 0)
        abort();
    p->channel = p->engine ? lw_tls_channel_new(engine, &secrets, p->fds[0]) : NULL;
    return p->channel && lw_tls_keys_init(&p->writes, p->engine, secrets.suite, secrets.client) &&
           lw_tls_keys_init(&p->reads, p->engine, secrets.suite, secrets.server);
}

static inline void tls_peer_close(tls_peer *p)
{
    lw_tls_channel_free(p->channel);
    lw_tls_engine_free(p->engine);
    close(p->fds[0]);
    close(p->fds[1]);
}

/* Appends a record of |content| to |out|; sets its status if it has no room. */
static inline void tls_peer_seal(tls_peer *p, lw_tls_content content, lw_str data, lw_buf *out)
{
    lw_tls_sealing sealing;
    if (lw_buf_reserve(out, data.len + LW_TLS_RECORD_COST) < 0)
        return;
    char *at = out->data + out->len;
    lw_tls_seal_begin(&sealing, p->engine, &p->writes, at, data.len);
    lw_tls_seal_add(&sealing, p->engine, data);
    const char *end = lw_tls_seal_end(&sealing, p->engine, content);
    if (!end)
        abort();
    out->len += (size_t)(end - at);
}

#endif
