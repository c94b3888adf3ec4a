/* SPDX-License-Identifier: Apache-2.0 */
/* flow_write.c -- the writes of the keeper of flow control. */
#include "server/flowcontrol/flow_write.h"

#include <string.h>

#include "api/write/change.h"
#include "api/write/write.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "base/text/time_text.h"
#include "json/fields.h"

enum {
    MESSAGE_MAX = 4096,
};

typedef struct flow_write {
    lw_write write; /* must be the first member */
    lw_flow_write_over over;
    void *arg;
    const lw_flow_builtin *builtin; /* NULL: none */
    lw_flow_control *control;       /* of a condition */
    char name[];
} flow_write;

static void write_done(lw_write *write)
{
    flow_write *fw = (flow_write *)(void *)write;
    if (write->outcome == LW_WRITE_REFUSE)
        lw_log(write->port->api->logger, LW_LOG_WARN, "flowcontrol",
               "cannot write the %.*s %s: %.*s", LW_STR_ARG(write->kind->kind), fw->name,
               LW_STR_ARG(lw_api_status_str(&write->status, write->status.message)));
    lw_write_release(write);
    fw->over(fw->arg);
    lw_free(fw);
}

static flow_write *write_new(lw_api_port *port, const lw_kind *kind, lw_str name,
                             lw_flow_write_over over, void *arg)
{
    flow_write *fw = lw_alloc_zero(1, sizeof(*fw) + name.len + 1);
    if (!fw) {
        lw_log(port->api->logger, LW_LOG_ERROR, "flowcontrol",
               "out of memory: cannot write the %.*s %.*s", LW_STR_ARG(kind->kind),
               LW_STR_ARG(name));
        over(arg);
        return NULL;
    }
    memcpy(fw->name, name.ptr, name.len);
    fw->over = over;
    fw->arg = arg;
    fw->write = (lw_write){ .port = port,
                            .kind = kind,
                            .key = { LW_STR(""), lw_str_make(fw->name, name.len) },
                            .done = write_done };
    return fw;
}

/* Creates write->next from |body| or changes the object to it. */
static lw_write_decision store(lw_write *write, const lw_node *body, const char *manager,
                               bool is_status)
{
    const lw_change change = {
        .body = body,
        .subresource = is_status ? LW_SUB_STATUS : 0,
        .manager = { .name = lw_str_of(manager),
                     .subresource = is_status ? LW_STR("status") : LW_STR("") },
    };
    return write->current ? lw_change_update(write, &change) : lw_change_create(write, &change);
}

static lw_write_decision decide_builtin(lw_write *write)
{
    const flow_write *fw = (flow_write *)(void *)write;
    lw_tree *wanted = NULL, *current = NULL;
    lw_write_decision decision = LW_WRITE_KEEP;
    lw_status st = lw_tree_parse(&wanted, fw->builtin->json, 0, NULL);
    if (st == LW_OK && write->current)
        st = lw_tree_parse(&current, lw_object_json(write->current), 0, NULL);
    if (st == LW_OK && !write->current)
        decision = store(write, lw_tree_root(wanted), LW_FLOW_PRODUCER, false);
    else if (st == LW_OK && lw_flow_builtin_revise(fw->builtin, lw_tree_root(wanted), current,
                                                   lw_tree_root(current)))
        decision = lw_tree_status(current) == LW_OK
                       ? store(write, lw_tree_root(current), LW_FLOW_PRODUCER, false)
                       : lw_write_fail(write, lw_tree_status(current));
    if (st < 0)
        decision = lw_write_fail(write, st);
    lw_tree_free(current);
    lw_tree_free(wanted);
    return decision;
}

bool lw_flow_builtin_is_due(const lw_flow_builtin *builtin, const lw_object *current)
{
    lw_tree *wanted = NULL, *tree = NULL;
    bool is_due = lw_tree_parse(&wanted, builtin->json, 0, NULL) == LW_OK &&
                  lw_tree_parse(&tree, lw_object_json(current), 0, NULL) == LW_OK &&
                  lw_flow_builtin_revise(builtin, lw_tree_root(wanted), tree, lw_tree_root(tree));
    lw_tree_free(tree);
    lw_tree_free(wanted);
    return is_due;
}

void lw_flow_write_builtin(lw_api_port *port, const lw_flow_builtin *builtin,
                           lw_flow_write_over over, void *arg)
{
    flow_write *fw = write_new(port, builtin->kind, builtin->name, over, arg);
    if (!fw)
        return;
    fw->builtin = builtin;
    fw->write.decide = decide_builtin;
    lw_write_start(&fw->write);
}

/* The condition that a FlowSchema should have. */
typedef struct wanted_condition {
    const char *status, *reason;
    lw_buf message;
} wanted_condition;

static lw_str level_of(const lw_node *schema)
{
    return lw_fields_text_at(schema, "/spec/priorityLevelConfiguration/name");
}

static void want_condition(lw_str level, bool is_found, wanted_condition *out)
{
    out->status = is_found ? "False" : "True";
    out->reason = is_found ? "Found" : "NotFound";
    lw_buf_init(&out->message, MESSAGE_MAX);
    lw_buf_printf(&out->message,
                  "This FlowSchema references the PriorityLevelConfiguration object named \"%.*s\" "
                  "%s",
                  LW_STR_ARG(level), is_found ? "and it exists" : "but there is no such object");
}

static void want_condition_now(lw_flow_control *control, const lw_node *schema,
                               wanted_condition *out)
{
    lw_flow_config *config = lw_flow_control_config_ref(control);
    want_condition(level_of(schema), lw_flow_config_has_level(config, level_of(schema)), out);
    lw_flow_config_unref(config);
}

