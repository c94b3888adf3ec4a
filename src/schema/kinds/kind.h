/* SPDX-License-Identifier: Apache-2.0 */
/* kind.h -- the table entry of a kind.
 *
 * Discovery, routing, tables, field selectors, write rules and the location in the store are read
 * from it.  tools/fields.py generates the entries of built-in kinds from src/schema/fields/
 * (docs/internals/fields.md); entries of custom resources are made at run time (definition.h). */
#ifndef LW_SCHEMA_KINDS_KIND_H
#define LW_SCHEMA_KINDS_KIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <listwatch/field_selector.h>
#include <listwatch/gvk.h>
#include <listwatch/object.h>
#include <listwatch/str.h>

#include "base/buf.h"
#include "schema/printers/table_column.h"

/* What may be done with a resource; in the order of their names, as discovery lists them. */
enum {
    LW_VERB_CREATE = 1 << 0,
    LW_VERB_DELETE = 1 << 1,
    LW_VERB_DELETE_COLLECTION = 1 << 2,
    LW_VERB_GET = 1 << 3,
    LW_VERB_LIST = 1 << 4,
    LW_VERB_PATCH = 1 << 5,
    LW_VERB_UPDATE = 1 << 6,
    LW_VERB_WATCH = 1 << 7,
    LW_VERB_ALL = (1 << 8) - 1,
    LW_VERBS_OF_OBJECT = LW_VERB_DELETE | LW_VERB_GET | LW_VERB_PATCH | LW_VERB_UPDATE,
};

/* "create"; of one LW_VERB_ bit. */
lw_str lw_verb_name(unsigned verb);

enum {
    LW_KIND_EVENT_TTL_S = 3600, /* of events, as kube-apiserver keeps them */
    /* Priorities of custom resources in discovery, as in kube-apiserver. */
    LW_KIND_CUSTOM_GROUP_PRIORITY = 1000,
    LW_KIND_CUSTOM_VERSION_PRIORITY = 100,
};

/* What hangs below an object. */
enum {
    LW_SUB_STATUS = 1 << 0,
    LW_SUB_SCALE = 1 << 1,
    LW_SUB_FINALIZE = 1 << 2,            /* of namespaces */
    LW_SUB_BINDING = 1 << 3,             /* of pods */
    LW_SUB_EVICTION = 1 << 4,            /* of pods */
    LW_SUB_TOKEN = 1 << 5,               /* of service accounts */
    LW_SUB_APPROVAL = 1 << 6,            /* of certificate signing requests */
    LW_SUB_EPHEMERALCONTAINERS = 1 << 7, /* of pods */
    LW_SUB_RESIZE = 1 << 8,              /* of pods: the resources of containers */
    LW_SUB_ATTACH = 1 << 9,              /* of pods, as the next three */
    LW_SUB_EXEC = 1 << 10,
    LW_SUB_LOG = 1 << 11,
    LW_SUB_PORTFORWARD = 1 << 12,
    LW_SUB_NODE_PROXY = 1 << 13,
    LW_SUB_POD_PROXY = 1 << 14,
    LW_SUB_SERVICE_PROXY = 1 << 15,
    /* Those that are passed on to other servers: nothing of them is stored. */
    LW_SUBS_CONNECTED = LW_SUB_ATTACH | LW_SUB_EXEC | LW_SUB_LOG | LW_SUB_PORTFORWARD |
                        LW_SUB_NODE_PROXY | LW_SUB_POD_PROXY | LW_SUB_SERVICE_PROXY,
};

/* How the server treats writes. */
enum {
    LW_KIND_GENERATION = 1 << 0,            /* metadata.generation counts the changes of all but
                                               metadata and status */
    LW_KIND_CONDITIONAL = 1 << 1,           /* an update must name its resourceVersion */
    LW_KIND_CREATE_ON_UPDATE = 1 << 2,      /* PUT may create */
    LW_KIND_DELETE_RETURNS = 1 << 3,        /* DELETE answers with the object, not with a Status */
    LW_KIND_GRACEFUL = 1 << 4,              /* deletion waits for its grace period (pods) */
    LW_KIND_CUSTOM = 1 << 5,                /* from a CustomResourceDefinition */
    LW_KIND_ANNOTATION_GENERATION = 1 << 6, /* annotations count as spec (deployments) */
    LW_KIND_ORPHAN_DEPENDENTS = 1 << 7,     /* DELETE orphans the dependents by default */
    LW_KIND_NO_DEPENDENTS = 1 << 8,         /* nothing can be owned by the object (events) */
};

/* What a name must look like. */
typedef enum lw_name_rule {
    LW_NAME_SUBDOMAIN, /* example.com */
    LW_NAME_LABEL,     /* my-name */
    LW_NAME_PATH,      /* anything that fits in a path segment (rbac) */
} lw_name_rule;

