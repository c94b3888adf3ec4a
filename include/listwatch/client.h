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
#include <listwatch/object.h>
#include <listwatch/object_list.h>
#include <listwatch/read_options.h>
#include <listwatch/sys/clock.h>
#include <listwatch/watch_event.h>

LW_BEGIN_DECLS

typedef struct lw_client_options {
    int timeout_s;          /* timeout of a call, except lists; 0: 60 */
    int keepalive_s;        /* an idle connection is probed after this time; 0: 30 */
    int keepalive_reply_s;  /* and closed if there is no reply within this time; 0: 15 */
    const char *user_agent; /* NULL: "listwatch/VERSION (linux/ARCH)" */
    const lw_clock
        *clock; /* clock for timeouts and the expiry of credentials; NULL: the system clock */
} lw_client_options;

typedef struct lw_client lw_client;

/* Makes a client for |config|, to which it takes a reference; NULL |options| means the defaults.
 * Sends nothing.  LW_ERR_INVALID (unusable certificates or user agent), LW_ERR_NOMEM, LW_ERR_IO. */
LW_API lw_status lw_client_new(lw_client **out, lw_config *config, const lw_client_options *options,
                               lw_error *err);

/* Take and release a reference.  NULL does nothing in lw_client_unref.  The last one closes the
 * connections. */
LW_API lw_client *lw_client_ref(lw_client *client);
LW_API void lw_client_unref(lw_client *client);

/* Cancels all calls in progress in any thread, and all later ones: they return LW_ERR_STOPPED.
 * This is permanent and does not wait; the references stay valid.  Factories that use the client
 * continue: stop them with lw_factory_stop.  A credential plugin that is running is not
 * interrupted.
 *
 * Calls from a worker of a reconciler or from a handler need no close: lw_reconciler_stop and
 * lw_factory_stop cancel them without closing the client. */
LW_API void lw_client_close(lw_client *client);

/* Returns the configuration of the client; valid as long as the client. */
LW_API const lw_config *lw_client_config(const lw_client *client);

/* A resource of the server.  The strings are NUL-terminated and valid as long as the client. */
typedef struct lw_resource {
    lw_gvr gvr;
    lw_str kind;
    bool is_namespaced;
} lw_resource;

/* Finds a resource by the name that a user types: "pods", "po", "deployment", "deployments.apps",
 * "widgets.v1.example.com".  The result of discovery is cached; discovery runs again for an unknown
 * name.  LW_ERR_NOT_FOUND: "the server doesn't have a resource type ...". */
LW_API lw_status lw_client_find_resource(lw_client *client, const char *name, lw_resource *out,
                                         lw_error *err);

/* Finds the resource that serves |gvk|, e.g. for an object from a manifest.  LW_ERR_NOT_FOUND: "no
 * matches for kind ...". */
LW_API lw_status lw_client_find_kind(lw_client *client, lw_gvk gvk, lw_resource *out,
                                     lw_error *err);

/* Gets one object, which the caller unrefs.  |ns| is NULL or "" for cluster-scoped resources.
 * LW_ERR_NOT_FOUND, LW_ERR_INVALID (the name is empty). */
LW_API lw_status lw_client_get(lw_client *client, lw_gvr gvr, const char *ns, const char *name,
                               lw_object **out, lw_error *err);

/* What to list or watch.  NULL and empty strings are not sent. */
typedef struct lw_list_options {
    const char *ns; /* NULL: all namespaces */
    const char *label_selector;
    const char *field_selector;
    const char *resource_version;
    const char *resource_version_match;
    int64_t limit; /* objects per page; 0: no pages. lw_client_list reads all pages */
    const char *continue_token;
    int timeout_s; /* timeout of a watch */
    bool allows_bookmarks;
    bool sends_initial_events;
    bool is_metadata_only; /* PartialObjectMetadata */
    lw_read_options read;  /* what to drop or keep of each object */
    lw_list_bounds bounds; /* of a list with all its pages */
} lw_list_options;

/* Lists objects, page by page, and calls |on_object| with each object as it arrives; nothing is
 * kept.  A negative status of |on_object| ends the list and is returned.  LW_ERR_EXPIRED: a
 * continue token has expired; list again without a limit.  LW_ERR_INVALID: the response is not a
 * list, or its pages would never end.  LW_ERR_LIMIT: the list is larger than its bounds. */
LW_API lw_status lw_client_list(lw_client *client, lw_gvr gvr, const lw_list_options *options,
                                lw_object_fn on_object, void *arg, lw_error *err);

/* As lw_client_list, but returns the objects and the metadata as a list, which the caller frees. */
LW_API lw_status lw_client_list_all(lw_client *client, lw_gvr gvr, const lw_list_options *options,
                                    lw_object_list **out, lw_error *err);

/* Watches until the server ends the stream (LW_OK), |on_event| returns a negative status (which is
 * returned), or an error occurs.  Does not reconnect and does not list again. */
LW_API lw_status lw_client_watch(lw_client *client, lw_gvr gvr, const lw_list_options *options,
                                 lw_watch_event_fn on_event, void *arg, lw_error *err);

