/* SPDX-License-Identifier: Apache-2.0 */
/* informer_reporter.c -- a thread that sends reports at intervals. */
#include "runtime/informer_reporter.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "runtime/report.h"

enum {
    EVERY_S = 2,
    TEXT_SIZE = 64 * 1024, /* the limit of servers */
    NAME_SIZE = 128,
};

struct lw_informer_reporter {
    const lw_control_env *env;
    /* Reporter name; unique per copy, because reports of the same name replace each other. */
    char name[NAME_SIZE];
    char *text;
    pthread_t thread;
    pthread_mutex_t mu; /* guards is_stopping */
    pthread_cond_t stop;
    bool is_stopping;
};

/* Sends a report.  False: the server does not support reports. */
static bool send_report(lw_informer_reporter *h)
{
    lw_error err = LW_ERROR_INIT;
    size_t len = lw_factory_report(h->env->factory, h->name, h->text, TEXT_SIZE);
    if (len == 0 || len >= TEXT_SIZE)
        return true;
    lw_status st = lw_client_show_informers(h->env->client, h->text, &err);
    if (st != LW_ERR_NOT_FOUND && st != LW_ERR_FORBIDDEN && st != LW_ERR_INVALID)
        return true; /* temporary errors: try again later */
    lw_report_log(h->env->logger, LW_LOG_DEBUG, "control",
                  "cannot report the informers to the server: %s", err.message);
    return false;
}

/* Waits for the next report.  False: stop was requested. */
static bool rest(lw_informer_reporter *h)
{
    struct timespec until;
    (void)clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += EVERY_S;
    (void)pthread_mutex_lock(&h->mu);
    int waited = 0;
    while (!h->is_stopping && waited == 0)
        waited = pthread_cond_timedwait(&h->stop, &h->mu, &until);
    bool goes_on = !h->is_stopping;
    (void)pthread_mutex_unlock(&h->mu);
    return goes_on;
}

static void *run(void *arg)
{
    lw_informer_reporter *h = arg;
    while (send_report(h) && rest(h))
        ;
    return NULL;
}

static void herald_free(lw_informer_reporter *h)
{
    (void)pthread_cond_destroy(&h->stop);
    (void)pthread_mutex_destroy(&h->mu);
    free(h->text);
    free(h);
}

lw_status lw_informer_reporter_start(lw_informer_reporter **out, const lw_control_env *env,
                                     lw_error *err)
{
    char host[64] = "";
    pthread_condattr_t attributes;
    lw_informer_reporter *h = calloc(1, sizeof(*h));
    if (!h)
        return lw_report_nomem(err);
    (void)gethostname(host, sizeof(host) - 1);
    (void)snprintf(h->name, sizeof(h->name), "listwatch control on %s, process %ld", host,
                   (long)getpid());
    h->env = env;
    (void)pthread_mutex_init(&h->mu, NULL);
    (void)pthread_condattr_init(&attributes);
    (void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&h->stop, &attributes);
    (void)pthread_condattr_destroy(&attributes);
    h->text = malloc(TEXT_SIZE);
    lw_status st = h->text ? LW_OK : lw_report_nomem(err);
    if (st == LW_OK && pthread_create(&h->thread, NULL, run, h) != 0)
        st = lw_report_error(err, LW_ERR_IO, "cannot start the informer reporter's thread");
    if (st < 0)
        herald_free(h);
    else
        *out = h;
    return st;
}

void lw_informer_reporter_stop(lw_informer_reporter *h)
{
    if (!h)
        return;
    (void)pthread_mutex_lock(&h->mu);
    h->is_stopping = true;
    (void)pthread_cond_signal(&h->stop);
    (void)pthread_mutex_unlock(&h->mu);
    (void)pthread_join(h->thread, NULL);
    herald_free(h);
}
