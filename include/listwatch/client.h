/* SPDX-License-Identifier: Apache-2.0 */
/* client.h -- single requests to an API server: read, list, write, discover.
 *
 * Calls here wait for their answer, or until they are cancelled (lw_client_close; LW_ERR_STOPPED).
 * Any number of threads may use one client at once; connections are kept and shared.  Watching is
 * the informer's work (factory.h), or lw_client_watch below for those who want the bare stream. */
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
    int timeout_s;          /* of one call, lists apart; 0: 60 */
    int keepalive_s;        /* a silent connection is probed after this long ... 0: 30 */
    int keepalive_reply_s;  /* ... and given up after so much more; 0: 15 */
    const char *user_agent; /* NULL: "listwatch/VERSION (linux/ARCH)" */
    const lw_clock *clock;  /* that timeouts and expiring credentials go by; NULL: the system's */
} lw_client_options;

typedef struct lw_client lw_client;

/* A client for |config|, which it takes a reference of; NULL |options|: the defaults.  Nothing is
 * sent yet.  LW_ERR_INVALID (certificates that cannot be used), LW_ERR_NOMEM. */
LW_API lw_status lw_client_new(lw_client **out, lw_config *config, const lw_client_options *options,
                               lw_error *err);

/* Takes a further reference; gives one back.  NULL does nothing.  The last one closes the
 * connections. */
LW_API lw_client *lw_client_ref(lw_client *client);
LW_API void lw_client_unref(lw_client *client);

/* Cancels the calls that wait in any thread, and all later ones: they return LW_ERR_STOPPED.  For
 * good, and without waiting; references stay as they are.  To go on, make another client.
 * Factories of this client go on: stop them with lw_factory_stop.  A credential plugin that runs
 * is not interrupted.
 *
 * Calls from a worker of a reconciler and from handlers need no close: lw_reconciler_stop and
 * lw_factory_stop cancel them, and leave the client to others. */
LW_API void lw_client_close(lw_client *client);

/* The configuration it was made with; lives as long as the client. */
LW_API const lw_config *lw_client_config(const lw_client *client);

/* A resource as the server knows it.  The strings are NUL-terminated and live as long as the
 * client. */
typedef struct lw_resource {
    lw_gvr gvr;
    lw_str kind;
    bool is_namespaced;
} lw_resource;

/* Finds a resource by what a person types: "pods", "po", "deployment", "deployments.apps",
 * "widgets.v1.example.com".  Asks the server once and remembers; asks again for a name it does not
 * know.  LW_ERR_NOT_FOUND: "the server doesn't have a resource type ...". */
LW_API lw_status lw_client_find_resource(lw_client *client, const char *name, lw_resource *out,
                                         lw_error *err);

/* The resource that serves |gvk|, for objects out of manifests. */
LW_API lw_status lw_client_find_kind(lw_client *client, lw_gvk gvk, lw_resource *out,
                                     lw_error *err);

/* One object.  |ns| NULL or "": no namespace. */
LW_API lw_status lw_client_get(lw_client *client, lw_gvr gvr, const char *ns, const char *name,
                               lw_object **out, lw_error *err);

/* What to list or watch.  Empty strings and NULL mean: not said. */
typedef struct lw_list_options {
    const char *ns; /* NULL: all namespaces */
    const char *label_selector;
    const char *field_selector;
    const char *resource_version;
    const char *resource_version_match;
    int64_t limit; /* objects a page; 0: all at once.  lw_client_list reads all pages */
    const char *continue_token;
    int timeout_s; /* of a watch */
    bool allows_bookmarks;
    bool sends_initial_events;
    bool is_metadata_only; /* PartialObjectMetadata */
    lw_read_options read;  /* what to drop or keep of each object while it is read */
} lw_list_options;

/* Lists, page by page, handing each object to |on_object| as it arrives; nothing is kept.  Where a
 * page has expired under way the error is LW_ERR_EXPIRED: list again without a limit.  A negative
 * status of |on_object| ends the list and is returned.  LW_ERR_INVALID: no list came. */
LW_API lw_status lw_client_list(lw_client *client, lw_gvr gvr, const lw_list_options *options,
                                lw_object_fn on_object, void *arg, lw_error *err);

/* The same into a list, with its metadata. */
LW_API lw_status lw_client_list_all(lw_client *client, lw_gvr gvr, const lw_list_options *options,
                                    lw_object_list **out, lw_error *err);

/* Watches until the server ends the stream (LW_OK), |on_event| returns a negative status (which is
 * returned), or something fails.  No reconnecting, no relisting. */
