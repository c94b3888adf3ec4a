/* SPDX-License-Identifier: Apache-2.0 */
/* rollout.c -- `listwatch rollout status`: waits until an update of a workload is complete. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <listwatch.h>

#include "commands.h"
#include "connection.h"
#include "message.h"
#include "output.h"
#include "targets.h"
#include "until.h"

static const char usage[] =
    "usage: listwatch rollout status RESOURCE/NAME [options]\n"
    "\n"
    "Waits until an update of a deployment, daemon set or stateful set is complete, and prints "
    "its\n"
    "progress.\n"
    "\n"
    "      --timeout TIME        give up after this time, e.g. 90s or 5m (default never)\n" //
    ARGUMENTS_NAMESPACE_USAGE ARGUMENTS_SERVER_USAGE;

enum {
    LINE_SIZE = 1024,
};

typedef struct rollout {
    char line[LINE_SIZE]; /* the last line that was printed */
} rollout;

static int64_t number(const lw_object *obj, const char *pointer, int64_t fallback)
{
    return lw_object_int(obj, pointer, fallback);
}

static bool is_observed(const lw_object *obj)
{
    return number(obj, "/status/observedGeneration", 0) >= number(obj, "/metadata/generation", 0);
}

/* Prints a line, unless it is the same as the last one. */
static until_verdict say(rollout *r, until_verdict verdict, const char *line)
{
    if (strcmp(line, r->line) != 0) {
        puts(line);
        (void)output_push();
        (void)snprintf(r->line, sizeof(r->line), "%s", line);
    }
    return verdict;
}

/* The controller gives up after progressDeadlineSeconds. */
static bool has_exceeded_deadline(const lw_object *obj)
{
    for (size_t i = 0;; i++) {
        char type[64], reason[64];
        (void)snprintf(type, sizeof(type), "/status/conditions/%zu/type", i);
        (void)snprintf(reason, sizeof(reason), "/status/conditions/%zu/reason", i);
        const char *name = lw_object_string(obj, type, NULL);
        if (!name)
            return false;
        if (strcmp(name, "Progressing") == 0 &&
            strcmp(lw_object_string(obj, reason, ""), "ProgressDeadlineExceeded") == 0)
            return true;
    }
}

static until_verdict look_at_deployment(const lw_object *obj, rollout *r)
{
    char line[LINE_SIZE];
    const char *name = lw_object_name(obj);
    int64_t wanted = number(obj, "/spec/replicas", 1);
    int64_t all = number(obj, "/status/replicas", 0);
    int64_t updated = number(obj, "/status/updatedReplicas", 0);
    int64_t available = number(obj, "/status/availableReplicas", 0);
    if (!is_observed(obj))
        return say(r, UNTIL_NOT_YET, "Waiting for deployment spec update to be observed...");
    if (has_exceeded_deadline(obj)) {
        message("deployment \"%s\" exceeded its progress deadline", name);
        return UNTIL_FAILED;
    }
    if (updated < wanted)
        (void)snprintf(line, sizeof(line),
                       "Waiting for deployment \"%s\" rollout to finish: %" PRId64
                       " out of %" PRId64 " new replicas have been updated...",
                       name, updated, wanted);
    else if (all > updated)
        (void)snprintf(line, sizeof(line),
                       "Waiting for deployment \"%s\" rollout to finish: %" PRId64
                       " old replicas are pending termination...",
                       name, all - updated);
    else if (available < updated)
        (void)snprintf(line, sizeof(line),
                       "Waiting for deployment \"%s\" rollout to finish: %" PRId64 " of %" PRId64
                       " updated replicas are available...",
                       name, available, updated);
    else
        (void)snprintf(line, sizeof(line), "deployment \"%s\" successfully rolled out", name);
    bool is_done = updated >= wanted && all <= updated && available >= updated;
    return say(r, is_done ? UNTIL_DONE : UNTIL_NOT_YET, line);
}

static until_verdict look_at_daemon_set(const lw_object *obj, rollout *r)
{
    char line[LINE_SIZE];
    const char *name = lw_object_name(obj);
    int64_t wanted = number(obj, "/status/desiredNumberScheduled", 0);
    int64_t updated = number(obj, "/status/updatedNumberScheduled", 0);
    int64_t available = number(obj, "/status/numberAvailable", 0);
    if (!is_observed(obj))
        return say(r, UNTIL_NOT_YET, "Waiting for daemon set spec update to be observed...");
    if (updated < wanted)
        (void)snprintf(line, sizeof(line),
                       "Waiting for daemon set \"%s\" rollout to finish: %" PRId64
                       " out of %" PRId64 " new pods have been updated...",
                       name, updated, wanted);
    else if (available < wanted)
        (void)snprintf(line, sizeof(line),
                       "Waiting for daemon set \"%s\" rollout to finish: %" PRId64 " of %" PRId64
                       " updated pods are available...",
                       name, available, wanted);
    else
        (void)snprintf(line, sizeof(line), "daemon set \"%s\" successfully rolled out", name);
    return say(r, updated >= wanted && available >= wanted ? UNTIL_DONE : UNTIL_NOT_YET, line);
}