/* Creates an object.  |out| (may be NULL) is the object that the server returns; the caller unrefs
 * it.  Errors have the reason and the message of the server: LW_ERR_EXISTS, LW_ERR_INVALID,
 * LW_ERR_FORBIDDEN ... */
LW_API lw_status lw_client_create(lw_client *client, lw_gvr gvr, const lw_object *obj,
                                  lw_object **out, lw_error *err);

/* Posts |obj| to the |subresource| of the object |name|: "binding" or "eviction" of a pod, "token"
 * of a service account.  |out| (may be NULL) is the response of the server, which may be a Status;
 * the caller unrefs it.  LW_ERR_INVALID: the name or the subresource is empty; otherwise as
 * lw_client_create. */
LW_API lw_status lw_client_create_subresource(lw_client *client, lw_gvr gvr, const char *ns,
                                              const char *name, const char *subresource,
                                              const lw_object *obj, lw_object **out, lw_error *err);

/* Updates an object.  |subresource| is NULL, "status" or "scale".  |out| (may be NULL) is the
 * object that the server returns; the caller unrefs it.  LW_ERR_CONFLICT: the object was changed
 * since |obj| was read; LW_ERR_INVALID: the name is empty; otherwise as lw_client_create. */
LW_API lw_status lw_client_update(lw_client *client, lw_gvr gvr, const lw_object *obj,
                                  const char *subresource, lw_object **out, lw_error *err);

typedef enum lw_patch_type {
    LW_PATCH_MERGE,     /* application/merge-patch+json */
    LW_PATCH_JSON,      /* application/json-patch+json */
    LW_PATCH_STRATEGIC, /* application/strategic-merge-patch+json */
} lw_patch_type;

/* Patches one object with the |len| bytes of |patch|.  LW_ERR_UNSUPPORTED: the server does not
 * support this type of patch. */
LW_API lw_status lw_client_patch(lw_client *client, lw_gvr gvr, const char *ns, const char *name,
                                 const char *subresource, lw_patch_type type, const char *patch,
                                 size_t len, lw_object **out, lw_error *err);

typedef struct lw_apply_options {
    const char
        *field_manager; /* name of the field manager; NULL: the user agent up to the first "/" */
    bool force;         /* take over fields that other managers have set to different values */
    bool dry_run;       /* validate only; nothing is stored */
    const char *field_validation; /* for unknown fields: "Ignore", "Warn", "Strict"; NULL: Warn */
    const char *subresource;      /* "status", "scale"; NULL: the object itself */
} lw_apply_options;

#define LW_APPLY_OPTIONS_INIT                                                                      \
    {                                                                                              \
        NULL, false, false, NULL, NULL                                                             \
    }

/* Server-side apply: creates the object |name|, or updates it to the |len| bytes of |configuration|
 * (JSON or YAML, with apiVersion and kind).  The configuration contains exactly the fields that
 * this manager wants to own: fields that it applied before and that are missing now are removed,
 * unless another manager owns them too.  NULL |options| means the defaults.  LW_ERR_CONFLICT: other
 * managers have set some of the fields to different values; the message names them and the fields.
 * Then either remove these fields from |configuration|, or set |force|; a controller that owns its
 * fields always sets |force|. */
LW_API lw_status lw_client_apply(lw_client *client, lw_gvr gvr, const char *ns, const char *name,
                                 const char *configuration, size_t len,
                                 const lw_apply_options *options, lw_object **out, lw_error *err);

typedef struct lw_delete_options {
    int64_t grace_period_s; /* -1: the default of the object */
    const char
        *propagation; /* "Background", "Foreground", "Orphan"; NULL: the default of the server */
    const char *uid;  /* delete only if the uid is this one; NULL: any */
    const char *resource_version; /* delete only this version; NULL: any */
} lw_delete_options;

#define LW_DELETE_OPTIONS_INIT                                                                     \
    {                                                                                              \
        -1, NULL, NULL, NULL                                                                       \
    }

/* Deletes one object; NULL |options| means the defaults.  With finalizers or a grace period, the
 * object exists for some time after the call.  LW_ERR_NOT_FOUND; LW_ERR_CONFLICT: the uid or the
 * version is different. */
LW_API lw_status lw_client_delete(lw_client *client, lw_gvr gvr, const char *ns, const char *name,
                                  const lw_delete_options *options, lw_error *err);

/* Receives bytes of a response; a negative status ends the download. */
typedef lw_status (*lw_bytes_fn)(const char *bytes, size_t len, void *arg);

/* Gets |path|, whatever the server serves there, and calls |on_bytes| with the response as it
 * arrives; nothing is kept.  If it fails after some bytes have arrived, they are incomplete.
 * LW_ERR_NOT_FOUND, LW_ERR_FORBIDDEN ...; LW_ERR_IO: |on_bytes| has failed. */
LW_API lw_status lw_client_download(lw_client *client, const char *path, lw_bytes_fn on_bytes,
                                    void *arg, lw_error *err);

/* Shows |report|, which lw_factory_report has written, on the web page of a listwatch server.  Call
 * it every few seconds.  LW_ERR_NOT_FOUND, LW_ERR_FORBIDDEN: the server has no such page, or the
 * caller is not authorized. */
LW_API lw_status lw_client_show_informers(lw_client *client, const char *report, lw_error *err);

LW_END_DECLS

#endif
