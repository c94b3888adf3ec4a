/* SPDX-License-Identifier: Apache-2.0 */
/* source.h -- where an informer's objects come from: something that can list and watch.
 *
 * For people who write a source.  The API server (client.h) and etcd are two; a test's script is a
 * third.  A provider is driven: it has one descriptor, one timeout and one dispatch, and calls back
 * from dispatch only.  One thread at a time. */
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

/* Which objects an informer is about.  Strings may be NULL or empty. */
typedef struct lw_source_spec {
    const char *resource; /* as a person types it: "pods", "deployments.apps", a prefix of keys */
    const char *ns;       /* all when empty */
    const char *label_selector;
    const char *field_selector;
    bool is_metadata_only;
    lw_read_options read; /* what is dropped or kept of each object while it is read */
} lw_source_spec;

/* One list or watch, as the reflector wants it.  Empty strings are left out of the request. */
typedef struct lw_source_request {
    const char *resource_version;
    const char *resource_version_match;
    const char *continue_token;
    int64_t limit; /* 0: none */
    int timeout_s; /* of a watch */
    bool allows_bookmarks;
    bool sends_initial_events;
} lw_source_request;

/* Where the answer goes.  Called from dispatch, never from within list, watch or cancel, and not
 * after cancel.  Objects and events are borrowed. */
typedef struct lw_source_sink {
    void (*on_object)(const lw_object *obj, void *arg);           /* an item of a list */
    void (*on_list_end)(const lw_list_metadata *list, void *arg); /* the page is complete */
    void (*on_open)(void *arg);                                   /* the watch was accepted */
    void (*on_event)(const lw_watch_event *event, void *arg);
    /* The call is over and gone.  NULL: a watch that the server ended cleanly.  After on_list_end
     * it is not called. */
    void (*on_fail)(const lw_error *err, void *arg);
    void *arg;
} lw_source_sink;

typedef struct lw_source lw_source;
typedef struct lw_source_call lw_source_call;

/* Implemented by a source.  |out| is the caller's until one of the ends above, or cancel. */
typedef struct lw_source_ops {
    lw_status (*list)(lw_source *source, const lw_source_request *request,
                      const lw_source_sink *sink, lw_source_call **out, lw_error *err);
    lw_status (*watch)(lw_source *source, const lw_source_request *request,
                       const lw_source_sink *sink, lw_source_call **out, lw_error *err);
    /* At once; nothing more is called back. */
    void (*cancel)(lw_source *source, lw_source_call *call);
    /* Its calls are over or cancelled. */
    void (*free)(lw_source *source);
} lw_source_ops;

/* The first member of every source. */
struct lw_source {
    const lw_source_ops *ops;
};

typedef struct lw_provider lw_provider;

/* What the objects of a source are.  The strings live as long as the provider. */
typedef struct lw_source_type {
    lw_str group; /* empty for the core group */
    lw_str kind;
    bool is_namespaced;
} lw_source_type;

/* Implemented by whatever drives sources. */
typedef struct lw_provider_ops {
    /* A source for |spec|, which is copied as needed.  Must not wait for a network: a resource that
     * does not exist is the answer of its first list. */
    lw_status (*open)(lw_provider *provider, const lw_source_spec *spec, lw_source **out,
                      lw_error *err);
    int (*fd)(lw_provider *provider);         /* readable when dispatch has something to do */
    int (*timeout_ms)(lw_provider *provider); /* dispatch wants to be called then; -1: never */
    lw_status (*dispatch)(lw_provider *provider, lw_error *err);
    void (*free)(lw_provider *provider);
    /* What the objects of |source| are; false: not known yet.  Must not wait.  May be NULL: it is
     * never known, and lw_reconciler_watch_owned refuses informers of this provider as owners. */
    bool (*type)(lw_provider *provider, const lw_source *source, lw_source_type *out);
} lw_provider_ops;

/* The first member of every provider. */
struct lw_provider {
    const lw_provider_ops *ops;
};

LW_END_DECLS

#endif
