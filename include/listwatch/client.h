/* SPDX-License-Identifier: Apache-2.0 */
/* client.h -- single requests to an API server: get, list, write, discover.
 *
 * The calls wait for the response, or until they are cancelled (lw_client_close; LW_ERR_STOPPED).
 * Any number of threads may use a client at the same time; they share its connections.  To watch,
 * use an informer (factory.h), or lw_client_watch for a single watch request. */
#ifndef LISTWATCH_CLIENT_H
#define LISTWATCH_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <listwatch/api.h>
#include <listwatch/config.h>
#include <listwatch/error.h>
#include <listwatch/gvk.h>
#include <listwatch/list_reader.h>
#include <listwatch/log.h>
#include <listwatch/object.h>
#include <listwatch/object_list.h>
#include <listwatch/request_options.h>
#include <listwatch/str.h>
#include <listwatch/sys/clock.h>
#include <listwatch/watch_event.h>

LW_BEGIN_DECLS

/* Receives the text of a warning that the server has sent with a response, e.g. that an API version
 * is deprecated.  Runs in the thread of the call and must not use the client. */
typedef void (*lw_warning_fn)(const char *text, void *arg);

/* Initialise it with LW_CLIENT_OPTIONS_INIT.  Strings are copied. */
typedef struct lw_client_options {
    size_t size;            /* set by LW_CLIENT_OPTIONS_INIT */
    int timeout_s;          /* timeout of a call with all its retries, except lists; 0: 60 */
    int connect_timeout_s;  /* timeout of a new connection; 0: 30 */
    int keepalive_s;        /* an idle connection is probed after this time; 0: 30 */
    int keepalive_reply_s;  /* and closed if there is no reply within this time; 0: 15 */
    const char *user_agent; /* NULL: "listwatch/VERSION (linux/ARCH)" */
    const char *proxy_url;  /* NULL: that of the configuration, then of the environment */
    /* A request that the server has rejected with Retry-After (429, 5xx) is sent again, unless the
     * server asks for a longer time than max_retry_wait_s, or for one beyond the timeout. */
    int max_retries;      /* 0: 10; -1: never */
    int max_retry_wait_s; /* 0: 60 */
    /* Rate limit of this client: |burst| requests at once, then |qps| per second.  The requests of
     * informers are not limited. */
    double qps;               /* 0: no limit */
    int burst;                /* 0: 2 * qps, at least 1 */
    lw_warning_fn on_warning; /* NULL: warnings are ignored */
    void *warning_arg;
    const lw_clock
        *clock; /* clock for timeouts and the expiry of credentials; NULL: the system clock */
    const lw_logger *logger; /* gets a line for every request (debug); copied; NULL: none */
} lw_client_options;

#define LW_CLIENT_OPTIONS_INIT                                                                     \
    {                                                                                              \
        sizeof(lw_client_options), 0, 0, 0, 0, NULL, NULL, 0, 0, 0, 0, NULL, NULL, NULL, NULL      \
    }

typedef struct lw_client lw_client;

/* Makes a client for |config|, to which it takes a reference; NULL |options| means the defaults.
 * Sends nothing.  LW_ERR_INVALID (unusable certificates or user agent), LW_ERR_NOMEM, LW_ERR_IO. */
LW_MUST_CHECK LW_API lw_status lw_client_new(lw_client **out, lw_config *config,
                                             const lw_client_options *options, lw_error *err);

/* Take and release a reference.  NULL does nothing in lw_client_unref.  The last one closes the
 * connections. */
LW_API lw_client *lw_client_ref(lw_client *client);
LW_API void lw_client_unref(lw_client *client);

/* Cancels all calls in progress in any thread, and all later ones: they return LW_ERR_STOPPED.
 * This is permanent and does not wait; the references stay valid.  Factories that use the client
 * continue: stop them with lw_factory_stop.  A credential plugin that is running for such a call is
 * killed.
 *
 * Calls from a worker of a reconciler or from a handler need no close: lw_reconciler_stop and
 * lw_factory_stop cancel them without closing the client. */
LW_API void lw_client_close(lw_client *client);

/* Cancels all calls in progress in any thread, and all asynchronous requests (async.h): they end
 * with LW_ERR_STOPPED.  Later calls are not affected.  Does not wait. */
LW_API void lw_client_cancel_all(lw_client *client);

/* Returns the configuration of the client; valid as long as the client. */
LW_API const lw_config *lw_client_config(const lw_client *client);

/* Writes the metrics of the requests of the client, those of informers included, in the text format
 * of Prometheus to |dst| like snprintf: rest_client_requests_total (code "<error>": no response)
 * and rest_client_request_duration_seconds, as client-go has them.  Each attempt counts.  Returns
 * the length of the full text.  Any thread. */
LW_API size_t lw_client_metrics(const lw_client *client, char *dst, size_t size);

/* A resource of the server.  The strings are NUL-terminated and valid as long as the client. */
typedef struct lw_resource {
    lw_gvr gvr;
    lw_str kind;
    bool is_namespaced;
} lw_resource;

/* Finds a resource by the name that a user types: "pods", "po", "deployment", "deployments.apps",
 * "widgets.v1.example.com".  The result of discovery is cached; discovery runs again for an unknown
 * name.  LW_ERR_NOT_FOUND: "the server doesn't have a resource type ...". */
LW_MUST_CHECK LW_API lw_status lw_client_find_resource(lw_client *client, const char *name,
                                                       lw_resource *out, lw_error *err);

