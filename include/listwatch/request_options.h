/* SPDX-License-Identifier: Apache-2.0 */
/* request_options.h -- the options of the requests of client.h and async.h.
 *
 * Initialise each struct with its _INIT macro, which sets its size, then set members:
 *
 *     lw_apply_options options = LW_APPLY_OPTIONS_INIT;
 *     options.field_manager = "web-controller";
 *     options.force = true;
 *
 * A NULL pointer to options means the defaults.  NULL and empty strings are not sent; strings are
 * only read during the call.  Members are added at the end in later versions; because of the size,
 * programs need not be compiled again. */
#ifndef LISTWATCH_REQUEST_OPTIONS_H
#define LISTWATCH_REQUEST_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <listwatch/api.h>
#include <listwatch/read_options.h>

LW_BEGIN_DECLS

/* Options of a get. */
typedef struct lw_get_options {
    size_t size;
    const char *subresource;      /* "status", "scale"; NULL: the object itself */
    const char *resource_version; /* "0": any version that the server has in its cache */
    bool is_metadata_only;        /* PartialObjectMetadata */
    int timeout_ms;               /* for the whole call; 0: that of the client */
} lw_get_options;

#define LW_GET_OPTIONS_INIT                                                                        \
    {                                                                                              \
        sizeof(lw_get_options), NULL, NULL, false, 0                                               \
    }

/* What to list or watch. */
typedef struct lw_list_options {
    size_t size;
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

#define LW_LIST_OPTIONS_INIT                                                                       \
    {                                                                                              \
        sizeof(lw_list_options), NULL, NULL, NULL, NULL, NULL, 0, NULL, 0, false, false, false,    \
            LW_READ_OPTIONS_INIT,                                                                  \
        {                                                                                          \
            0, 0, 0                                                                                \
        }                                                                                          \
    }

/* Options of a create. */
typedef struct lw_create_options {
    size_t size;
    const char *field_manager;    /* NULL: the server uses the user agent */
    const char *field_validation; /* for unknown fields: "Ignore", "Warn", "Strict"; NULL: Warn */
    bool dry_run;                 /* validate only; nothing is stored */
    int timeout_ms;               /* for the whole call; 0: that of the client */
    const char *ns;               /* NULL: the namespace of the object */
    /* Both: post the object to this subresource of the object |name|, e.g. "binding" or "eviction"
     * of a pod, "token" of a service account.  The response may be a Status. */
    const char *name;
    const char *subresource;
} lw_create_options;

#define LW_CREATE_OPTIONS_INIT                                                                     \
    {                                                                                              \
        sizeof(lw_create_options), NULL, NULL, false, 0, NULL, NULL, NULL                          \
    }

/* Options of an update.  The preconditions are in the object: its uid and resourceVersion. */
typedef struct lw_update_options {
    size_t size;
    const char *subresource;      /* "status", "scale"; NULL: the object itself */
    const char *field_manager;    /* NULL: the server uses the user agent */
    const char *field_validation; /* "Ignore", "Warn", "Strict"; NULL: Warn */
    bool dry_run;                 /* validate only; nothing is stored */
    int timeout_ms;               /* for the whole call; 0: that of the client */
} lw_update_options;

#define LW_UPDATE_OPTIONS_INIT                                                                     \
    {                                                                                              \
        sizeof(lw_update_options), NULL, NULL, NULL, false, 0                                      \
    }

typedef enum lw_patch_type {
    LW_PATCH_MERGE,     /* application/merge-patch+json */
    LW_PATCH_JSON,      /* application/json-patch+json */
    LW_PATCH_STRATEGIC, /* application/strategic-merge-patch+json */
} lw_patch_type;

/* Options of a patch.  A precondition is part of the patch: metadata.resourceVersion or
 * metadata.uid of a merge patch, a "test" of a JSON patch. */
typedef struct lw_patch_options {
    size_t size;
    lw_patch_type type;
    const char *subresource;      /* "status", "scale"; NULL: the object itself */
    const char *field_manager;    /* NULL: the server uses the user agent */
    const char *field_validation; /* "Ignore", "Warn", "Strict"; NULL: Warn */
    bool dry_run;                 /* validate only; nothing is stored */
    int timeout_ms;               /* for the whole call; 0: that of the client */
} lw_patch_options;

#define LW_PATCH_OPTIONS_INIT                                                                      \
    {                                                                                              \
        sizeof(lw_patch_options), LW_PATCH_MERGE, NULL, NULL, NULL, false, 0                       \
    }

/* Options of a server-side apply. */
typedef struct lw_apply_options {
    size_t size;
    const char *field_manager;    /* NULL: the user agent up to the first "/" */
    bool force;                   /* take over fields that other managers have set differently */
    bool dry_run;                 /* validate only; nothing is stored */
    const char *field_validation; /* "Ignore", "Warn", "Strict"; NULL: Warn */
    const char *subresource;      /* "status", "scale"; NULL: the object itself */
    int timeout_ms;               /* for the whole call; 0: that of the client */
} lw_apply_options;

#define LW_APPLY_OPTIONS_INIT                                                                      \
    {                                                                                              \
        sizeof(lw_apply_options), NULL, false, false, NULL, NULL, 0                                \
    }

/* Options of a delete of one object or of a collection. */
typedef struct lw_delete_options {
    size_t size;
    int64_t grace_period_s;       /* -1: the default of the object */
    const char *propagation;      /* "Background", "Foreground", "Orphan"; NULL: of the server */
    const char *uid;              /* delete only if the uid is this one; NULL: any */
    const char *resource_version; /* delete only this version; NULL: any */
    bool dry_run;                 /* validate only; nothing is deleted */
    int timeout_ms;               /* for the whole call; 0: that of the client */
} lw_delete_options;

#define LW_DELETE_OPTIONS_INIT                                                                     \
    {                                                                                              \
        sizeof(lw_delete_options), -1, NULL, NULL, NULL, false, 0                                  \
    }

LW_END_DECLS

#endif
