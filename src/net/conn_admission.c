/* SPDX-License-Identifier: Apache-2.0 */
/* conn_admission.c -- closes the oldest unauthenticated connections when there is no room. */
#include "net/conn_admission.h"

#include <netinet/in.h>
#include <string.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/log.h"

enum {
    V6_SOURCE_BYTES = 8, /* a client usually has a whole /64 network */
};

static size_t own_descriptors(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY)
        return SIZE_MAX;
    return (size_t)limit.rlim_cur;
}

void lw_conn_admission_init(lw_conn_admission *admission, size_t per_source, size_t descriptors,
                            const lw_logger *logger)
{
    memset(admission, 0, sizeof(*admission));
    admission->descriptors = descriptors ? descriptors : own_descriptors();
    admission->reserved = admission->descriptors / LW_CONN_ADMISSION_RESERVED_SHARE;
    if (admission->reserved > LW_CONN_ADMISSION_RESERVED)
        admission->reserved = LW_CONN_ADMISSION_RESERVED;
    /* One source never gets all of them. */
    size_t half = (admission->descriptors - admission->reserved) / 2;
    admission->per_source = per_source < half ? per_source : half;
    admission->seed = lw_hash_seed_random();
    if (logger)
        admission->logger = *logger;
    lw_mutex_init(&admission->mu);
    lw_dlist_init(&admission->ages);
    for (size_t i = 0; i < LW_CONN_ADMISSION_SOURCES; i++)
        lw_dlist_init(&admission->sources[i].entries);
}

void lw_conn_admission_done(lw_conn_admission *admission)
{
    lw_mutex_done(&admission->mu);
}

static lw_conn_source *source_of(lw_conn_admission *admission, const lw_address *peer)
{
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
    uint64_t hash = 0;
    if (peer->storage.ss_family == AF_INET) {
        memcpy(&v4, &peer->storage, sizeof(v4));
        hash = lw_hash_bytes(admission->seed, &v4.sin_addr, sizeof(v4.sin_addr));
    } else if (peer->storage.ss_family == AF_INET6) {
        memcpy(&v6, &peer->storage, sizeof(v6));
        /* An IPv4 client of an IPv6 listener is in the last four bytes. */
        hash = IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr)
                   ? lw_hash_bytes(admission->seed, v6.sin6_addr.s6_addr + 12, 4)
                   : lw_hash_bytes(admission->seed, v6.sin6_addr.s6_addr, V6_SOURCE_BYTES);
    }
    return &admission->sources[hash % LW_CONN_ADMISSION_SOURCES];
}

static void unlink_locked(lw_conn_entry *entry)
{
    if (!entry->source)
        return;
    lw_dlist_remove(&entry->by_age);
    lw_dlist_remove(&entry->by_source);
    entry->source->count--;
    entry->source = NULL;
}

/* The loop of the connection finds the end of its input and frees it. */
static void shut_down_locked(lw_conn_admission *admission, lw_conn_entry *entry)
{
    (void)shutdown(entry->fd, SHUT_RDWR);
    unlink_locked(entry);
    entry->is_leaving = true;
    admission->leaving++;
}

size_t lw_conn_admission_add(lw_conn_admission *admission, lw_conn_entry *entry, int fd,
                             const lw_address *peer, int64_t now_ns)
{
    size_t closed = 0;
    lw_mutex_lock(&admission->mu);
    lw_conn_source *source = source_of(admission, peer);
    for (; source->count > 0 && source->count >= admission->per_source; closed++)
        shut_down_locked(admission,
                         LW_DLIST_ITEM(lw_dlist_first(&source->entries), lw_conn_entry, by_source));
    entry->fd = fd;
    entry->since_ns = now_ns;
    entry->source = source;
    source->count++;
    lw_dlist_push_back(&source->entries, &entry->by_source);
    lw_dlist_push_back(&admission->ages, &entry->by_age);
    lw_mutex_unlock(&admission->mu);
    return closed;
}

void lw_conn_admission_authenticated(lw_conn_admission *admission, lw_conn_entry *entry)
{
    lw_mutex_lock(&admission->mu);
    unlink_locked(entry);
    lw_mutex_unlock(&admission->mu);
}

size_t lw_conn_admission_leaving(lw_conn_admission *admission)
{
    lw_mutex_lock(&admission->mu);
    size_t leaving = admission->leaving;
    lw_mutex_unlock(&admission->mu);
    return leaving;
}

void lw_conn_admission_remove(lw_conn_admission *admission, lw_conn_entry *entry)
{
    lw_mutex_lock(&admission->mu);
    unlink_locked(entry);
    admission->leaving -= entry->is_leaving;
    entry->is_leaving = false;
    lw_mutex_unlock(&admission->mu);
}

size_t lw_conn_admission_make_room(lw_conn_admission *admission, size_t count, int64_t until_ns)
{
    size_t closed = 0;
    lw_mutex_lock(&admission->mu);
    for (; closed < count; closed++) {
        lw_dlist_node *oldest = lw_dlist_first(&admission->ages);
        lw_conn_entry *entry = LW_DLIST_ITEM(oldest, lw_conn_entry, by_age);
        if (!oldest || entry->since_ns > until_ns)
            break;
        shut_down_locked(admission, entry);
    }
    lw_mutex_unlock(&admission->mu);
    return closed;
}

lw_conn_room lw_conn_admission_room(const lw_conn_admission *admission, int fd)
{
    size_t left = (size_t)fd < admission->descriptors ? admission->descriptors - (size_t)fd - 1 : 0;
    if (left >= admission->reserved)
        return LW_CONN_ROOM_ENOUGH;
    return left >= admission->reserved / 2 ? LW_CONN_ROOM_LITTLE : LW_CONN_ROOM_NONE;
}

void lw_conn_admission_log(lw_conn_admission *admission, size_t closed, int64_t now_ns)
{
    lw_mutex_lock(&admission->mu);
    admission->closed += closed;
    size_t count = admission->closed;
    bool is_due = admission->logged_ns == 0 ||
                  now_ns - admission->logged_ns >= LW_CONN_ADMISSION_LOG_S * LW_NS_PER_S;
    if (is_due) {
        admission->closed = 0;
        admission->logged_ns = now_ns;
    }
    lw_mutex_unlock(&admission->mu);
    if (is_due)
        lw_log(
            &admission->logger, LW_LOG_WARN, "net",
            "too many connections: closed %zu that had not authenticated, and new clients may have "
            "to wait; the limits are %zu file descriptors (ulimit -n) and %zu unauthenticated "
            "connections per source address",
            count, admission->descriptors, admission->per_source);
}
