/* SPDX-License-Identifier: Apache-2.0 */
/* control_world.c -- a server and controllers in this process, and waiting for their results. */
#include "support/control_world.h"

#include <stdarg.h>
#include <stdio.h>

#include "unit/test.h"

enum {
    JSON_SIZE = 16384,
    WAIT_S = 60,
};

static size_t print(char json[JSON_SIZE], const char *format, va_list args)
{
    int len = vsnprintf(json, JSON_SIZE, format, args);
    assert_in_range(len, 0, JSON_SIZE - 1);
    for (char *at = json; *at; at++) {
        if (*at == '\'')
            *at = '"';
    }
    return (size_t)len;
}

static lw_gvr gvr_of(control_world *world, const char *resource)
{
    lw_error err = LW_ERROR_INIT;
    lw_resource found;
    if (lw_client_find_resource(world->base.client, resource, &found, &err) < 0)
        fail_msg("%s: %s", resource, err.message);
    return found.gvr;
}

static void open_with(control_world *world, lw_control_options options)
{
    lw_error err = LW_ERROR_INIT;
    *world = (control_world){ .control = NULL };
    client_world_open(&world->base, NULL);
    options.client = world->base.client;
    options.root_ca = CONTROL_WORLD_CA;
    options.is_alone = true;
    if (lw_control_start(&world->control, &options, &err) < 0)
        fail_msg("%s", err.message);
}

void control_world_open(control_world *world, const char *only, unsigned nodes, int grace_s)
{
    open_with(world, (lw_control_options){ .only = only, .nodes = nodes, .node_grace_s = grace_s });
}

void control_world_open_by(control_world *world, const char *only, const lw_clock *clock)
{
    open_with(world, (lw_control_options){ .only = only, .clock = clock });
}

void control_world_close(control_world *world)
{
    lw_control_stop(world->control);
    client_world_close(&world->base);
}

void control_world_create(control_world *world, const char *resource, const char *json, ...)
{
    char text[JSON_SIZE];
    lw_error err = LW_ERROR_INIT;
    lw_object *obj = NULL;
    va_list args;
    va_start(args, json);
    size_t len = print(text, json, args);
    va_end(args);
    if (lw_object_from_json(&obj, text, len, &err) < 0 ||
        lw_client_create(world->base.client, gvr_of(world, resource), obj, NULL, NULL, &err) < 0)
        fail_msg("%s: %s", text, err.message);
    lw_object_unref(obj);
}

static void patch_part(control_world *world, const char *resource, const char *ns, const char *name,
                       const char *subresource, const char *text, size_t len)
{
    lw_error err = LW_ERROR_INIT;
    if (lw_client_patch(world->base.client, gvr_of(world, resource), ns, name,
                        lw_str_make(text, len),
                        &(const lw_patch_options){ .size = sizeof(lw_patch_options),
                                                   .subresource = subresource },
                        NULL, &err) < 0)
        fail_msg("%s %s: %s", name, text, err.message);
}

void control_world_patch(control_world *world, const char *resource, const char *ns,
                         const char *name, const char *patch, ...)
{
    char text[JSON_SIZE];
    va_list args;
    va_start(args, patch);
    size_t len = print(text, patch, args);
    va_end(args);
    patch_part(world, resource, ns, name, NULL, text, len);
}

LW_PRINTF(2, 3) static size_t print_all(char json[JSON_SIZE], const char *format, ...)
{
    va_list args;
    va_start(args, format);
    size_t len = print(json, format, args);
    va_end(args);
    return len;
}

void control_world_patch_status(control_world *world, const char *resource, const char *ns,
                                const char *name, const char *patch)
{
    char text[JSON_SIZE];
    size_t len = print_all(text, "%s", patch);
    patch_part(world, resource, ns, name, "status", text, len);
}

void control_world_delete(control_world *world, const char *resource, const char *ns,
                          const char *name)
{
    lw_error err = LW_ERROR_INIT;
    if (lw_client_delete(world->base.client, gvr_of(world, resource), ns, name, NULL, &err) < 0)
        fail_msg("%s: %s", name, err.message);
}

typedef struct wait {
    control_world_fn is_so;
    const char *arg;
    const char *name;
    lw_object *seen; /* NULL: it does not exist */
    bool is_done;
} wait;

static lw_status on_event(const lw_watch_event *event, void *arg, lw_error *err)
{
    wait *w = arg;
    (void)err;
    if (!event->object || strcmp(lw_object_name(event->object), w->name) != 0)
        return LW_OK;
    lw_object_unref(w->seen);
    w->seen = event->type == LW_WATCH_DELETED ? NULL : lw_object_ref(event->object);
    w->is_done = w->is_so(w->seen, w->arg);
    return w->is_done ? LW_ERR_STOPPED : LW_OK;
}

lw_object *control_world_await(control_world *world, const char *resource, const char *ns,
                               const char *name, control_world_fn is_so, const char *arg)
{
    wait w = { .is_so = is_so, .arg = arg, .name = name };
    lw_error err = LW_ERROR_INIT;
    char revision[32];
    lw_gvr gvr = gvr_of(world, resource);
    lw_object_list *list = NULL;
    lw_list_options options = { .size = sizeof(lw_list_options),
                                .ns = ns && ns[0] ? ns : NULL,
                                .timeout_s = WAIT_S };
    if (lw_client_list_all(world->base.client, gvr, &options, &list, &err) < 0)
        fail_msg("%s: %s", resource, err.message);
    for (size_t i = 0; i < lw_object_list_count(list); i++) {
        if (strcmp(lw_object_name(lw_object_list_at(list, i)), name) == 0)
            w.seen = lw_object_ref(lw_object_list_at(list, i));
    }
    (void)snprintf(revision, sizeof(revision), "%s",
                   lw_object_list_metadata(list)->resource_version);
    lw_object_list_free(list);
    options.resource_version = revision;
    if (!is_so(w.seen, arg))
        (void)lw_client_watch(world->base.client, gvr, &options, on_event, &w, &err);
    else
        w.is_done = true;
    if (!w.is_done)
        fail_msg("%s %s does not meet the condition (%s): %s %s", resource, name, arg ? arg : "",
                 w.seen ? lw_object_json(w.seen).ptr : "gone", err.message);
    return w.seen;
}

bool control_world_exists(const lw_object *obj, const char *arg)
{
    (void)arg;
    return obj != NULL;
}

bool control_world_is_gone(const lw_object *obj, const char *arg)
{
    (void)arg;
    return obj == NULL;
}

bool control_world_has(const lw_object *obj, const char *arg)
{
    char text[1024];
    (void)snprintf(text, sizeof(text), "%s", arg);
    for (char *at = text; *at; at++) {
        if (*at == '\'')
            *at = '"';
    }
    return obj && strstr(lw_object_json(obj).ptr, text);
}

bool control_world_has_not(const lw_object *obj, const char *arg)
{
    return obj && !control_world_has(obj, arg);
}
