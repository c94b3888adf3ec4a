/* SPDX-License-Identifier: Apache-2.0 */
/* deletion.c -- the decision about a deletion, in the order Kubernetes takes it:
 * there at all? preconditions? namespaces and definitions by themselves; a grace period;
 * finalizers; gone. */
#include "api/write/deletion.h"

#include "api/admission/namespaces.h"
#include "api/context/definitions.h"
#include "api/pending/condition.h"
#include "api/pending/metadata.h"
#include "api/pending/owner_refs.h"
#include "api/pending/pending_object.h"
#include "api/write/ask.h"
#include "base/clock.h"
#include "base/str.h"
#include "base/text/time_text.h"
#include "schema/kinds/registry.h"
#include "json/fields.h"

enum {
    TEXT_MAX = 2048,
};

/* No grace lasts longer (some 68 years): dates must stay dates. */
#define GRACE_MAX_S INT64_C(0x7fffffff)

static bool refuse_precondition(lw_write *write, const char *what, lw_str wanted,
                                const char *stored, const char *then)
{
    lw_gvr kind = { write->kind->group, write->kind->version, write->kind->kind };
    lw_buf why;
    lw_buf_init(&why, TEXT_MAX);
    lw_buf_printf(
        &why,
        "the %s in the precondition (%.*s) does not match the %s in record (%s). The object "
        "might have been %s",
        what, LW_STR_ARG(wanted), what, stored, then);
    lw_api_status_conflict(&write->status, kind, write->key.name, lw_buf_view(&why));
    if (why.st == LW_ERR_NOMEM)
        write->status.st = why.st;
    lw_buf_done(&why);
    return false;
}

bool lw_deletion_meets_preconditions(lw_write *write, const lw_api_delete_options *options)
{
    const char *uid = lw_object_uid(write->current);
    const char *rv = lw_object_resource_version(write->current);
    if (options->uid.len > 0 && !lw_str_equal(options->uid, lw_str_of(uid)))
        return refuse_precondition(write, "UID", options->uid, uid, "deleted and then recreated");
    if (options->resource_version.len > 0 &&
        !lw_str_equal(options->resource_version, lw_str_of(rv)))
        return refuse_precondition(write, "ResourceVersion", options->resource_version, rv,
                                   "modified");
    return true;
}

static bool is_deleting(const lw_pending_object *pending)
{
    return lw_fields_text(pending->metadata, "deletionTimestamp").len > 0;
}

/* What happens to the dependents if the request does not say. */
static lw_propagation propagation_of_kind(const lw_kind *kind)
{
    return kind->flags & LW_KIND_ORPHAN_DEPENDENTS ? LW_PROPAGATION_ORPHAN
                                                   : LW_PROPAGATION_BACKGROUND;
}

static bool has_dependents(const lw_kind *kind)
{
    return !(kind->flags & LW_KIND_NO_DEPENDENTS);
}

static bool has_finalizer(const lw_pending_object *pending, lw_str name)
{
    const lw_node *finalizers = lw_node_get(pending->metadata, LW_STR("finalizers"));
    for (size_t i = 0; i < lw_node_count(finalizers); i++) {
        if (lw_str_equal(lw_node_text(lw_node_at(finalizers, i)), name))
            return true;
    }
    return false;
}

/* Said now, or by a finalizer that is there, or by the kind. */
static lw_propagation propagation_of(const lw_pending_object *pending, lw_propagation said)
{
    if (!has_dependents(pending->kind))
        return LW_PROPAGATION_BACKGROUND;
    if (said != LW_PROPAGATION_DEFAULT)
        return said;
    if (has_finalizer(pending, LW_FINALIZER_ORPHAN))
        return LW_PROPAGATION_ORPHAN;
    if (has_finalizer(pending, LW_FINALIZER_FOREGROUND))
        return LW_PROPAGATION_FOREGROUND;
    return propagation_of_kind(pending->kind);
}

static void drop_collector_finalizers(lw_pending_object *pending)
{
    lw_metadata_drop_finalizer(pending->metadata, LW_FINALIZER_ORPHAN);
    lw_metadata_drop_finalizer(pending->metadata, LW_FINALIZER_FOREGROUND);
}

