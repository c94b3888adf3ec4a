/* SPDX-License-Identifier: Apache-2.0 */
/* recorder.c -- a queue of fixed size, one thread that empties it, and two tables of fixed size
 * that only that thread uses: the Events that were written, and how many more an object may have.
 * Both tables are hashed; an entry that is replaced starts again. */
#include "runtime/recorder.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "runtime/hash.h"
#include "runtime/report.h"

enum {
    MESSAGE_SIZE = 1024, /* the limit of API servers */
    REFILL_S = 300,
    NAME_SIZE = 300,
};

/* An Event in the queue. */
typedef struct pending {
    lw_object *object;
    const char *component, *type, *reason; /* static strings */
    int64_t wall_ns;
    char message[MESSAGE_SIZE];
} pending;

/* An Event that was written. */
typedef struct series {
    uint64_t hash; /* of its content; 0: free */
    int64_t count;
    char name[NAME_SIZE];
} series;

/* How many more Events an object may have. */
typedef struct allowance {
    uint64_t hash; /* of component and object; 0: free */
    double tokens;
    int64_t at_ns;
} allowance;

struct lw_recorder {
    lw_client *client;
    const lw_clock *clock;
    const lw_logger *logger;
    pthread_t thread;
    pthread_mutex_t mu;  /* guards the members below, up to is_stopping */
    pthread_cond_t work; /* signalled for new Events, or to stop */
    pending *queue[LW_RECORDER_QUEUE];
    size_t first, count;
    uint64_t dropped;
    bool is_stopping;
    series series[LW_RECORDER_SERIES]; /* used only by the thread */
    allowance allowances[LW_RECORDER_SERIES];
};

static lw_gvr events(void)
{
    return lw_gvr_make("", "v1", "events");
}

static void pending_free(pending *p)
{
    lw_object_unref(p->object);
    free(p);
}

/* Takes one from the allowance of component and object. */
static bool may_write(lw_recorder *r, uint64_t hash)
{
    allowance *a = &r->allowances[hash % LW_RECORDER_SERIES];
    int64_t now = r->clock->now_ns(r->clock->arg);
    if (a->hash != hash)
        *a = (allowance){ hash, LW_RECORDER_BURST, now };
    a->tokens += (double)(now - a->at_ns) / ((double)REFILL_S * (double)LW_NS_PER_S);
    if (a->tokens > LW_RECORDER_BURST)
        a->tokens = LW_RECORDER_BURST;
    a->at_ns = now;
    if (a->tokens < 1)
        return false;
    a->tokens -= 1;
    return true;
}

/* Events of cluster-scoped objects are in "default". */
static const char *event_namespace(const lw_object *object)
{
    return lw_object_namespace(object)[0] ? lw_object_namespace(object) : "default";
}

static void set_about(lw_document *doc, const lw_object *object)
{
    lw_value *about = lw_document_set_object(doc, NULL, "/involvedObject");
    lw_document_set_string(doc, about, "/kind", lw_object_kind(object));
    lw_document_set_string(doc, about, "/apiVersion", lw_object_api_version(object));
    lw_document_set_string(doc, about, "/name", lw_object_name(object));
    lw_document_set_string(doc, about, "/uid", lw_object_uid(object));
    lw_document_set_string(doc, about, "/resourceVersion", lw_object_resource_version(object));
    if (lw_object_namespace(object)[0])
        lw_document_set_string(doc, about, "/namespace", lw_object_namespace(object));
}

static lw_status write_first(lw_recorder *r, const pending *p, const char *name, lw_error *err)
{
    char when[LW_TIME_TEXT_SIZE];
    lw_document *doc = NULL;
    lw_object *event = NULL;
    lw_status st = lw_document_new(&doc, err);
    if (st < 0)
        return st;
    lw_time_format_ns(when, p->wall_ns);
    lw_document_set_string(doc, NULL, "/apiVersion", "v1");
    lw_document_set_string(doc, NULL, "/kind", "Event");
    lw_document_set_string(doc, NULL, "/metadata/name", name);
    lw_document_set_string(doc, NULL, "/metadata/namespace", event_namespace(p->object));
    set_about(doc, p->object);
    lw_document_set_string(doc, NULL, "/reason", p->reason);
    lw_document_set_string(doc, NULL, "/message", p->message);
    lw_document_set_string(doc, NULL, "/type", p->type);
    lw_document_set_string(doc, NULL, "/source/component", p->component);
    lw_document_set_string(doc, NULL, "/firstTimestamp", when);
    lw_document_set_string(doc, NULL, "/lastTimestamp", when);
    lw_document_set_int(doc, NULL, "/count", 1);
    st = lw_document_to_object(doc, &event, err);
    if (st == LW_OK)
        st = lw_client_create(r->client, events(), event, NULL, NULL, err);
    lw_object_unref(event);
    lw_document_free(doc);
    return st;
}

static lw_status count_up(lw_recorder *r, const pending *p, const series *s, lw_error *err)
{
    char when[LW_TIME_TEXT_SIZE];
    lw_document *doc = NULL;
    lw_str patch;
    lw_status st = lw_document_new(&doc, err);
    if (st < 0)
        return st;
    lw_time_format_ns(when, p->wall_ns);
    lw_document_set_int(doc, NULL, "/count", s->count + 1);
    lw_document_set_string(doc, NULL, "/lastTimestamp", when);
    st = lw_document_json(doc, NULL, &patch, err);
    if (st == LW_OK)
        st = lw_client_patch(r->client, events(), event_namespace(p->object), s->name, patch, NULL,
                             NULL, err);
    lw_document_free(doc);
    return st;
}

