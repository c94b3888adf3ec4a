/* SPDX-License-Identifier: Apache-2.0 */
/* wait.c -- waits for the state of one object, with an informer that has only this object.
 *
 * The informer lists, watches and retries; the thread that waits dispatches it, and the manager of
 * the caller if there is one. */
#include <listwatch/wait.h>

#include <poll.h>
#include <stdio.h>
#include <string.h>

#include <listwatch/condition.h>
#include <listwatch/factory.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/options.h"
#include "operator/poll_set.h"

enum {
    TIMEOUT_MS = 30000,
    SELECTOR_SIZE = 512, /* a name has at most 253 bytes */
    BACKOFF_MS = 20,     /* a test waits: try again soon */
    BACKOFF_MAX_MS = 1000,
    QUIET_MS = 1, /* without events, then a manual clock is advanced */
    STEP_MS = 1000,
    SHOWN_MAX = 320, /* bytes of JSON in a message */
};

typedef struct waiting {
    const char *resource, *ns, *name;
    lw_wait_fn is_met;
    void *arg;
    lw_manager *manager;
    lw_manual_clock *clock;
    int64_t step_ns; /* of the clock */
    lw_factory *factory;
    lw_informer *informer;
    int64_t deadline_ns;
    lw_object *seen; /* the last state; NULL: the object does not exist */
    bool has_looked;
    bool is_over; /* the condition is met */
} waiting;

static void look(waiting *w, const lw_object *obj)
{
    if (w->is_over)
        return;
    lw_object *before = w->seen;
    w->seen = obj ? lw_object_ref(obj) : NULL;
    lw_object_unref(before);
    w->has_looked = true;
    w->is_over = w->is_met(obj, w->arg);
}

static void on_event(const lw_event *event, void *arg)
{
    look(arg, event->type == LW_EVENT_DELETE ? NULL : event->object);
}

static lw_status open_informer(waiting *w, lw_client *client, lw_error *err)
{
    char fields[SELECTOR_SIZE];
    const lw_handler handler = { .on_event = on_event, .arg = w };
    const lw_factory_options options = { .size = sizeof(options),
                                         .client = client,
                                         .ns = w->ns,
                                         .field_selector = fields,
                                         .backoff_min_ms = BACKOFF_MS,
                                         .backoff_max_ms = BACKOFF_MAX_MS };
    if (!w->name || !w->name[0])
        return lw_error_set(err, LW_ERR_INVALID, "the name of the object is empty");
    int len = snprintf(fields, sizeof(fields), "metadata.name=%s", w->name);
    if ((size_t)len >= sizeof(fields))
        return lw_error_set(err, LW_ERR_INVALID, "the name of the object is too long");
    lw_status st = lw_factory_new(&w->factory, &options, err);
    if (st == LW_OK)
        st = lw_factory_informer(w->factory, w->resource, &w->informer, err);
    return st < 0 ? st : lw_informer_add_handler(w->informer, &handler, NULL, err);
}

/* The part of an object that says most about it: its status, or all of it. */
static lw_str telling_part(const lw_object *obj)
{
    lw_str part = lw_object_json(obj);
    (void)lw_object_raw(obj, "/status", &part); /* unchanged if there is none */
    return part;
}

/* Makes the message of a timeout: what was seen, or why nothing was. */
static lw_status time_out(const waiting *w, lw_error *err)
{
    char name[SELECTOR_SIZE];
    lw_error why = LW_ERROR_INIT;
    (void)snprintf(name, sizeof(name), "%s %s%s%s", w->resource, w->ns ? w->ns : "",
                   w->ns ? "/" : "", w->name);
    if (lw_informer_last_error(w->informer, &why) < 0)
        return lw_error_set(err, LW_ERR_TIMEOUT, "timed out waiting for %s: %s", name, why.message);
    if (!w->has_looked)
        return lw_error_set(err, LW_ERR_TIMEOUT, "timed out waiting for %s: no answer yet", name);
    if (!w->seen)
        return lw_error_set(err, LW_ERR_TIMEOUT, "timed out waiting for %s: it does not exist",
                            name);
    lw_str part = telling_part(w->seen);
    bool is_cut = part.len > SHOWN_MAX;
    return lw_error_set(err, LW_ERR_TIMEOUT,
                        "timed out waiting for %s; last seen (resourceVersion %s, generation "
                        "%lld): %.*s%s",
                        name, lw_object_resource_version(w->seen),
                        (long long)lw_object_int(w->seen, "/metadata/generation", 0),
                        (int)(is_cut ? SHOWN_MAX : part.len), part.ptr, is_cut ? "..." : "");
}