/* Has the collector (gc.h) do its part before the object goes. */
static void ask_collector(lw_pending_object *pending, lw_propagation said)
{
    lw_propagation propagation = propagation_of(pending, said);
    drop_collector_finalizers(pending);
    if (propagation == LW_PROPAGATION_BACKGROUND)
        return;
    lw_node *finalizers = lw_node_get(pending->metadata, LW_STR("finalizers"));
    if (!lw_node_is(finalizers, LW_JSON_ARRAY)) {
        finalizers = lw_tree_array(pending->tree);
        lw_node_put(pending->tree, pending->metadata, LW_STR("finalizers"), finalizers);
    }
    lw_node_append(pending->tree, finalizers,
                   lw_tree_string(pending->tree, propagation == LW_PROPAGATION_ORPHAN
                                                     ? LW_FINALIZER_ORPHAN
                                                     : LW_FINALIZER_FOREGROUND));
}

static size_t finalizer_count(const lw_pending_object *pending)
{
    return lw_node_count(lw_node_get(pending->metadata, LW_STR("finalizers")));
}

/* Deletion is a change of what is wanted: it counts as a generation. */
static void count_deletion(lw_pending_object *pending)
{
    int64_t generation = lw_fields_int(pending->metadata, "generation", 0);
    if (!is_deleting(pending) && generation > 0)
        lw_fields_set_int(pending->tree, pending->metadata, "generation", generation + 1);
}

static void mark(lw_pending_object *pending, int64_t when_ns, int64_t grace_s)
{
    count_deletion(pending);
    lw_metadata_set_time(pending, pending->metadata, "deletionTimestamp", when_ns);
    lw_fields_set_int(pending->tree, pending->metadata, "deletionGracePeriodSeconds", grace_s);
}

/* What is held by finalizers is marked once; the date stays when it is past. */
static void mark_held(lw_pending_object *pending, int64_t wall_ns)
{
    lw_time date;
    int64_t date_ns;
    lw_str text = lw_fields_text(pending->metadata, "deletionTimestamp");
    bool is_past =
        lw_time_parse(text, &date) && lw_time_to_ns(date, &date_ns) && date_ns <= wall_ns;
    if (is_past)
        lw_fields_set_int(pending->tree, pending->metadata, "deletionGracePeriodSeconds", 0);
    else
        mark(pending, wall_ns, 0);
}

/* How long a pod may take: what is asked for, else what it says itself; nothing when it is not
 * running anywhere. */
static int64_t grace_of(const lw_pending_object *pending, const lw_api_delete_options *options)
{
    int64_t grace = options->grace_s;
    lw_str phase = lw_fields_text_at(pending->root, "/status/phase");
    if (!options->has_grace)
        grace = lw_fields_int(lw_node_get(pending->root, LW_STR("spec")),
                              "terminationGracePeriodSeconds", 0);
    if (lw_fields_text_at(pending->root, "/spec/nodeName").len == 0 ||
        lw_str_equal(phase, LW_STR("Failed")) || lw_str_equal(phase, LW_STR("Succeeded")))
        return 0;
    if (grace < 0)
        return 1;
    return grace < GRACE_MAX_S ? grace : GRACE_MAX_S;
}

typedef enum grace_step {
    GRACE_NONE,    /* nothing to wait for */
    GRACE_PENDING, /* it waits already, as long as it may */
    GRACE_MARKED,  /* it waits from now on, or shorter than before */
} grace_step;

/* A second deletion may only shorten the first one's period. */
static grace_step shorten_grace(lw_pending_object *pending, const lw_api_delete_options *options)
{
    lw_time date;
    int64_t date_ns, grace = lw_fields_int(pending->metadata, "deletionGracePeriodSeconds", -1);
    lw_str text = lw_fields_text(pending->metadata, "deletionTimestamp");
    if (grace <= 0 || grace > GRACE_MAX_S)
        return GRACE_NONE;
    if (!options->has_grace || options->grace_s >= grace)
        return GRACE_PENDING;
    if (!lw_time_parse(text, &date) || !lw_time_to_ns(date, &date_ns))
        return GRACE_NONE;
    mark(pending, date_ns - (grace - options->grace_s) * LW_NS_PER_S, options->grace_s);
    return GRACE_MARKED;
}

