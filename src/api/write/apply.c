/* SPDX-License-Identifier: Apache-2.0 */
/* apply.c -- server-side apply: a configuration merged into what is stored, or made when
 * nothing is, and who manages which fields after it (docs/reference/apply.md). */
#include "api/write/apply.h"

#include "api/admission/namespaces.h"
#include "api/http/body.h"
#include "api/http/failures.h"
#include "api/pending/last_applied.h"
#include "api/pending/managed.h"
#include "api/write/change.h"
#include "api/write/create.h"
#include "api/write/write_call.h"
#include "base/str.h"
#include "object/gvk.h"
#include "schema/kinds/definition.h"
#include "schema/managedfields/field_check.h"
#include "json/fields.h"

enum {
    INTERNAL = 500,
};

/* Everything one decision works with. */
typedef struct application {
    lw_write_call *wc;
    lw_tree *tree; /* of the work */
    lw_tree *current;
    bool is_stored; /* what is stored is |current| to the letter */
    lw_managers managers;
    lw_managed_write mw;
    lw_field_manager manager;
    lw_apply apply;
} application;

static bool refuse_plain(lw_write *write, lw_buf *message)
{
    lw_api_status_init(&write->status);
    write->status.code = INTERNAL;
    lw_api_status_set(&write->status, &write->status.message, lw_buf_view(message));
    if (message->st < 0)
        write->status.st = message->st;
    return false;
}

/* failed to create typed patch object (default/a; /v1, Kind=ConfigMap): |why| */
static bool refuse_config(lw_write *write, lw_gvk gvk, const lw_node *config, const lw_buf *why)
{
    lw_buf message;
    lw_buf_init(&message, LW_API_STATUS_TEXT_MAX);
    lw_buf_append_text(&message, "failed to create typed patch object (");
    lw_buf_append_str(&message, lw_fields_text_at(config, "/metadata/namespace"));
    lw_buf_printf(&message, "/%.*s; %.*s/%.*s, Kind=%.*s): ", LW_STR_ARG(write->key.name),
                  LW_STR_ARG(gvk.group), LW_STR_ARG(gvk.version), LW_STR_ARG(gvk.kind));
    lw_buf_append_str(&message, lw_buf_view(why));
    (void)refuse_plain(write, &message);
    if (why->st < 0)
        write->status.st = why->st;
    lw_buf_done(&message);
    return false;
}

bool lw_apply_check(lw_write *write, lw_tree *tree, const lw_field_write *as, lw_gvk gvk,
                    const lw_node *config)
{
    lw_buf why;
    lw_buf_init(&why, LW_API_STATUS_TEXT_MAX);
    bool is_good =
        lw_field_check(tree, as->type, config, &why) || refuse_config(write, gvk, config, &why);
    lw_buf_done(&why);
    if (!is_good)
        return false;
    if (lw_node_type(lw_fields_find(config, "/metadata/managedFields")) == LW_JSON_NULL)
        return true;
    lw_api_status_bad_request(&write->status, LW_STR("metadata.managedFields must be nil"));
    return false;
}

static bool check_version(application *app, const lw_kind *kind)
{
    lw_buf why;
    lw_buf_init(&why, LW_API_STATUS_TEXT_MAX);
    bool is_good = lw_field_check(app->tree, lw_structural_types_root(kind->custom->types),
                                  app->apply.live, &why) ||
                   refuse_plain(&app->wc->write, &why);
    lw_buf_done(&why);
    return is_good;
}

/* Managers may have written in other versions of a definition.  As in kube-apiserver the object
 * must be valid in each of them; without a conversion webhook only its apiVersion differs, and a
 * field that a version lacks is an error.  False: the write is refused. */
static bool check_versions(application *app)
{
    const lw_kind *kind = app->wc->write.kind;
    if (!kind->custom || !app->apply.live || lw_definition_has_webhook(kind->custom->definition))
        return true;
    for (size_t i = 0; i < app->managers.count; i++) {
        lw_str group, version;
        if (lw_api_version_parse(app->managers.entries[i].api_version, &group, &version, NULL) < 0)
            continue;
        const lw_kind *other = lw_definition_version(kind->custom->definition, version);
        if (other && other != kind && !check_version(app, other))
            return false;
    }
    return true;
}

