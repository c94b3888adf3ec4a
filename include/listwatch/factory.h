/* SPDX-License-Identifier: Apache-2.0 */
/* factory.h -- informers that share one connection.
 *
 * There are two ways to run a factory:
 *   lw_factory_start runs it in a background thread;
 *   lw_factory_fd, _timeout_ms and _dispatch run it in an event loop of the program, without a
 * thread. Functions do not wait for the network unless their comment says so. */
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

/* Initialise it with LW_FACTORY_OPTIONS_INIT; all options are optional.  The defaults are: the
 * configuration of kubeconfig or of the pod that the program runs in, all namespaces, no resync. */
typedef struct lw_factory_options {
    size_t size; /* set by LW_FACTORY_OPTIONS_INIT */
    lw_client
        *client; /* the factory takes a reference; NULL: a client is made from the configuration */
    lw_provider *provider;  /* another source of objects instead of a client; the factory owns it,
                               also after a failure */
    const char *kubeconfig; /* used if |client| is NULL */
    const char *context;
    const char *ns;             /* one namespace, or several: "a,b"; NULL: all namespaces */
    const char *label_selector; /* default of all informers */
    const char *field_selector;
    lw_read_options read;
    int resync_s;
    bool is_by_key;    /* process all queued changes of one object together, so that a slow consumer
                          sees the latest state (level-triggered); otherwise in the order of arrival */
    bool lists_only;   /* never use a streaming list (sendInitialEvents) */
    int64_t page_size; /* objects per page of a list; 0: 500, if the server supports pages */
    const lw_clock *clock; /* NULL: the system clock */
    const lw_logger *logger;
    lw_list_bounds bounds; /* of each list; a larger one is an error and is tried again later */
    /* Bounds of the delay before a failed list or watch is tried again; it doubles, with jitter. */
    int backoff_min_ms;            /* 0: 800 */
    int backoff_max_ms;            /* 0: 30000 */
    lw_informer_state_fn on_state; /* gets the changes of state of all informers; NULL: none */
    void *state_arg;
    /* Warm restart: the caches are saved in this directory, which is created if needed, and only
     * one factory may use at a time.  At the next start an informer has the saved objects at once
     * and watches from there; it lists only if the server has forgotten that revision.  A file that
     * is damaged, too old or of another server, selector or version is ignored and logged.  The
     * files contain the objects, readable only by the user of the program.  Informers of several
     * namespaces are not saved.  NULL: nothing is saved. */
    const char *state_dir;
    /* Any text that changes when the program changes what it stores, e.g. in a transform function;
     * without it, informers with such a function are not saved. */
    const char *state_version;
    int state_interval_s;      /* a cache that has changed is saved after this time, and at the end;
                                  0: 60 */
    int state_max_age_s;       /* an older file is ignored; 0: one day */
    bool is_synced_from_state; /* an informer is synced before the server has accepted its saved
                                  revision: it may be behind */
    bool tells_only_changes;   /* handlers that are added before the first sync get only what has
                                  changed since it was saved; otherwise all objects are ADD events */
    /* The encoding that the client of the factory asks for: "json", or "protobuf", which is the
     * default.  With protobuf, objects of built-in kinds are sent and kept as protobuf, which is
     * smaller; they answer the same.  Custom resources, and informers that drop or keep paths or
     * want metadata only, use JSON. */
    const char *encoding;
    /* How objects are stored while nobody reads them: "auto", which is the default, "on" or "off".
     * A compact object is stored as its differences from a similar one; it answers the same, and
     * reading a field of it costs more.  "auto": objects are compact if the cache has more than
     * 1000; an object that is read often is not.  "on": all objects are compact, and in fewer
     * bytes, which takes more CPU time. */
    const char *compact;
    /* While all informers are synced, the thread of lw_factory_start reads from the network at most
     * once in this many milliseconds, so that events in quick succession are read, processed and
     * passed on together: less CPU per event, and up to this much latency.  An event after a pause
     * is read at once.  0, the default: all are. */
    int read_interval_ms;
} lw_factory_options;

#define LW_FACTORY_OPTIONS_INIT                                                                    \
    {                                                                                              \
        sizeof(lw_factory_options), NULL, NULL, NULL, NULL, NULL, NULL, NULL,                      \
            LW_READ_OPTIONS_INIT, 0, false, false, 0, NULL, NULL, { 0, 0, 0 }, 0, 0, NULL, NULL,   \
            NULL, NULL, 0, 0, false, false, NULL, NULL, 0                                          \
    }

typedef struct lw_factory lw_factory;

/* Makes a factory; NULL |options| means the defaults.  Errors as lw_config_load and
 * lw_client_new. */
LW_MUST_CHECK LW_API lw_status lw_factory_new(lw_factory **out, const lw_factory_options *options,
                                              lw_error *err);

/* Stops the factory and frees it with its informers and their registrations.  Must not be called
 * from the thread of the factory or from a handler.  NULL does nothing. */
LW_API void lw_factory_free(lw_factory *factory);