static grace_step take_grace(lw_pending_object *pending, const lw_api_delete_options *options,
                             int64_t wall_ns)
{
    if (!(pending->kind->flags & LW_KIND_GRACEFUL))
        return GRACE_NONE;
    if (is_deleting(pending))
        return shorten_grace(pending, options);
    int64_t grace = grace_of(pending, options);
    mark(pending, wall_ns + grace * LW_NS_PER_S, grace);
    return GRACE_MARKED;
}

static lw_write_decision take(lw_write *write, lw_pending_object *pending,
                              lw_write_decision decision)
{
    lw_pending_object_seal(pending);
    if (decision == LW_WRITE_PUT && lw_pending_object_is_unchanged(pending))
        return LW_WRITE_KEEP;
    lw_status st = lw_pending_object_take(pending, true, &write->next);
    return st < 0 ? lw_write_fail(write, st) : decision;
}

static lw_write_decision delete_object(lw_write *write, lw_pending_object *pending,
                                       const lw_api_delete_options *options, int64_t wall_ns)
{
    if (write->has_stored && !is_deleting(pending))
        return LW_WRITE_KEEP; /* another of its name */
    grace_step step = take_grace(pending, options, wall_ns);
    if (step == GRACE_PENDING)
        return LW_WRITE_KEEP;
    ask_collector(pending, options->propagation);
    bool is_held = finalizer_count(pending) > 0;
    if (step == GRACE_NONE && is_held)
        mark_held(pending, wall_ns);
    bool waits = lw_fields_int(pending->metadata, "deletionGracePeriodSeconds", 0) > 0;
    if (is_held || (step == GRACE_MARKED && waits))
        return take(write, pending, LW_WRITE_PUT);
    /* Watchers see that it is deleted before they see it gone. */
    if (step == GRACE_MARKED && !write->is_dry_run)
        return take(write, pending, LW_WRITE_PUT_FIRST);
    return step == GRACE_MARKED ? take(write, pending, LW_WRITE_DELETE) : LW_WRITE_DELETE;
}

/* A namespace is only told to end; it goes when it is empty. */
static lw_write_decision delete_namespace(lw_write *write, lw_pending_object *pending,
                                          int64_t wall_ns)
{
    lw_tree *tree = pending->tree;
    if (is_deleting(pending)) {
        bool is_free = finalizer_count(pending) == 0 &&
                       lw_node_count(lw_fields_find(pending->root, "/spec/finalizers")) == 0;
        return is_free ? LW_WRITE_DELETE : LW_WRITE_KEEP;
    }
    lw_metadata_set_time(pending, pending->metadata, "deletionTimestamp", wall_ns);
    drop_collector_finalizers(pending);
    lw_fields_set_text(tree, lw_fields_object(tree, pending->root, "status"), "phase",
                       LW_STR("Terminating"));
    return take(write, pending, LW_WRITE_PUT);
}

/* True if |definition| is known to have no objects. */
static bool is_empty_definition(const lw_definition *definition)
{
    const lw_cache_filter all = { .ns = LW_STR("") };
    lw_cache_resource *resource = lw_definition_serving(definition);
    lw_cache_list list = { 0 };
    if (!resource || lw_cache_list_now(resource, &all, LW_STR(""), 1, &list, NULL) < 0)
        return false;
    bool is_empty = list.count == 0;
    lw_cache_list_done(&list);
    return is_empty;
}

/* kube-apiserver deletes a collection of definitions at once and leaves their objects behind;
 * here that is done only where there are none. */
static bool goes_with_collection(const lw_write *write, const lw_pending_object *pending,
                                 const lw_api_delete_options *options)
{
    size_t count;
    const lw_kind *const *kinds;
    if (!options->is_collection || finalizer_count(pending) > 0)
        return false;
    kinds =
        lw_registry_kinds(lw_catalog_look(&write->port->api->catalog, &write->port->kinds), &count);
    for (size_t i = 0; i < count; i++) {
        const lw_custom *custom = kinds[i]->custom;
        if (custom && lw_str_equal(lw_definition_name(custom->definition), write->key.name))
            return is_empty_definition(custom->definition);
    }
    return false;
}