/* Apply failed with 2 conflicts: conflicts with "a" using v1:\n- .data.x\n- .data.y */
static void append_conflicts(lw_buf *message, const lw_node *conflicts, size_t count)
{
    if (count == 1) {
        const lw_node *only = lw_node_at(conflicts, 0);
        lw_str field = lw_node_text(lw_node_at(lw_node_get(only, LW_STR("fields")), 0));
        lw_buf_append_text(message, "Apply failed with 1 conflict: conflict with ");
        lw_buf_append_str(message, lw_fields_text(only, "manager"));
        lw_buf_append_text(message, ": ");
        lw_buf_append_str(message, field);
        return;
    }
    lw_buf_printf(message, "Apply failed with %zu conflicts: ", count);
    for (size_t i = 0; i < lw_node_count(conflicts); i++) {
        const lw_node *conflict = lw_node_at(conflicts, i);
        const lw_node *fields = lw_node_get(conflict, LW_STR("fields"));
        lw_buf_append_text(message, i > 0 ? "\nconflicts with " : "conflicts with ");
        lw_buf_append_str(message, lw_fields_text(conflict, "manager"));
        lw_buf_append_char(message, ':');
        for (size_t j = 0; j < lw_node_count(fields); j++) {
            lw_buf_append_text(message, "\n- ");
            lw_buf_append_str(message, lw_node_text(lw_node_at(fields, j)));
        }
    }
}

void lw_apply_refuse_conflicts(lw_write *write, const lw_node *conflicts)
{
    lw_api_status *status = &write->status;
    lw_buf message, cause;
    size_t count = 0;
    lw_buf_init(&message, LW_API_STATUS_TEXT_MAX);
    lw_buf_init(&cause, LW_API_STATUS_TEXT_MAX);
    lw_api_status_init(status);
    for (size_t i = 0; i < lw_node_count(conflicts); i++) {
        const lw_node *conflict = lw_node_at(conflicts, i);
        const lw_node *fields = lw_node_get(conflict, LW_STR("fields"));
        lw_buf_truncate(&cause, 0);
        lw_buf_append_text(&cause, "conflict with ");
        lw_buf_append_str(&cause, lw_fields_text(conflict, "manager"));
        count += lw_node_count(fields);
        for (size_t j = 0; j < lw_node_count(fields); j++)
            lw_api_status_add_cause(status, LW_STR("FieldManagerConflict"), lw_buf_view(&cause),
                                    lw_node_text(lw_node_at(fields, j)));
    }
    append_conflicts(&message, conflicts, count);
    lw_api_status_complete_apply_conflict(status, lw_buf_view(&message));
    if (message.st < 0 || cause.st < 0)
        status->st = message.st < 0 ? message.st : cause.st;
    lw_buf_done(&message);
    lw_buf_done(&cause);
}

/* Reads the stored managers.  Mostly none of their sets has to be read. */
static lw_status read_managers(application *app)
{
    const lw_node *stored = lw_fields_find(app->apply.live, "/metadata/managedFields");
    lw_managers *managers = &app->managers;
    lw_status st = LW_ERR_INVALID;
    if (app->is_stored)
        st = lw_managers_read_as_is(managers, stored, NULL);
    if (st == LW_ERR_NOMEM || (st == LW_OK && lw_managers_are_kept(managers)))
        return st;
    managers->count = 0;
    st = lw_managers_read(managers, stored, NULL);
    return st == LW_ERR_INVALID ? LW_OK : st; /* what cannot be read is nothing */
}

/* Reads what is stored; the configuration is the call's. */
static lw_status open_application(application *app)
{
    lw_write *write = &app->wc->write;
    lw_status st = lw_tree_new(&app->tree, 0);
    if (st == LW_OK)
        lw_tree_set_budget(app->tree, write->budget);
    if (st == LW_OK && write->current)
        st = lw_write_read_current(write, &app->current, &app->is_stored);
    if (st < 0)
        return st;
    lw_budget_enter(write->budget, LW_BUDGET_MANAGED_FIELDS);
    lw_managers_init(&app->managers, app->tree);
    app->apply = (lw_apply){ .live = app->current ? lw_tree_root(app->current) : NULL,
                             .config = lw_tree_root(app->wc->body),
                             .is_forced = app->wc->is_forced };
    app->manager = lw_write_call_manager(app->wc);
    app->manager.is_apply = true;
    return read_managers(app);
}