static lw_node *find_condition(const lw_node *schema)
{
    const lw_node *conditions = lw_fields_find(schema, "/status/conditions");
    for (size_t i = 0; i < lw_node_count(conditions); i++) {
        lw_node *condition = lw_node_at(conditions, i);
        if (lw_str_equal(lw_fields_text(condition, "type"), LW_STR("Dangling")))
            return condition;
    }
    return NULL;
}

static bool has_condition(const lw_node *schema, const wanted_condition *wanted)
{
    const lw_node *condition = find_condition(schema);
    return lw_str_equal(lw_fields_text(condition, "status"), lw_str_of(wanted->status)) &&
           lw_str_equal(lw_fields_text(condition, "reason"), lw_str_of(wanted->reason)) &&
           lw_str_equal(lw_fields_text(condition, "message"), lw_buf_view(&wanted->message));
}

static lw_status set_condition(lw_tree *tree, const wanted_condition *wanted, int64_t wall_ns)
{
    char now[LW_TIME_TEXT_SIZE];
    lw_node *root = lw_tree_root(tree), *condition = find_condition(root);
    if (!condition) {
        lw_node *status = lw_fields_object(tree, root, "status");
        lw_node *conditions = lw_node_get(status, LW_STR("conditions"));
        if (!conditions) {
            conditions = lw_tree_array(tree);
            lw_node_put(tree, status, LW_STR("conditions"), conditions);
        }
        condition = lw_tree_object(tree);
        lw_node_append(tree, conditions, condition);
        lw_fields_set_text(tree, condition, "type", LW_STR("Dangling"));
    }
    lw_status st = lw_time_format(now, lw_time_of_ns(wall_ns));
    if (st < 0)
        return st;
    lw_fields_set_text(tree, condition, "status", lw_str_of(wanted->status));
    lw_fields_set_text(tree, condition, "lastTransitionTime", lw_str_of(now));
    lw_fields_set_text(tree, condition, "reason", lw_str_of(wanted->reason));
    lw_fields_set_text(tree, condition, "message", lw_buf_view(&wanted->message));
    return lw_tree_status(tree);
}

lw_status lw_flow_condition_set(lw_tree *tree, bool is_found, int64_t wall_ns)
{
    wanted_condition wanted;
    want_condition(level_of(lw_tree_root(tree)), is_found, &wanted);
    lw_status st =
        wanted.message.st < 0 ? wanted.message.st : set_condition(tree, &wanted, wall_ns);
    lw_buf_done(&wanted.message);
    return st;
}

static lw_write_decision decide_condition(lw_write *write)
{
    const flow_write *fw = (flow_write *)(void *)write;
    lw_tree *tree = NULL;
    wanted_condition wanted;
    if (!write->current)
        return LW_WRITE_KEEP;
    lw_status st = lw_tree_parse(&tree, lw_object_json(write->current), 0, NULL);
    if (st < 0)
        return lw_write_fail(write, st);
    lw_write_decision decision = LW_WRITE_KEEP;
    want_condition_now(fw->control, lw_tree_root(tree), &wanted);
    if (wanted.message.st == LW_OK && !has_condition(lw_tree_root(tree), &wanted)) {
        st = set_condition(tree, &wanted, lw_clock_wall(write->port->api->clock));
        decision = st == LW_OK ? store(write, lw_tree_root(tree), LW_FLOW_CONSUMER, true)
                               : lw_write_fail(write, st);
    }
    lw_buf_done(&wanted.message);
    lw_tree_free(tree);
    return decision;
}

bool lw_flow_condition_is_due(lw_flow_control *control, lw_str json)
{
    lw_tree *tree = NULL;
    wanted_condition wanted;
    if (lw_tree_parse(&tree, json, 0, NULL) < 0)
        return false;
    want_condition_now(control, lw_tree_root(tree), &wanted);
    bool is_due = !has_condition(lw_tree_root(tree), &wanted);
    lw_buf_done(&wanted.message);
    lw_tree_free(tree);
    return is_due;
}

void lw_flow_write_condition(lw_api_port *port, lw_flow_control *control, lw_str name,
                             lw_flow_write_over over, void *arg)
{
    flow_write *fw = write_new(port, &lw_kind_flowschemas, name, over, arg);
    if (!fw)
        return;
    fw->control = control;
    fw->write.decide = decide_condition;
    lw_write_start(&fw->write);
}

bool lw_flow_is_leftover(const lw_kind *kind, const lw_object *object)
{
    lw_tree *tree = NULL;
    if (lw_flow_builtin_find(kind, lw_str_of(lw_object_name(object))) ||
        lw_tree_parse(&tree, lw_object_json(object), 0, NULL) < 0)
        return false;
    const lw_node *root = lw_tree_root(tree);
    bool is_leftover = lw_flow_is_maintained(root) &&
                       lw_node_count(lw_fields_find(root, "/metadata/finalizers")) == 0;
    lw_tree_free(tree);
    return is_leftover;
}

static lw_write_decision decide_removal(lw_write *write)
{
    return write->current && lw_flow_is_leftover(write->kind, write->current) ? LW_WRITE_DELETE
                                                                              : LW_WRITE_KEEP;
}

void lw_flow_write_removal(lw_api_port *port, const lw_kind *kind, lw_str name,
                           lw_flow_write_over over, void *arg)
{
    flow_write *fw = write_new(port, kind, name, over, arg);
    if (!fw)
        return;
    fw->write.decide = decide_removal;
    lw_write_start(&fw->write);
}
