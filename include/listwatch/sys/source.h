/* SPDX-License-Identifier: Apache-2.0 */
/* source.h -- the interface of a source, which lists and watches the objects of an informer.
 *
 * It is for programs that implement a source.  The API server (client.h) and etcd are two sources;
 * tests have others.  A provider is event-driven: it has one descriptor, one timeout and one
 * dispatch function, and calls back only from dispatch.  Only one thread at a time uses it. */
#ifndef LISTWATCH_SYS_SOURCE_H
#define LISTWATCH_SYS_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include <listwatch/api.h>
#include <listwatch/error.h>
#include <listwatch/object.h>
#include <listwatch/object_list.h>
#include <listwatch/read_options.h>
#include <listwatch/str.h>
#include <listwatch/watch_event.h>

LW_BEGIN_DECLS

/* The objects of an informer.  Strings may be NULL or empty. */
typedef struct lw_source_spec {
    const char *resource; /* as a user types it: "pods", "deployments.apps"; or a key prefix */
    const char *ns;       /* all namespaces if empty */
    const char *label_selector;
    const char *field_selector;
    bool is_metadata_only;
    lw_read_options read; /* what is dropped or kept of each object */
} lw_source_spec;

/* One list or watch request of the reflector.  Empty strings are not sent. */
typedef struct lw_source_request {
    const char *resource_version;
    const char *resource_version_match;
    const char *continue_token;
    int64_t limit; /* 0: no limit */
    int timeout_s; /* timeout of a watch */
    bool allows_bookmarks;
    bool sends_initial_events;
} lw_source_request;

/* The callbacks of a request.  They are called from dispatch, never from list, watch or cancel, and
 * not after cancel.  Objects and events are borrowed. */
typedef struct lw_source_sink {
    void (*on_object)(const lw_object *obj, void *arg); /* an item of a list */
    void (*on_list_end)(const lw_list_metadata *list,
                        void *arg); /* the page is complete: the request has ended */
    void (*on_open)(void *arg);     /* the watch was accepted */
    void (*on_event)(const lw_watch_event *event, void *arg);
    /* The request has ended and is freed.  NULL: the server ended the watch without an error.  It
     * is not called after on_list_end. */
    void (*on_fail)(const lw_error *err, void *arg);
    void *arg;
} lw_source_sink;

typedef struct lw_source lw_source;
typedef struct lw_source_call lw_source_call;

/* The functions of a source.  |out| is valid until one of the ends above, or cancel. */
typedef struct lw_source_ops {
    lw_status (*list)(lw_source *source, const lw_source_request *request,
                      const lw_source_sink *sink, lw_source_call **out, lw_error *err);
    lw_status (*watch)(lw_source *source, const lw_source_request *request,
                       const lw_source_sink *sink, lw_source_call **out, lw_error *err);
    /* Cancels the request at once; no callback is called any more. */
    void (*cancel)(lw_source *source, lw_source_call *call);
    /* Frees the source; all its requests have ended or are cancelled. */
    void (*free)(lw_source *source);
} lw_source_ops;

/* The first member of every source. */
struct lw_source {
    const lw_source_ops *ops;
};

typedef struct lw_provider lw_provider;

/* The type of the objects of a source.  The strings are valid as long as the provider. */
typedef struct lw_source_type {
    lw_str group; /* empty for the core group */
    lw_str kind;
    bool is_namespaced;
} lw_source_type;

/* The functions of a provider, which runs sources. */
typedef struct lw_provider_ops {
    /* Makes a source for |spec|, which is copied as needed.  Must not wait for the network: if the
     * resource does not exist, its first list fails. */
    lw_status (*open)(lw_provider *provider, const lw_source_spec *spec, lw_source **out,
                      lw_error *err);
    int (*fd)(lw_provider *provider);         /* readable if dispatch has work to do */
    int (*timeout_ms)(lw_provider *provider); /* time until dispatch must be called; -1: never */
    lw_status (*dispatch)(lw_provider *provider, lw_error *err);
    void (*free)(lw_provider *provider);
    /* Gets the type of the objects of |source|; false: not known yet.  Must not wait.  May be NULL:
     * the type is never known, and lw_reconciler_watch_owned rejects informers of this provider as
     * owners. */
    bool (*type)(lw_provider *provider, const lw_source *source, lw_source_type *out);
    /* Writes a text that distinguishes the server from all others (e.g. its address and its CA) to
     * |dst|, shortened to |size|.  Saved caches of another server are not used.  May be NULL:
     * caches are never saved. */
    lw_status (*identity)(lw_provider *provider, char *dst, size_t size, lw_error *err);
    /* Writes a text that the last response to |source| had and that differs between clusters at the
     * same address (e.g. a uid) to |dst|, shortened to |size|; empty: not known.  A cache that was
     * saved with another one is not used.  Must not wait.  May be NULL: it is never known. */
    void (*cluster)(lw_provider *provider, const lw_source *source, char *dst, size_t size);
} lw_provider_ops;

/* The first member of every provider. */
struct lw_provider {
    const lw_provider_ops *ops;
};

LW_END_DECLS

#endif
