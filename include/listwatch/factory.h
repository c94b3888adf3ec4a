/* SPDX-License-Identifier: Apache-2.0 */
/* factory.h -- informers that share one connection and one thread, or none.
 *
 * Two ways to run it:
 *   lw_factory_start runs it in a background thread;
 *   lw_factory_fd, _timeout_ms and _dispatch run it in a loop of the program's own, with no thread.
 * Either way nothing here waits for the network except what says so. */
#ifndef LISTWATCH_FACTORY_H
#define LISTWATCH_FACTORY_H

#include <stddef.h>

#include <listwatch/api.h>
#include <listwatch/client.h>
#include <listwatch/informer.h>
#include <listwatch/log.h>
#include <listwatch/sys/clock.h>
#include <listwatch/sys/source.h>

LW_BEGIN_DECLS

/* All of it may be left out: then kubeconfig or the pod we run in, all namespaces, no resync. */
typedef struct lw_factory_options {
    lw_client *client;      /* shared; NULL: made from the configuration */
    lw_provider *provider;  /* instead of a client: another source of objects; taken, on failure
                               too */
    const char *kubeconfig; /* where |client| is NULL */
    const char *context;
    const char *ns;             /* NULL: all namespaces */
    const char *label_selector; /* of every informer that does not say otherwise */
    const char *field_selector;
    lw_read_options read;
    int resync_s;
    bool is_by_key;        /* drain all changes of one object at once, so that a slow consumer sees
                              the latest (level-triggered); else in the order they came */
    bool lists_only;       /* never start with a streamed list (sendInitialEvents) */
    int64_t page_size;     /* objects a page of a list; 0: 500 where the server may page */
    const lw_clock *clock; /* NULL: the system's */
    const lw_logger *logger;
} lw_factory_options;

typedef struct lw_factory lw_factory;

/* NULL |options|: the defaults.  Errors of lw_config_load and lw_client_new. */
LW_API lw_status lw_factory_new(lw_factory **out, const lw_factory_options *options, lw_error *err);

/* Stops and frees everything, informers and their registrations too.  From any thread but its own
 * and its handlers'.  NULL does nothing. */
LW_API void lw_factory_free(lw_factory *factory);

/* What one informer wants otherwise than the factory; NULL and 0: as the factory. */
typedef struct lw_informer_options {
    const char *ns;
    const char *label_selector;
    const char *field_selector;
    bool is_metadata_only;
    const lw_read_options *read;
    int resync_s; /* -1: never */
    /* Called with each object before it is kept: returns it (with a reference), another one, or
     * NULL to fail.  Called once an object; NULL: none. */
    lw_object *(*transform)(const lw_object *obj, void *arg);
    void *transform_arg;
} lw_informer_options;

/* The informer for |resource| ("pods", "deployments.apps", "widgets.example.com"): the one there is
 * with the same options, or a new one, which runs when the factory does.  One that the server does
 * not have, such as that of a definition to come, is looked for again until it is there;
 * lw_factory_wait_for_sync says so meanwhile. */
LW_API lw_status lw_factory_informer(lw_factory *factory, const char *resource, lw_informer **out,
                                     lw_error *err);
LW_API lw_status lw_factory_informer_with(lw_factory *factory, const char *resource,
                                          const lw_informer_options *options, lw_informer **out,
                                          lw_error *err);

/* Ends one informer and gives its memory back; its registrations and lister are gone.  Waits for
 * its handlers.  From within a handler it returns at once: no handler of the informer is called any
 * more, and the rest happens when those that run have returned. */
LW_API void lw_factory_drop(lw_factory *factory, lw_informer *informer);

/* Runs the factory in a background thread.  LW_ERR_EXISTS: it runs already.  LW_ERR_STOPPED,
 * LW_ERR_IO (no thread). */
LW_API lw_status lw_factory_start(lw_factory *factory, lw_error *err);

/* Waits until every informer has its first list and every handler was told (but those that are
 * drained: that may be the caller's own business).  |timeout_s| < 0: for ever.  LW_ERR_TIMEOUT
 * names the informer that is not there and what is wrong with it.  LW_ERR_STOPPED.  Drives the
 * factory itself where no thread does.  Not from a handler. */
LW_API lw_status lw_factory_wait_for_sync(lw_factory *factory, int timeout_s, lw_error *err);

/* Waits (and, without a thread, drives) until lw_factory_stop. */
LW_API void lw_factory_run(lw_factory *factory);

/* Ends lw_factory_run and lets nothing more happen; returns at once.  Requests of a client
 * (client.h) that a handler waits for are cancelled: they and later ones of that handler return
 * LW_ERR_STOPPED.  Any thread, handlers too. */
LW_API void lw_factory_stop(lw_factory *factory);

/* The program's own loop: poll |fd| for reading and wait no longer than the timeout (-1: no limit),
 * then dispatch.  One thread at a time; not after lw_factory_start (LW_ERR_INVALID), nor from a
 * handler.  A dispatch tells one handler a portion of its events and asks to be called again at
 * once for the rest.  LW_ERR_STOPPED after lw_factory_stop. */
LW_API int lw_factory_fd(const lw_factory *factory);
LW_API int lw_factory_timeout_ms(const lw_factory *factory);
LW_API lw_status lw_factory_dispatch(lw_factory *factory, lw_error *err);

/* The client behind the informers, for writes; NULL with a provider of one's own.  Borrowed. */
LW_API lw_client *lw_factory_client(const lw_factory *factory);

/* Statistics of all informers in Prometheus' text format into |dst|, as snprintf does: returns the
 * length of the whole text. */
LW_API size_t lw_factory_metrics(const lw_factory *factory, char *dst, size_t size);

/* The same in short, as JSON for a server's page, where |reporter| names who tells it
 * (lw_server_show_informers, or POST to /debug/listwatch/informers, every few seconds).  As
 * snprintf does; 0: memory has run out, or it would be longer than a server takes (64 KiB). */
LW_API size_t lw_factory_report(const lw_factory *factory, const char *reporter, char *dst,
                                size_t size);

LW_END_DECLS

#endif
