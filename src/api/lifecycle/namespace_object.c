/* SPDX-License-Identifier: Apache-2.0 */
/* namespace_object.c -- creates one object in each namespace, and restores its data. */
#include "api/lifecycle/namespace_object.h"

#include "api/admission/namespaces.h"
#include "api/context/key_scheduler.h"
#include "api/write/change.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/container_of.h"
#include "base/str.h"
#include "schema/kinds/kinds.h"
#include "json/fields.h"

enum {
    NAMESPACES_MAX = 1 << 20,
    RUNNING_MAX = 4, /* at once */
};

#define RETRY_NS LW_NS_PER_S

/* A namespace. */
typedef struct space {
    lw_scheduled_key key; /* first; the name of the namespace */
    lw_write write;       /* while it runs */
    int64_t not_before_ns;
} space;

struct lw_namespace_object {
    lw_api_port *port;
    lw_namespace_object_type type;
    lw_key_scheduler spaces; /* of space */
};

static const lw_namespace_object *object_of(const lw_scheduled_key *key)
{
    return LW_CONTAINER_OF(key->scheduler, const lw_namespace_object, spaces);
}

static bool is_right_text(const lw_namespace_object_type *type, lw_str text)
{
    return lw_str_equal(text, type->data_value) ||
           (type->is_as_good && type->is_as_good(text, type->data_value));
}

/* Returns true if |stored| has the data that it must have. */
static bool is_right(const lw_namespace_object_type *type, const lw_object *stored)
{
    lw_str data;
    if (!type->data_key)
        return true;
    lw_tree *tree = NULL;
    bool has_data = lw_object_raw(stored, "/data", &data) == LW_OK &&
                    lw_tree_parse(&tree, data, 0, NULL) == LW_OK &&
                    lw_node_count(lw_tree_root(tree)) == 1 &&
                    is_right_text(type, lw_fields_text(lw_tree_root(tree), type->data_key));
    lw_tree_free(tree);
    return has_data;
}

/* Makes "data" of |tree| what it must be. */
static void set_data(const lw_namespace_object_type *type, lw_tree *tree)
{
    if (!type->data_key)
        return;
    lw_node *data = lw_tree_object(tree);
    lw_fields_set_text(tree, data, type->data_key, type->data_value);
    lw_node_put(tree, lw_tree_root(tree), LW_STR("data"), data);
}

static lw_write_decision space_decide(lw_write *write)
{
    const lw_namespace_object_type *type =
        &object_of(&LW_CONTAINER_OF(write, space, write)->key)->type;
    lw_namespace_state state;
    lw_tree *tree = NULL;
    if (write->current && is_right(type, write->current))
        return LW_WRITE_KEEP;
    lw_status st = lw_namespace_look(write->port, write->key.ns, &state);
    if (st == LW_OK && state != LW_NAMESPACE_ACTIVE)
        return LW_WRITE_KEEP; /* it takes no new objects */
    if (st == LW_OK)
        st = lw_tree_parse(&tree,
                           write->current ? lw_object_json(write->current) : lw_str_of(type->json),
                           0, NULL);
    if (st < 0)
        return lw_write_fail(write, st);
    set_data(type, tree);
    st = lw_tree_status(tree);
    const lw_change change = { .body = lw_tree_root(tree) };
    lw_write_decision decision = st < 0           ? lw_write_fail(write, st)
                                 : write->current ? lw_change_update(write, &change)
                                                  : lw_change_create(write, &change);
    lw_tree_free(tree);
    return decision;
}

static void space_done(lw_write *write)
{
    space *s = LW_CONTAINER_OF(write, space, write);
    bool has_failed = write->outcome == LW_WRITE_REFUSE;
    lw_write_release(write);
    s->not_before_ns = has_failed ? lw_key_scheduler_now(s->key.scheduler) + RETRY_NS : 0;
    lw_key_scheduler_pass_over(&s->key, has_failed);
}

static void space_start(lw_scheduled_key *key)
{
    space *s = (space *)(void *)key;
    const lw_namespace_object *object = object_of(key);
    s->write = (lw_write){ .port = object->port,
                           .kind = object->type.kind,
                           .key = { key->name, lw_str_of(object->type.name) },
                           .decide = space_decide,
                           .done = space_done };
    lw_write_start(&s->write);
}

static int64_t space_ready_ns(const lw_scheduled_key *key)
{
    return ((const space *)(const void *)key)->not_before_ns;
}

static const lw_key_scheduler_type creation = {
    .entry_size = sizeof(space),
    .keys_max = NAMESPACES_MAX,
    .running_max = RUNNING_MAX,
    .ready_ns = space_ready_ns,
    .start = space_start,
};

lw_status lw_namespace_object_new(lw_namespace_object **out, lw_api_port *port,
                                  const lw_namespace_object_type *type)
{
    lw_namespace_object *object = lw_alloc_zero(1, sizeof(*object));
    if (!object)
        return LW_ERR_NOMEM;
    object->port = port;
    object->type = *type;
    lw_key_scheduler_init(&object->spaces, &creation, port->loop);
    *out = object;
    return LW_OK;
}

/* A namespace that is new here gets the object, unless it has it. */
static lw_status observe_namespace(lw_namespace_object *object, const lw_cache_event *event)
{
    lw_str name = lw_str_of(lw_object_name(event->object)), text;
    bool is_active = event->type != LW_WATCH_DELETED &&
                     lw_object_raw(event->object, "/metadata/deletionTimestamp", &text) < 0;
    lw_scheduled_key *known = lw_key_scheduler_find(&object->spaces, name);
    if (known && !is_active)
        lw_key_scheduler_remove(known);
    if (known || !is_active)
        return LW_OK;
    known = lw_key_scheduler_add(&object->spaces, name);
    if (!known)
        return LW_ERR_NOMEM;
    lw_key_scheduler_want(known);
    return LW_OK;
}

/* Somebody has deleted the object, or may have changed its data. */
static void observe_object(lw_namespace_object *object, const lw_cache_event *event)
{
    lw_key key = lw_object_key(event->object);
    bool is_gone = event->type == LW_WATCH_DELETED;
    if (!lw_str_equal(key.name, lw_str_of(object->type.name)) ||
        (!is_gone && is_right(&object->type, event->object)))
        return;
    lw_scheduled_key *known = lw_key_scheduler_find(&object->spaces, key.ns);
    if (known)
        lw_key_scheduler_want(known);
}

lw_status lw_namespace_object_observe(lw_namespace_object *object, const lw_kind *kind,
                                      const lw_cache_event *event)
{
    if (!object)
        return LW_OK;
    if (kind == &lw_kind_namespaces)
        return observe_namespace(object, event);
    if (kind == object->type.kind)
        observe_object(object, event);
    return LW_OK;
}

void lw_namespace_object_pump(lw_namespace_object *object)
{
    if (object)
        lw_key_scheduler_pump(&object->spaces);
}

void lw_namespace_object_forget(lw_namespace_object *object)
{
    if (object)
        lw_key_scheduler_forget(&object->spaces);
}

void lw_namespace_object_stop(lw_namespace_object *object)
{
    if (object)
        lw_key_scheduler_stop(&object->spaces);
}

void lw_namespace_object_free(lw_namespace_object *object)
{
    if (!object)
        return;
    lw_namespace_object_stop(object);
    lw_key_scheduler_done(&object->spaces);
    lw_free(object);
}