/* Waits for something to do and does it. */
static lw_status turn(waiting *w, lw_error *err)
{
    struct pollfd fds[2] = { { .fd = lw_factory_fd(w->factory), .events = POLLIN } };
    int ms = lw_timeout_min(lw_factory_timeout_ms(w->factory),
                            lw_timeout_until(w->deadline_ns, lw_clock_now(lw_clock_system())));
    if (w->manager) {
        fds[1] = (struct pollfd){ .fd = lw_manager_fd(w->manager), .events = POLLIN };
        ms = lw_timeout_min(ms, lw_manager_timeout_ms(w->manager));
    }
    if (w->clock)
        ms = lw_timeout_min(ms, QUIET_MS);
    /* An error does not matter: dispatch checks what there is to do. */
    int ready = poll(fds, w->manager ? 2 : 1, ms);
    if (w->clock && ready == 0)
        lw_manual_clock_advance(w->clock, w->step_ns);
    lw_status st = lw_factory_dispatch(w->factory, err);
    if (st == LW_OK && w->manager)
        st = lw_manager_dispatch(w->manager, err);
    return st;
}

/* Returns an error that retries do not cure. */
static lw_status check_errors(const waiting *w, lw_error *err)
{
    lw_error why = LW_ERROR_INIT;
    lw_status st = lw_informer_last_error(w->informer, &why);
    if (st != LW_ERR_FORBIDDEN && st != LW_ERR_UNAUTHORIZED && st != LW_ERR_STOPPED)
        return LW_OK;
    if (err)
        *err = why;
    return st;
}

static lw_status run(waiting *w, lw_error *err)
{
    lw_status st = LW_OK;
    for (;;) {
        if (!w->has_looked && lw_informer_is_synced(w->informer) &&
            lw_lister_count(lw_informer_lister(w->informer)) == 0)
            look(w, NULL);
        if (w->is_over)
            return LW_OK;
        st = check_errors(w, err);
        if (st < 0)
            return st;
        if (lw_clock_now(lw_clock_system()) >= w->deadline_ns)
            return time_out(w, err);
        st = turn(w, err);
        if (st < 0)
            return st;
    }
}

static lw_status wait_for(waiting *w, lw_client *client, const lw_wait_options *given,
                          lw_object **out, lw_error *err)
{
    lw_wait_options options = LW_WAIT_OPTIONS_INIT;
    lw_status st = lw_options_read(&options, sizeof(options), given, "lw_wait_options", err);
    if (st < 0)
        return st;
    int64_t ms = options.timeout_ms != 0 ? options.timeout_ms : TIMEOUT_MS;
    w->deadline_ns = ms < 0 ? INT64_MAX : lw_clock_now(lw_clock_system()) + ms * LW_NS_PER_MS;
    w->manager = options.manager;
    w->clock = options.clock;
    w->step_ns = (options.clock_step_ms > 0 ? options.clock_step_ms : STEP_MS) * LW_NS_PER_MS;
    if (w->ns && !w->ns[0])
        w->ns = NULL;
    st = open_informer(w, client, err);
    if (st == LW_OK)
        st = run(w, err);
    lw_factory_free(w->factory);
    if (st == LW_OK && out)
        *out = w->seen;
    else
        lw_object_unref(w->seen);
    return st;
}

lw_status lw_wait_until(lw_client *client, const char *resource, const char *ns, const char *name,
                        lw_wait_fn is_met, void *arg, const lw_wait_options *options,
                        lw_object **out, lw_error *err)
{
    waiting w = { .resource = resource, .ns = ns, .name = name, .is_met = is_met, .arg = arg };
    return wait_for(&w, client, options, out, err);
}

typedef struct expected {
    const char *what; /* a pointer, or the type of a condition */
    const char *value;
} expected;

static bool has_value(const lw_object *obj, void *arg)
{
    const expected *e = arg;
    lw_str raw;
    if (!obj || lw_object_raw(obj, e->what, &raw) < 0)
        return false;
    if (!e->value)
        return true;
    const char *text = lw_object_string(obj, e->what, NULL);
    return text ? strcmp(text, e->value) == 0
                : raw.len == strlen(e->value) && memcmp(raw.ptr, e->value, raw.len) == 0;
}

lw_status lw_wait_for_value(lw_client *client, const char *resource, const char *ns,
                            const char *name, const char *pointer, const char *value,
                            const lw_wait_options *options, lw_error *err)
{
    expected e = { pointer, value };
    return lw_wait_until(client, resource, ns, name, has_value, &e, options, NULL, err);
}

static bool has_condition(const lw_object *obj, void *arg)
{
    const expected *e = arg;
    lw_condition found;
    if (!obj || !lw_condition_get(obj, e->what, &found))
        return false;
    return strcmp(found.status, e->value) == 0 &&
           (found.observed_generation == 0 ||
            found.observed_generation >= lw_object_int(obj, "/metadata/generation", 0));
}

lw_status lw_wait_for_condition(lw_client *client, const char *resource, const char *ns,
                                const char *name, const char *type, const char *status,
                                const lw_wait_options *options, lw_error *err)
{
    expected e = { type, status };
    return lw_wait_until(client, resource, ns, name, has_condition, &e, options, NULL, err);
}

static bool is_gone(const lw_object *obj, void *arg)
{
    (void)arg;
    return obj == NULL;
}

lw_status lw_wait_until_gone(lw_client *client, const char *resource, const char *ns,
                             const char *name, const lw_wait_options *options, lw_error *err)
{
    return lw_wait_until(client, resource, ns, name, is_gone, NULL, options, NULL, err);
}