/* Names Events like client-go: the object, and the time in hexadecimal. */
static void name_event(char name[NAME_SIZE], const pending *p)
{
    (void)snprintf(name, NAME_SIZE, "%.230s.%llx", lw_object_name(p->object),
                   (unsigned long long)p->wall_ns);
}

static lw_status write_pending(lw_recorder *r, const pending *p, lw_error *err)
{
    uint64_t about = lw_hash_add(lw_hash_add(LW_HASH_INIT, lw_str_of(p->component)),
                                 lw_str_of(lw_object_uid(p->object)));
    uint64_t hash =
        lw_hash_add(lw_hash_add(lw_hash_add(about, lw_str_of(p->type)), lw_str_of(p->reason)),
                    lw_str_of(p->message));
    series *s = &r->series[hash % LW_RECORDER_SERIES];
    if (!may_write(r, about))
        return LW_OK;
    if (s->hash == hash) {
        lw_status st = count_up(r, p, s, err);
        s->count += st == LW_OK;
        if (st != LW_ERR_NOT_FOUND)
            return st;
    }
    s->hash = 0;
    name_event(s->name, p);
    lw_status st = write_first(r, p, s->name, err);
    if (st == LW_OK) {
        s->hash = hash;
        s->count = 1;
    }
    return st;
}

/* Waits for the next Event; NULL: stop was requested and the queue is empty. */
static pending *take(lw_recorder *r)
{
    (void)pthread_mutex_lock(&r->mu);
    while (r->count == 0 && !r->is_stopping)
        (void)pthread_cond_wait(&r->work, &r->mu);
    pending *p = r->count > 0 ? r->queue[r->first] : NULL;
    if (p) {
        r->first = (r->first + 1) % LW_RECORDER_QUEUE;
        r->count--;
    }
    (void)pthread_mutex_unlock(&r->mu);
    return p;
}

static bool is_stopping(lw_recorder *r)
{
    (void)pthread_mutex_lock(&r->mu);
    bool is = r->is_stopping;
    (void)pthread_mutex_unlock(&r->mu);
    return is;
}

static void *recorder_run(void *arg)
{
    lw_recorder *r = arg;
    pending *p;
    bool is_given_up = false;
    while ((p = take(r))) {
        lw_error err = LW_ERROR_INIT;
        lw_status st = is_given_up ? LW_OK : write_pending(r, p, &err);
        if (st < 0)
            lw_report_log(r->logger, LW_LOG_DEBUG, "recorder",
                          "cannot record an event about %s: %s", lw_object_name(p->object),
                          err.message);
        is_given_up = is_given_up || (st < 0 && is_stopping(r));
        pending_free(p);
    }
    return NULL;
}

lw_status lw_recorder_new(lw_recorder **out, lw_client *client, const lw_clock *clock,
                          const lw_logger *logger, lw_error *err)
{
    lw_recorder *r = calloc(1, sizeof(*r));
    if (!r)
        return lw_report_nomem(err);
    r->client = client;
    r->clock = clock;
    r->logger = logger;
    (void)pthread_mutex_init(&r->mu, NULL);
    (void)pthread_cond_init(&r->work, NULL);
    if (pthread_create(&r->thread, NULL, recorder_run, r) != 0) {
        (void)pthread_cond_destroy(&r->work);
        (void)pthread_mutex_destroy(&r->mu);
        free(r);
        return lw_report_error(err, LW_ERR_IO, "cannot start the event recorder's thread");
    }
    *out = r;
    return LW_OK;
}

void lw_recorder_free(lw_recorder *r)
{
    if (!r)
        return;
    (void)pthread_mutex_lock(&r->mu);
    r->is_stopping = true;
    (void)pthread_cond_signal(&r->work);
    (void)pthread_mutex_unlock(&r->mu);
    (void)pthread_join(r->thread, NULL);
    if (r->dropped > 0)
        lw_report_log(r->logger, LW_LOG_WARN, "recorder", "%llu events were dropped",
                      (unsigned long long)r->dropped);
    (void)pthread_cond_destroy(&r->work);
    (void)pthread_mutex_destroy(&r->mu);
    free(r);
}

void lw_recorder_event(lw_recorder *r, const lw_object *object, const char *component,
                       const char *type, const char *reason, const char *format, ...)
{
    pending *p = malloc(sizeof(*p));
    va_list args;
    if (!p)
        return;
    p->object = lw_object_ref(object);
    p->component = component;
    p->type = type;
    p->reason = reason;
    p->wall_ns = r->clock->wall_ns(r->clock->arg);
    va_start(args, format);
    (void)vsnprintf(p->message, sizeof(p->message), format, args);
    va_end(args);
    (void)pthread_mutex_lock(&r->mu);
    bool has_room = r->count < LW_RECORDER_QUEUE && !r->is_stopping;
    if (has_room) {
        r->queue[(r->first + r->count) % LW_RECORDER_QUEUE] = p;
        r->count++;
        (void)pthread_cond_signal(&r->work);
    } else {
        r->dropped++;
    }
    (void)pthread_mutex_unlock(&r->mu);
    if (!has_room)
        pending_free(p);
}
