/* SPDX-License-Identifier: Apache-2.0 */
/* controllers.c -- starts the controllers and prints their steps. */
#include "controllers.h"

#include <limits.h>
#include <stdio.h>

#include "control/control.h"
#include "descriptors.h"

enum {
    NODE_DESCRIPTORS = 5, /* of a hollow node with a client of its own */
    OTHER_DESCRIPTORS = 200,
};

/* Prints for example "replicaset created Pod default/web-x (replicasets.apps, 1.2 ms)".  Uses one
 * call, so that lines of different threads do not mix. */
static void print_step(const lw_control_step *step, void *arg)
{
    char key[512], cause[128] = "";
    (void)arg;
    (void)lw_key_print(step->key, key, sizeof(key));
    if (step->informer[0])
        (void)snprintf(cause, sizeof(cause), " (%s, %.1f ms)", step->informer,
                       (double)step->after_ns / 1e6);
    printf("%-12s %s %s %s%s%s%s\n", step->controller, step->action, step->kind, key,
           step->detail ? " " : "", step->detail ? step->detail : "", cause);
    (void)fflush(stdout);
}

static int whole(int64_t seconds)
{
    return seconds < INT_MAX ? (int)seconds : INT_MAX;
}

/* Makes a client with the credentials of |c| that acts as |user| of |group|. */
static lw_status client_as(const char *user, const char *group, lw_client **out, void *arg,
                           lw_error *err)
{
    lw_config_options options = ((const controllers *)arg)->options;
    const char *const groups[] = { group, NULL };
    lw_config *config = NULL;
    options.impersonate = user;
    options.impersonate_groups = groups;
    lw_status st = lw_config_load(&config, &options, err);
    if (st == LW_OK)
        st = lw_client_new(out, config, NULL, err);
    lw_config_unref(config);
    return st;
}

static lw_status start(controllers *c, lw_client *client, const controllers_choice *choice,
                       bool has_users, const lw_logger *logger, lw_error *err)
{
    const lw_control_options options = {
        .client = client,
        .client_as = has_users ? client_as : NULL,
        .client_arg = c,
        .nodes = choice->nodes,
        .node_prefix = choice->node_prefix,
        .node_grace_s = whole(choice->node_grace_s),
        .pod_eviction_s = whole(choice->pod_eviction_s),
        .root_ca = choice->root_ca,
        .only = choice->only,
        .identity = choice->identity,
        .is_alone = choice->is_alone,
        .shows_informers = choice->shows_informers,
        .lease_s = whole(choice->lease_s),
        .on_step = choice->prints_steps ? print_step : NULL,
        .logger = logger,
    };
    return lw_control_start(&c->control, &options, err);
}

lw_status controllers_start(controllers *c, lw_client *client, const controllers_choice *choice,
                            const lw_logger *logger, lw_error *err)
{
    return start(c, client, choice, false, logger, err);
}

static lw_status check_descriptors(unsigned nodes, lw_error *err)
{
    uint64_t needed = (uint64_t)nodes * NODE_DESCRIPTORS + OTHER_DESCRIPTORS;
    if (needed <= descriptors_limit())
        return LW_OK;
    err->code = LW_ERR_LIMIT;
    (void)snprintf(err->message, sizeof(err->message),
                   "%u hollow nodes need %llu file descriptors; the limit is %llu: raise it "
                   "(ulimit -n), or use fewer nodes",
                   nodes, (unsigned long long)needed, (unsigned long long)descriptors_limit());
    return LW_ERR_LIMIT;
}

lw_status controllers_connect(controllers *c, const lw_config_options *options,
                              const controllers_choice *choice, const lw_logger *logger,
                              lw_error *err)
{
    c->options = *options;
    lw_status st = choice->nodes > 0 ? check_descriptors(choice->nodes, err) : LW_OK;
    if (st < 0)
        return st;
    st = client_as(LW_CONTROL_USER, NULL, &c->client, c, err);
    if (st == LW_OK)
        st = start(c, c->client, choice, true, logger, err);
    if (st < 0)
        controllers_stop(c);
    return st;
}

size_t controllers_report(const controllers *c, char *dst, size_t size)
{
    return c->control ? lw_control_report(c->control, dst, size) : 0;
}

void controllers_stop(controllers *c)
{
    lw_control_stop(c->control);
    lw_client_unref(c->client);
    *c = (controllers){ .control = NULL };
}