static void close_application(application *app)
{
    lw_managed_write_done(&app->mw);
    lw_managers_done(&app->managers);
    lw_tree_free(app->current);
    lw_tree_free(app->tree);
}

/* Merges; false: the write is refused. */
static bool merge(application *app, lw_node **managed)
{
    lw_write *write = &app->wc->write;
    lw_apply *apply = &app->apply;
    lw_status st = LW_OK;
    if (lw_last_applied_is_followed(&app->manager, apply->live))
        st = lw_last_applied_fields(app->tree, app->mw.write.type, apply->live, &apply->allowed);
    if (st == LW_OK)
        st = lw_managers_apply(&app->managers, &app->mw.write, apply);
    if (st == LW_ERR_CONFLICT) {
        lw_apply_refuse_conflicts(write, apply->conflicts);
        return false;
    }
    if (st == LW_OK && lw_last_applied_is_followed(&app->manager, apply->live))
        st = lw_last_applied_set(app->tree, apply->merged, apply->config);
    if (st == LW_OK)
        st = lw_managers_write(&app->managers, managed);
    if (st < 0)
        (void)lw_write_fail(write, st);
    return st == LW_OK;
}

static lw_write_decision store(application *app, const lw_node *managed)
{
    lw_write *write = &app->wc->write;
    lw_change change = { .body = app->apply.merged,
                         .stored = app->is_stored ? app->current : NULL,
                         .subresource = app->wc->call->route.subresource,
                         .is_patched = write->current,
                         .manager = app->manager,
                         .managed = managed };
    app->wc->is_creation = !write->current;
    if (write->current)
        return lw_change_update(write, &change);
    if (lw_fields_text_at(change.body, "/metadata/uid").len > 0) {
        lw_api_status_conflict(&write->status, lw_kind_gvr(write->kind), write->key.name,
                               LW_STR("uid mismatch: the provided object specifies a uid, and no "
                                      "existing object was found"));
        return LW_WRITE_REFUSE;
    }
    return lw_change_create(write, &change);
}

/* True when there is an object to apply to, or one may be made. */
static bool may_apply(lw_write_call *wc)
{
    lw_write *write = &wc->write;
    if (write->current)
        return true;
    if (wc->call->route.subresource) {
        lw_api_status_not_found(&write->status, lw_kind_gvr(write->kind), write->key.name);
        return false;
    }
    return lw_change_may_create(write) &&
           wc->call->api->write_hooks->admit_kind(wc->call->api, write->kind, &write->status) &&
           lw_namespace_admits(wc->call->port, write->kind, write->key.ns, write->key.name,
                               &write->status);
}

static lw_write_decision apply_decide(lw_write *write)
{
    application app = { .wc = lw_write_call_of(write) };
    lw_write_decision decision = LW_WRITE_REFUSE;
    lw_node *managed = NULL;
    if (!may_apply(app.wc))
        return LW_WRITE_REFUSE;
    lw_status st = open_application(&app);
    if (st == LW_OK)
        st = lw_managed_write_init(&app.mw, app.tree, write->port, write->kind, &app.manager);
    if (st < 0)
        decision = lw_write_fail(write, st);
    else if (lw_apply_check(write, app.tree, &app.mw.write, lw_kind_gvk(write->kind),
                            app.apply.config) &&
             check_versions(&app) && merge(&app, &managed))
        decision = store(&app, managed);
    close_application(&app);
    return decision;
}

void lw_apply_start(lw_api_call *call, lw_gvk gvk, lw_write_decision (*decide)(lw_write *write),
                    void (*done)(lw_write *write))
{
    lw_write_options options;
    lw_api_status status;
    lw_write_call *wc = lw_write_call_new(call);
    if (!wc)
        return;
    if (!lw_write_options_read_apply(&options, &call->query, &status) ||
        !lw_body_read_applied(call, gvk, &wc->body, &status)) {
        lw_write_call_refuse(wc, &status);
        return;
    }
    wc->write.is_dry_run = options.is_dry_run;
    wc->is_forced = options.is_forced;
    lw_write_call_start(wc, decide, done);
}

void lw_rest_apply(lw_api_call *call)
{
    if (call->route.subresource == LW_SUB_SCALE)
        lw_rest_apply_scale(call);
    else
        lw_apply_start(call, lw_kind_gvk(call->route.kind), apply_decide, lw_rest_create_done);
}