/* Finds the resource that serves |gvk|, e.g. for an object from a manifest.  LW_ERR_NOT_FOUND: "no
 * matches for kind ...". */
LW_MUST_CHECK LW_API lw_status lw_client_find_kind(lw_client *client, lw_gvk gvk, lw_resource *out,
                                                   lw_error *err);

/* Gets one object, which the caller unrefs.  |ns| is NULL or "" for cluster-scoped resources.
 * LW_ERR_NOT_FOUND, LW_ERR_INVALID (the name is empty). */
LW_MUST_CHECK LW_API lw_status lw_client_get(lw_client *client, lw_gvr gvr, const char *ns,
                                             const char *name, const lw_get_options *options,
                                             lw_object **out, lw_error *err);

/* Lists objects, page by page, and calls |on_object| with each object as it arrives; nothing is
 * kept.  A negative status of |on_object| ends the list and is returned.  LW_ERR_EXPIRED: a
 * continue token has expired; list again without a limit.  LW_ERR_INVALID: the response is not a
 * list, or its pages would never end.  LW_ERR_LIMIT: the list is larger than its bounds. */
LW_MUST_CHECK LW_API lw_status lw_client_list(lw_client *client, lw_gvr gvr,
                                              const lw_list_options *options,
                                              lw_object_fn on_object, void *arg, lw_error *err);

/* As lw_client_list, but returns the objects and the metadata as a list, which the caller frees. */
LW_MUST_CHECK LW_API lw_status lw_client_list_all(lw_client *client, lw_gvr gvr,
                                                  const lw_list_options *options,
                                                  lw_object_list **out, lw_error *err);

/* Watches until the server ends the stream (LW_OK), |on_event| returns a negative status (which is
 * returned), or an error occurs.  Does not reconnect and does not list again. */
LW_MUST_CHECK LW_API lw_status lw_client_watch(lw_client *client, lw_gvr gvr,
                                               const lw_list_options *options,
                                               lw_watch_event_fn on_event, void *arg,
                                               lw_error *err);

/* Creates an object.  |out| (may be NULL) is the object that the server returns; the caller unrefs
 * it.  Errors have the reason and the message of the server: LW_ERR_EXISTS, LW_ERR_INVALID,
 * LW_ERR_FORBIDDEN ...  With a subresource in |options|, posts |obj| to that subresource. */
LW_MUST_CHECK LW_API lw_status lw_client_create(lw_client *client, lw_gvr gvr, const lw_object *obj,
                                                const lw_create_options *options, lw_object **out,
                                                lw_error *err);

/* Updates an object.  |out| (may be NULL) is the object that the server returns; the caller unrefs
 * it.  LW_ERR_CONFLICT: the object was changed since |obj| was read (see lw_retry_on_conflict);
 * LW_ERR_INVALID: the name is empty; otherwise as lw_client_create. */
LW_MUST_CHECK LW_API lw_status lw_client_update(lw_client *client, lw_gvr gvr, const lw_object *obj,
                                                const lw_update_options *options, lw_object **out,
                                                lw_error *err);

/* Patches one object; without options, |patch| is a merge patch.  LW_ERR_UNSUPPORTED: the server
 * does not support this type of patch; otherwise as lw_client_update. */
LW_MUST_CHECK LW_API lw_status lw_client_patch(lw_client *client, lw_gvr gvr, const char *ns,
                                               const char *name, lw_str patch,
                                               const lw_patch_options *options, lw_object **out,
                                               lw_error *err);

/* Server-side apply: creates the object |name|, or updates it to |configuration| (JSON or YAML,
 * with apiVersion and kind).  The configuration contains exactly the fields that this manager wants
 * to own: fields that it applied before and that are missing now are removed, unless another
 * manager owns them too.  LW_ERR_CONFLICT: other managers have set some of the fields to different
 * values; the message names them and the fields.  Then either remove these fields from
 * |configuration|, or set |force|; a controller that owns its fields always sets |force|. */
LW_MUST_CHECK LW_API lw_status lw_client_apply(lw_client *client, lw_gvr gvr, const char *ns,
                                               const char *name, lw_str configuration,
                                               const lw_apply_options *options, lw_object **out,
                                               lw_error *err);

/* Deletes one object.  With finalizers or a grace period, the object exists for some time after the
 * call.  LW_ERR_NOT_FOUND; LW_ERR_CONFLICT: the uid or the version is different. */
LW_MUST_CHECK LW_API lw_status lw_client_delete(lw_client *client, lw_gvr gvr, const char *ns,
                                                const char *name, const lw_delete_options *options,
                                                lw_error *err);

/* Deletes all objects that |which| selects by namespace, labels and fields.  LW_ERR_INVALID:
 * |which| is NULL; to delete all objects, pass options that select all. */
LW_MUST_CHECK LW_API lw_status lw_client_delete_collection(lw_client *client, lw_gvr gvr,
                                                           const lw_list_options *which,
                                                           const lw_delete_options *options,
                                                           lw_error *err);

/* Shows |report|, which lw_factory_report has written, on the web page of a listwatch server.  Call
 * it every few seconds.  LW_ERR_NOT_FOUND, LW_ERR_FORBIDDEN: the server has no such page, or the
 * caller is not authorized. */
LW_MUST_CHECK LW_API lw_status lw_client_show_informers(lw_client *client, const char *report,
                                                        lw_error *err);

LW_END_DECLS

#endif