/* A field that field selectors may name. */
typedef struct lw_field_label {
    lw_str label;         /* "spec.nodeName" */
    const char *pointer;  /* "/spec/nodeName"; NULL: the label with '/' for '.' */
    const char *other;    /* where to look when the first is absent or empty; NULL: nowhere */
    const char *fallback; /* what an absent field counts as; NULL: "" */
} lw_field_label;

/* Where the scale subresource finds its numbers; JSON Pointers. */
typedef struct lw_scale_paths {
    const char *replicas;        /* "/spec/replicas" */
    const char *status_replicas; /* "/status/replicas" */
    const char *selector;        /* "/spec/selector": a LabelSelector, or a map of labels */
} lw_scale_paths;

struct lw_custom;

typedef struct lw_conversion lw_conversion; /* conversion.h */
typedef struct lw_kind lw_kind;
struct lw_kind {
    lw_str group; /* empty: core */
    lw_str version;
    int group_priority, version_priority; /* in discovery, as in APIServices */
    lw_str kind;
    lw_str list_kind; /* "PodList"; empty: there are no lists of it */
    lw_str plural;
    lw_str singular;
    lw_str storage; /* below /registry/, without slashes around it: "pods", "services/specs";
                       empty: its objects are answered (api/review/review.h), and not kept */
    int64_t ttl_s;  /* its objects go by themselves after so long, where the store can; 0: never */
    bool is_namespaced;
    unsigned verbs;        /* LW_VERB_ */
    unsigned subresources; /* LW_SUB_ */
    unsigned flags;        /* LW_KIND_ */
    lw_name_rule name_rule;
    const lw_str *short_names;    /* ends with an empty one; NULL: none */
    const lw_str *categories;     /* ends with an empty one; NULL: none */
    const lw_field_label *fields; /* beside metadata.name and metadata.namespace; ends with an empty
                                     label; NULL: none */
    const lw_table_column *columns; /* ends with an empty name; NULL: Name and Created At */
    const lw_scale_paths *scale;    /* with LW_SUB_SCALE */
    lw_str empty_members;           /* ",\"spec\":{},\"status\":{}": what an object of this kind has
                                       behind its metadata when nothing was said; may be empty */
    lw_str storage_version;         /* what objects are stored as; empty: |version| */
    const struct lw_custom *custom; /* definition.h: with LW_KIND_CUSTOM; NULL: built in */
    const lw_kind *stored_as;       /* the built-in kind whose objects it shows; NULL: its own */
    const lw_conversion *conversion; /* with stored_as */
};

/* The kind that the objects of |kind| are stored as: another one, or itself. */
const lw_kind *lw_kind_stored(const lw_kind *kind);

/* Group, version and kind, or resource, of |kind|. */
lw_gvk lw_kind_gvk(const lw_kind *kind);
lw_gvr lw_kind_gvr(const lw_kind *kind);

/* "example.com/v1": what the apiVersion of a stored object of |kind| is. */
void lw_kind_append_storage_version(const lw_kind *kind, lw_buf *out);

/* True when |kind| shows the stored |obj| as it is; false: it is stored in another version. */
bool lw_kind_shows_as_stored(const lw_kind *kind, const lw_object *obj);

/* The same for an object whose JSON begins with the apiVersion of |kind|, or whose kind is built
 * in: its JSON is not read. */
bool lw_kind_shows_json_as_stored(const lw_kind *kind, const lw_object *obj);

/* Appends |obj| as |kind| shows it: converted if it is stored in another version. */
void lw_kind_append_object(const lw_kind *kind, const lw_object *obj, lw_buf *out);

/* The built-in kinds in the order discovery shows them: core, then groups as kube-apiserver orders
 * them, resources by name. */
const lw_kind *const *lw_kinds_builtin(size_t *count);

/* The label |field| as |kind| knows it; false: it cannot be selected by. */
bool lw_kind_find_field(const lw_kind *kind, lw_str field, lw_field_label *out);

/* Whether |obj| satisfies |fields|, read as |kind| (an lw_kind) says; made for lw_cache_filter. */
bool lw_kind_fields_match(const lw_field_selector *fields, const lw_object *obj, const void *kind);

/* The same for any field: one that |kind| does not know is read as a path, "spec.replicas". */
bool lw_kind_any_fields_match(const lw_field_selector *fields, const lw_object *obj,
                              const void *kind);

/* Appends the object as it is when only its resourceVersion matters, what a bookmark carries:
 * {"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"97"},...}.  |annotations| is JSON
 * or empty. */
void lw_kind_write_empty(const lw_kind *kind, uint64_t rv, lw_str annotations, lw_buf *out);

#endif