/* A definition is held by the server's own finalizer until its objects are gone. */
static lw_write_decision delete_definition(lw_write *write, lw_pending_object *pending,
                                           const lw_api_delete_options *options, int64_t wall_ns)
{
    static const lw_pending_condition terminating = {
        "Terminating", "True", "InstanceDeletionPending",
        LW_STR_INIT("CustomResourceDefinition marked for deletion; CustomResource deletion will "
                    "begin soon")
    };
    lw_tree *tree = pending->tree;
    if (is_deleting(pending))
        return finalizer_count(pending) == 0 ? LW_WRITE_DELETE : LW_WRITE_KEEP;
    drop_collector_finalizers(pending);
    if (goes_with_collection(write, pending, options))
        return LW_WRITE_DELETE;
    lw_node *finalizers = lw_node_get(pending->metadata, LW_STR("finalizers"));
    if (!finalizers) {
        finalizers = lw_tree_array(tree);
        lw_node_put(tree, pending->metadata, LW_STR("finalizers"), finalizers);
    }
    if (!lw_fields_list_has(finalizers, LW_STR(LW_CRD_FINALIZER)))
        lw_node_append(tree, finalizers, lw_tree_string(tree, LW_STR(LW_CRD_FINALIZER)));
    lw_metadata_set_time(pending, pending->metadata, "deletionTimestamp", wall_ns);
    lw_pending_condition_set(pending, &terminating, wall_ns);
    return take(write, pending, LW_WRITE_PUT);
}

/* True when there is nothing to think about: no grace, nobody who holds it. */
static bool goes_at_once(const lw_write *write, const lw_api_delete_options *options,
                         bool is_namespace)
{
    lw_str text;
    lw_propagation propagation = options->propagation == LW_PROPAGATION_DEFAULT
                                     ? propagation_of_kind(write->kind)
                                     : options->propagation;
    return !is_namespace && !lw_kind_is_definition(write->kind) &&
           (propagation == LW_PROPAGATION_BACKGROUND || !has_dependents(write->kind)) &&
           !(write->kind->flags & LW_KIND_GRACEFUL) &&
           lw_object_raw(write->current, "/metadata/finalizers", &text) == LW_ERR_NOT_FOUND;
}

lw_write_decision lw_deletion_decide(lw_write *write, const lw_api_delete_options *options)
{
    const lw_api *api = write->port->api;
    int64_t wall_ns = lw_clock_wall(api->clock);
    bool is_namespace = write->kind == lw_namespace_kind(api);
    lw_pending_object pending = { 0 };
    lw_tree *stored = NULL;
    if (is_namespace && lw_namespace_is_protected(write->key.name)) {
        lw_api_status_forbidden(&write->status, lw_kind_gvr(write->kind), write->key.name,
                                LW_STR("this namespace may not be deleted"));
        return LW_WRITE_REFUSE;
    }
    if (!write->current) {
        lw_api_status_not_found(&write->status, lw_kind_gvr(write->kind), write->key.name);
        return LW_WRITE_REFUSE;
    }
    if (!write->has_stored && !lw_deletion_meets_preconditions(write, options))
        return LW_WRITE_REFUSE;
    lw_ask ask = { .operation = LW_OPERATION_DELETE, .has_old = true, .delete_options = options };
    lw_write_decision asked;
    if (!write->has_stored && !lw_ask_is_admitted(write, &ask, &asked))
        return asked;
    if (goes_at_once(write, options, is_namespace))
        return LW_WRITE_DELETE;
    lw_status st = lw_tree_parse(&stored, lw_object_json(write->current), 0, NULL);
    if (st == LW_OK)
        st = lw_pending_object_open_on(&pending, write->port, write->kind, NULL,
                                       lw_tree_root(stored), lw_tree_root(stored));
    lw_write_decision decision;
    if (st < 0)
        decision = lw_write_fail(write, st);
    else if (is_namespace)
        decision = delete_namespace(write, &pending, wall_ns);
    else if (lw_kind_is_definition(write->kind))
        decision = delete_definition(write, &pending, options, wall_ns);
    else
        decision = delete_object(write, &pending, options, wall_ns);
    lw_pending_object_done(&pending);
    lw_tree_free(stored);
    return decision;
}