LW_API lw_status lw_client_watch(lw_client *client, lw_gvr gvr, const lw_list_options *options,
                                 lw_watch_event_fn on_event, void *arg, lw_error *err);

/* Writes.  |out| (may be NULL) is the object as the server keeps it now.  |subresource| may be
 * NULL, "status" or "scale".  Errors carry the server's reason and message: LW_ERR_EXISTS,
 * LW_ERR_CONFLICT, LW_ERR_INVALID, LW_ERR_FORBIDDEN ... */
LW_API lw_status lw_client_create(lw_client *client, lw_gvr gvr, const lw_object *obj,
                                  lw_object **out, lw_error *err);

/* Posts |obj| to the |subresource| of the object |name|: a pod's "binding" or "eviction", the
 * "token" of a service account.  |out| (may be NULL) is what the server answers, which may be a
 * Status.  LW_ERR_INVALID: no name or no subresource; else as above. */
LW_API lw_status lw_client_create_subresource(lw_client *client, lw_gvr gvr, const char *ns,
                                              const char *name, const char *subresource,
                                              const lw_object *obj, lw_object **out, lw_error *err);
LW_API lw_status lw_client_update(lw_client *client, lw_gvr gvr, const lw_object *obj,
                                  const char *subresource, lw_object **out, lw_error *err);

typedef enum lw_patch_type {
    LW_PATCH_MERGE,     /* application/merge-patch+json */
    LW_PATCH_JSON,      /* application/json-patch+json */
    LW_PATCH_STRATEGIC, /* application/strategic-merge-patch+json */
} lw_patch_type;

/* Changes one object by the |len| bytes of |patch|.  LW_ERR_UNSUPPORTED: the server does not know
 * this type. */
LW_API lw_status lw_client_patch(lw_client *client, lw_gvr gvr, const char *ns, const char *name,
                                 const char *subresource, lw_patch_type type, const char *patch,
                                 size_t len, lw_object **out, lw_error *err);

typedef struct lw_apply_options {
    const char *field_manager; /* who sets the fields; NULL: the user agent up to its first "/" */
    bool force;                /* take over fields that others have set to something else */
    bool dry_run;              /* check and answer, but keep nothing */
    const char *field_validation; /* of unknown fields: "Ignore", "Warn", "Strict"; NULL: Warn */
    const char *subresource;      /* "status", "scale"; NULL: the object itself */
} lw_apply_options;

#define LW_APPLY_OPTIONS_INIT                                                                      \
    {                                                                                              \
        NULL, false, false, NULL, NULL                                                             \
    }

/* Server-side apply: makes the object |name|, or brings it to the |len| bytes of |configuration|
 * (JSON or YAML, with apiVersion and kind), which name all the fields that this manager wants and
 * no others: those it has named before and does not name now are removed, unless others set them
 * too. NULL |options|: the defaults.  LW_ERR_CONFLICT: other managers have set some of the fields
 * to something else; the message names them and the fields.  Leave such fields out of
 * |configuration| to let others have them, or set |force|; a controller that owns its fields sets
 * it always. */
LW_API lw_status lw_client_apply(lw_client *client, lw_gvr gvr, const char *ns, const char *name,
                                 const char *configuration, size_t len,
                                 const lw_apply_options *options, lw_object **out, lw_error *err);

typedef struct lw_delete_options {
    int64_t grace_period_s;       /* -1: the object's own */
    const char *propagation;      /* "Background", "Foreground", "Orphan"; NULL: the server's */
    const char *uid;              /* only this one; NULL: any */
    const char *resource_version; /* only this version; NULL: any */
} lw_delete_options;

#define LW_DELETE_OPTIONS_INIT                                                                     \
    {                                                                                              \
        -1, NULL, NULL, NULL                                                                       \
    }

/* Deletes one object; NULL |options|: nothing special.  It may live on for a while, with finalizers
 * or a grace period.  LW_ERR_NOT_FOUND, LW_ERR_CONFLICT (not the one that was meant). */
LW_API lw_status lw_client_delete(lw_client *client, lw_gvr gvr, const char *ns, const char *name,
                                  const lw_delete_options *options, lw_error *err);

/* Has |report|, which lw_factory_report has written, on the page of a listwatch server; to be sent
 * every few seconds.  LW_ERR_NOT_FOUND, LW_ERR_FORBIDDEN: the server has no such page, or not for
 * this caller. */
LW_API lw_status lw_client_show_informers(lw_client *client, const char *report, lw_error *err);

LW_END_DECLS

#endif