static until_verdict look_at_stateful_set(const lw_object *obj, rollout *r)
{
    char line[LINE_SIZE];
    int64_t wanted = number(obj, "/spec/replicas", 1);
    int64_t ready = number(obj, "/status/readyReplicas", 0);
    const char *now = lw_object_string(obj, "/status/currentRevision", "");
    const char *next = lw_object_string(obj, "/status/updateRevision", "");
    if (!is_observed(obj))
        return say(r, UNTIL_NOT_YET, "Waiting for statefulset spec update to be observed...");
    if (ready < wanted) {
        (void)snprintf(line, sizeof(line), "Waiting for %" PRId64 " pods to be ready...",
                       wanted - ready);
        return say(r, UNTIL_NOT_YET, line);
    }
    if (strcmp(now, next) != 0) {
        (void)snprintf(line, sizeof(line),
                       "waiting for statefulset rolling update to complete %" PRId64
                       " pods at revision %s...",
                       number(obj, "/status/updatedReplicas", 0), next);
        return say(r, UNTIL_NOT_YET, line);
    }
    (void)snprintf(line, sizeof(line),
                   "statefulset rolling update complete %" PRId64 " pods at revision %s...",
                   number(obj, "/status/currentReplicas", 0), now);
    return say(r, UNTIL_DONE, line);
}

static until_verdict look(const lw_object *obj, void *arg)
{
    const char *kind = obj ? lw_object_kind(obj) : "";
    if (!obj) {
        message("the object does not exist");
        return UNTIL_FAILED;
    }
    if (strcmp(kind, "DaemonSet") == 0)
        return look_at_daemon_set(obj, arg);
    return (strcmp(kind, "StatefulSet") == 0 ? look_at_stateful_set : look_at_deployment)(obj, arg);
}

static bool has_rollouts(const lw_resource *resource)
{
    static const char *const kinds[] = { "Deployment", "DaemonSet", "StatefulSet" };
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (lw_str_equal(resource->kind, lw_str_of(kinds[i])))
            return true;
    }
    return false;
}

static int status(connection *conn)
{
    const arguments *args = conn->args;
    rollout r = { .line = "" };
    target t;
    lw_error err = LW_ERROR_INIT;
    int64_t deadline_ms = args->timeout_s < 0 ? -1 : until_now_ms() + args->timeout_s * 1000;
    int code = targets_find_one(&t, conn, args->words + 1, args->word_count - 1, true);
    if (code != EXIT_OK)
        return code;
    if (!has_rollouts(&t.resource))
        return arguments_refuse(args, args->words[1],
                                "specify a deployment, a daemon set or a stateful set");
    lw_object *obj = NULL;
    lw_status st = lw_client_get(conn->client, t.resource.gvr, t.ns, t.name, NULL, &obj, &err);
    lw_object_unref(obj);
    if (st == LW_OK)
        st = until(conn, &t, deadline_ms, look, &r, &err);
    if (st == LW_ERR_TIMEOUT && !err.message[0])
        message("timed out waiting for the rollout of %s", t.name);
    else if (st < 0 && st != LW_ERR_STOPPED)
        connection_complain(conn, st, &err);
    return output_flush() && st == LW_OK ? EXIT_OK : EXIT_FAILED;
}

int command_rollout(int argc, char **argv)
{
    arguments args = { .output = { .format = OUTPUT_NAME } };
    connection conn;
    bool is_over = false;
    int code = arguments_parse(&args, argc, argv, COMMAND_ROLLOUT, usage, &is_over);
    if (is_over)
        return code;
    if (args.word_count == 0 || strcmp(args.words[0], "status") != 0)
        return arguments_refuse(&args, args.word_count == 0 ? "rollout" : args.words[0],
                                "use listwatch rollout status RESOURCE/NAME");
    if (args.word_count < 2)
        return arguments_refuse(&args, "rollout status", "specify RESOURCE/NAME");
    if (!connection_open(&conn, &args))
        return EXIT_FAILED;
    code = status(&conn);
    connection_close(&conn);
    return code;
}
