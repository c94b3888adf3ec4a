/* SPDX-License-Identifier: Apache-2.0 */
/* serving_tls.c -- the certificate that the server shows its clients. */
#include "server/core/serving_tls.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/container_of.h"
#include "base/error.h"
#include "base/log.h"
#include "base/str.h"

/* Notes how the files are now.  Returns true if they have changed. */
static bool look(lw_serving_tls *serving)
{
    lw_file_mark cert, key;
    (void)lw_file_mark_read(serving->cert_file, &cert);
    (void)lw_file_mark_read(serving->key_file, &key);
    bool is_changed =
        !lw_file_mark_equal(&cert, &serving->cert) || !lw_file_mark_equal(&key, &serving->key);
    serving->cert = cert;
    serving->key = key;
    return is_changed;
}

static void renew(lw_serving_tls *serving)
{
    lw_error err = LW_ERROR_INIT;
    if (lw_tls_context_renew(serving->context, serving->cert_file, serving->key_file, &err) < 0)
        lw_log(serving->logger, LW_LOG_ERROR, "server",
               "the server certificate has changed, but cannot be used; the previous one stays in "
               "use: %s",
               err.message);
    else
        lw_log(serving->logger, LW_LOG_INFO, "server",
               "new connections use the new certificate in %s", serving->cert_file);
}

static void fire(lw_timer *timer)
{
    lw_serving_tls *serving = LW_CONTAINER_OF(timer, lw_serving_tls, timer);
    int64_t next = lw_loop_now(serving->loop) + LW_SERVING_TLS_CHECK_S * LW_NS_PER_S;
    if (look(serving))
        renew(serving);
    /* Its place in the heap is free: this does not fail. */
    (void)lw_timer_set(serving->loop, timer, next);
}

lw_status lw_serving_tls_open(lw_serving_tls *serving, const lw_tls_options *files, lw_loop *loop,
                              const lw_logger *logger, lw_error *err)
{
    serving->cert_file = lw_str_dup(lw_str_of(files->cert_file));
    serving->key_file = lw_str_dup(lw_str_of(files->key_file));
    if (!serving->cert_file || !serving->key_file)
        return lw_error_nomem(err);
    serving->logger = logger;
    serving->timer.fire = fire;
    (void)look(serving); /* before they are read: a change in between is seen later */
    lw_status st = lw_tls_context_new(&serving->context, files, err);
    if (st < 0 || !loop)
        return st;
    int64_t first = lw_clock_now(lw_loop_clock(loop)) + LW_SERVING_TLS_CHECK_S * LW_NS_PER_S;
    if (lw_timer_set(loop, &serving->timer, first) < 0)
        return lw_error_nomem(err);
    serving->loop = loop;
    return LW_OK;
}

void lw_serving_tls_done(lw_serving_tls *serving)
{
    if (serving->loop)
        lw_timer_cancel(serving->loop, &serving->timer);
    lw_tls_context_free(serving->context);
    lw_free(serving->cert_file);
    lw_free(serving->key_file);
    *serving = (lw_serving_tls){ .context = NULL };
}