/* Options of one informer that differ from the factory, initialised with
 * LW_INFORMER_OPTIONS_INIT; NULL and 0 mean the option of the
 * factory. */
typedef struct lw_informer_options {
    size_t size; /* set by LW_INFORMER_OPTIONS_INIT */
    /* One namespace, or several: "a,b", at most 64.  With several, each is listed and watched on
     * its own, and revisions (lw_informer_wait_for_revision) are those of any of them. */
    const char *ns;
    const char *label_selector;
    const char *field_selector;
    bool is_metadata_only;
    const lw_read_options *read;
    int resync_s; /* -1: never */
    /* Called once with each object before it is stored in the cache: returns the object (with a
     * reference), another object, or NULL for a failure.  NULL: no transformation. */
    lw_object *(*transform)(const lw_object *obj, void *arg);
    void *transform_arg;
    const char *compact; /* "auto", "on" or "off" */
} lw_informer_options;

#define LW_INFORMER_OPTIONS_INIT                                                                   \
    {                                                                                              \
        sizeof(lw_informer_options), NULL, NULL, NULL, false, NULL, 0, NULL, NULL, NULL            \
    }

/* Return the informer of |resource| ("pods", "deployments.apps", "widgets.example.com"): the
 * existing one with the same options, or a new one, which runs if the factory runs.  If the server
 * does not have the resource yet, e.g. because its definition is created later, the informer
 * retries until it exists; meanwhile lw_factory_wait_for_sync reports it.  The factory owns the
 * informer.  LW_ERR_INVALID, LW_ERR_STOPPED, LW_ERR_NOMEM. */
LW_MUST_CHECK LW_API lw_status lw_factory_informer(lw_factory *factory, const char *resource,
                                                   lw_informer **out, lw_error *err);
LW_MUST_CHECK LW_API lw_status lw_factory_informer_with(lw_factory *factory, const char *resource,
                                                        const lw_informer_options *options,
                                                        lw_informer **out, lw_error *err);

/* Stops one informer and frees it with its registrations and its lister.  Waits for its handlers.
 * From a handler it returns at once: no handler of the informer is called any more, and the
 * informer is freed when the running handlers have returned. */
LW_API void lw_factory_drop(lw_factory *factory, lw_informer *informer);

/* Starts a background thread that runs the factory.  LW_ERR_EXISTS: it is already running.
 * LW_ERR_STOPPED, LW_ERR_IO (cannot create a thread). */
LW_MUST_CHECK LW_API lw_status lw_factory_start(lw_factory *factory, lw_error *err);

/* Waits until every informer has its first list and every handler has processed the initial events
 * (except handlers of mode LW_HANDLER_DRAINED).  |timeout_s| < 0: no timeout.  LW_ERR_TIMEOUT: the
 * message names the informer that is not synced, and the reason.  LW_ERR_STOPPED.  If the factory
 * has no thread, this call runs it.  Must not be called from a handler. */
LW_MUST_CHECK LW_API lw_status lw_factory_wait_for_sync(lw_factory *factory, int timeout_s,
                                                        lw_error *err);

/* Waits until lw_factory_stop.  If the factory has no thread, this call runs it. */
LW_API void lw_factory_run(lw_factory *factory);

/* Stops the factory and ends lw_factory_run; does not wait.  Client requests (client.h) of running
 * handlers are cancelled: these and later requests of such a handler return LW_ERR_STOPPED.  May be
 * called from any thread, also from a handler. */
LW_API void lw_factory_stop(lw_factory *factory);

/* For an event loop of the program: poll the descriptor for reading, wait no longer than the
 * timeout (-1: no limit), then dispatch.  Only one thread at a time; not after lw_factory_start
 * (LW_ERR_INVALID), and not from a handler.  A dispatch passes a limited number of events to one
 * handler, and asks to be called again at once if there are more.  LW_ERR_STOPPED: after
 * lw_factory_stop. */
LW_API int lw_factory_fd(const lw_factory *factory);
LW_API int lw_factory_timeout_ms(const lw_factory *factory);
LW_MUST_CHECK LW_API lw_status lw_factory_dispatch(lw_factory *factory, lw_error *err);

/* Returns the client of the informers, e.g. for writes; NULL if the factory has a provider.
 * Borrowed. */
LW_API lw_client *lw_factory_client(const lw_factory *factory);

/* Writes the statistics of all informers in the text format of Prometheus to |dst| like snprintf.
 * Returns the length of the full text. */
LW_API size_t lw_factory_metrics(const lw_factory *factory, char *dst, size_t size);

/* Writes a short report of all informers as JSON, for the web page of a server; |reporter| is the
 * name of the program (see lw_server_show_informers and lw_client_show_informers).  Works like
 * snprintf.  Returns 0 if memory runs out, or if the report is larger than a server accepts (64
 * KiB). */
LW_API size_t lw_factory_report(const lw_factory *factory, const char *reporter, char *dst,
                                size_t size);

LW_END_DECLS

#endif
