/* SPDX-License-Identifier: Apache-2.0 */
/* cancel.c -- a flag, an eventfd, and a linked list of scopes per thread. */
#include "base/thread/cancel.h"

#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/error.h"

static _Thread_local const lw_cancel_scope *innermost;

lw_status lw_cancel_init(lw_cancel *cancel, lw_error *err)
{
    atomic_init(&cancel->is_fired, false);
    cancel->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (cancel->fd < 0)
        return lw_error_set(err, LW_ERR_IO, "cannot create an eventfd: %s", strerror(errno));
    return LW_OK;
}

void lw_cancel_done(lw_cancel *cancel)
{
    if (cancel->fd >= 0)
        (void)close(cancel->fd);
    cancel->fd = -1;
}

void lw_cancel_fire(lw_cancel *cancel)
{
    uint64_t one = 1;
    ssize_t put;
    if (atomic_exchange(&cancel->is_fired, true))
        return;
    do
        put = write(cancel->fd, &one, sizeof(one));
    while (put < 0 && errno == EINTR);
}

bool lw_cancel_is_fired(const lw_cancel *cancel)
{
    return atomic_load(&cancel->is_fired);
}

void lw_cancel_reset(lw_cancel *cancel)
{
    uint64_t count;
    ssize_t got;
    do
        got = read(cancel->fd, &count, sizeof(count));
    while (got < 0 && errno == EINTR);
    atomic_store(&cancel->is_fired, false);
}

void lw_cancel_enter(lw_cancel_scope *scope, const lw_cancel *cancel)
{
    scope->cancel = cancel;
    scope->outer = innermost;
    innermost = scope;
}

void lw_cancel_leave(const lw_cancel_scope *scope)
{
    assert(innermost == scope);
    innermost = scope->outer;
}

bool lw_cancel_is_due(void)
{
    for (const lw_cancel_scope *scope = innermost; scope; scope = scope->outer) {
        if (lw_cancel_is_fired(scope->cancel))
            return true;
    }
    return false;
}

size_t lw_cancel_fds(int fds[LW_CANCEL_SCOPES_MAX])
{
    size_t count = 0;
    for (const lw_cancel_scope *scope = innermost; scope && count < LW_CANCEL_SCOPES_MAX;
         scope = scope->outer)
        fds[count++] = scope->cancel->fd;
    return count;
}
