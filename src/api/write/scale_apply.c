/* SPDX-License-Identifier: Apache-2.0 */
/* scale_apply.c -- server-side apply of a scale: it is applied to the object seen as a Scale,
 * and what comes of it, the number and who manages it, goes back into the object. */
#include "api/http/body.h"
#include "api/http/failures.h"
#include "api/pending/pending_object.h"
#include "api/write/apply.h"
#include "api/write/scale.h"
#include "api/write/scale_managers.h"
#include "base/str.h"
#include "object/gvk.h"
#include "json/fields.h"

/* Everything one decision works with. */
typedef struct scaling {
    lw_write_call *wc;
    lw_tree *tree; /* of the work */
    lw_tree *object;
    lw_tree *scale;
    lw_managers object_managers;
    lw_managers managers; /* of the scale */
    lw_field_write write;
    lw_apply apply;
} scaling;

static lw_status read_scale(scaling *s)
{
    lw_write *write = &s->wc->write;
    lw_buf json;
    lw_buf_init(&json, LW_STORE_VALUE_MAX);
    lw_status st = lw_scale_write(write->kind, write->current, &json);
    if (st == LW_OK)
        st = lw_tree_parse(&s->scale, lw_buf_view(&json), 0, NULL);
    lw_buf_done(&json);
    return st;
}

static lw_status read_managers(scaling *s)
{
    const lw_node *root = lw_tree_root(s->object);
    lw_status st = lw_managers_read(&s->object_managers,
                                    lw_fields_find(root, "/metadata/managedFields"), NULL);
    if (st < 0)
        return st == LW_ERR_INVALID ? LW_OK : st; /* what cannot be read is nothing */
    return lw_scale_managers_of(&s->managers, &s->object_managers, s->wc->write.kind);
}

static lw_status open_scaling(scaling *s)
{
    bool is_stored;
    lw_status st = lw_tree_new(&s->tree, 0);
    if (st == LW_OK)
        lw_tree_set_budget(s->tree, s->wc->write.budget);
    if (st == LW_OK)
        st = lw_write_read_current(&s->wc->write, &s->object, &is_stored);
    if (st == LW_OK)
        st = read_scale(s);
    if (st < 0)
        return st;
    lw_managers_init(&s->object_managers, s->tree);
    lw_managers_init(&s->managers, s->tree);
    lw_field_manager manager = lw_write_call_manager(s->wc);
    s->write = (lw_field_write){ .type = lw_type_of_kind(lw_scale_gvk()),
                                 .manager = { .name = manager.name,
                                              .api_version = LW_STR(LW_SCALE_VERSION),
                                              .subresource = manager.subresource,
                                              .is_apply = true } };
    s->apply = (lw_apply){ .live = lw_tree_root(s->scale),
                           .config = lw_tree_root(s->wc->body),
                           .is_forced = s->wc->is_forced };
    return read_managers(s);
}

static void close_scaling(scaling *s)
{
    lw_managers_done(&s->managers);
    lw_managers_done(&s->object_managers);
    lw_tree_free(s->scale);
    lw_tree_free(s->object);
    lw_tree_free(s->tree);
}

/* The managers of the object after the apply. */
static lw_status return_managers(scaling *s, lw_node **managed)
{
    const lw_kind *kind = s->wc->write.kind;
    lw_buf version;
    lw_buf_init(&version, LW_API_STATUS_TEXT_MAX);
    lw_api_version_append(&version, kind->group, kind->version);
    lw_status st = version.st;
    if (st == LW_OK)
        st = lw_scale_managers_return(&s->object_managers, &s->managers, kind,
                                      lw_buf_view(&version));
    if (st == LW_OK)
        st = lw_managers_write(&s->object_managers, managed);
    lw_buf_done(&version);
    return st;
}

/* kube-apiserver cannot convert the Scale of a custom resource for its managers. */
static lw_write_decision refuse_custom(lw_write *write, const lw_node *config)
{
    lw_buf message;
    lw_buf_init(&message, LW_API_STATUS_TEXT_MAX);
    lw_buf_printf(&message,
                  "failed to convert new object (%.*s/%.*s; " LW_SCALE_VERSION
                  ", Kind=Scale) to proper version: request to convert CR to an invalid "
                  "group/version: " LW_SCALE_VERSION,
                  LW_STR_ARG(lw_fields_text_at(config, "/metadata/namespace")),
                  LW_STR_ARG(lw_fields_text_at(config, "/metadata/name")));
    lw_api_status_unclassified(&write->status, &message);
    return LW_WRITE_REFUSE;
}

static lw_write_decision apply_scale(scaling *s)
{
    lw_write *write = &s->wc->write;
    const lw_node *config = s->apply.config;
    lw_node *managed = NULL;
    if (!lw_apply_check(write, s->tree, &s->write, lw_scale_gvk(), config))
        return LW_WRITE_REFUSE;
    lw_status st = lw_managers_apply(&s->managers, &s->write, &s->apply);
    if (st == LW_ERR_CONFLICT) {
        lw_apply_refuse_conflicts(write, s->apply.conflicts);
        return LW_WRITE_REFUSE;
    }
    if (write->kind->flags & LW_KIND_CUSTOM)
        return refuse_custom(write, config);
    if (st == LW_OK)
        st = return_managers(s, &managed);
    return st < 0 ? lw_write_fail(write, st) : lw_scale_change(write, s->apply.merged, managed);
}

static lw_write_decision decide(lw_write *write)
{
    scaling s = { .wc = lw_write_call_of(write) };
    if (!write->current) {
        lw_api_status_not_found(&write->status, lw_kind_gvr(write->kind), write->key.name);
        return LW_WRITE_REFUSE;
    }
    lw_status st = open_scaling(&s);
    lw_write_decision decision = st < 0 ? lw_write_fail(write, st) : apply_scale(&s);
    close_scaling(&s);
    return decision;
}

void lw_rest_apply_scale(lw_api_call *call)
{
    lw_apply_start(call, lw_scale_gvk(), decide, lw_scale_answer);
}
