/* SPDX-License-Identifier: Apache-2.0 */
/* mirror_cluster.c -- makes sure that the upstream is still the same cluster.
 *
 * Another cluster at the same address may be at a later revision than the mirror: it would accept
 * its watches, and send changes of objects that the mirror does not have.  Clusters differ in the
 * uid of the namespace kube-system.  It is read at the start, and after a connection has ended,
 * before anything else is asked; followers wait meanwhile.  It is saved beside the objects.
 *
 *     not checked ── a follower wants to connect ──▶ asking
 *         ▲                                            ├ same, or not to be had ──▶ checked
 *         │                                            ├ another one: all is abandoned ──▶ checked
 *         │                                            └ no answer: followers fail ──▶ not checked
 *         └──────────── a connection has ended ──────────────────────────────── checked
 *
 * Threads: the mirror's. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/str.h"
#include "server/mirror/mirror_internal.h"

#define PATH   "/api/v1/namespaces/kube-system"
#define ACCEPT "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json"

enum {
    ANSWER_S = 5,
    REPLY_MAX = 256 << 10, /* bytes */
    FAILED_FROM = 500,     /* a status; 403 and 404 come from a server that does not tell */
};

static lw_status take_saved(const lw_object *obj, void *arg, lw_error *err)
{
    lw_mirror_cluster *cluster = arg;
    (void)err;
    (void)snprintf(cluster->uid, sizeof(cluster->uid), "%s", lw_object_uid(obj));
    return LW_OK;
}

static void load(lw_mirror *mirror)
{
    lw_mirror_cluster *cluster = &mirror->cluster;
    const lw_saved_sink sink = { .on_object = take_saved, .arg = cluster };
    lw_state state = { .packer = NULL };
    lw_buf identity;
    lw_buf_init(&identity, LW_STATE_IDENTITY_MAX);
    lw_buf_printf(&identity, "cluster of: %s\n", mirror->upstream.identity);
    cluster->identity = lw_buf_take_text(&identity);
    lw_buf_done(&identity);
    if (cluster->identity)
        cluster->path = lw_state_dir_path(mirror->state_dir, "cluster", cluster->identity);
    /* Without it, the next answer is taken for what it was before. */
    if (cluster->path &&
        lw_state_file_read(cluster->path, lw_str_of(cluster->identity), &sink, &state, NULL) < 0)
        cluster->uid[0] = '\0';
    lw_compact_close(state.packer);
}

static const lw_object *next_object(void *arg, size_t index)
{
    (void)index;
    return arg;
}

static void free_object(void *arg)
{
    lw_object_unref(arg);
}

static void save(lw_mirror *mirror, const lw_object *obj)
{
    lw_mirror_cluster *cluster = &mirror->cluster;
    lw_error err = LW_ERROR_INIT;
    if (!cluster->path)
        return;
    const lw_state_facts facts = { .identity = lw_str_of(cluster->identity),
                                   .resource_version = LW_STR("1"),
                                   .saved_s = lw_clock_wall(mirror->clock) / LW_NS_PER_S };
    const lw_state_objects objects = {
        .count = 1, .at = next_object, .free = free_object, .arg = lw_object_ref(obj)
    };
    lw_state_dir_wait(mirror->state_dir, &cluster->slot);
    if (lw_state_dir_save_take(mirror->state_dir, &cluster->slot, cluster->path, &facts, &objects,
                               &err) < 0)
        lw_log(mirror->logger, LW_LOG_WARN, "mirror", "the uid of the cluster is not saved: %s",
               err.message);
}

/* Nothing that has been read is true any more. */
static void abandon_all(lw_mirror *mirror)
{
    for (size_t i = 0; i < LW_MIRROR_RESOURCES_MAX; i++) {
        if (!mirror->followers[i])
            continue;
        if (mirror->is_started)
            lw_follower_abandon(mirror->followers[i]);
        else
            lw_mirror_saver_discard(&mirror->followers[i]->saver);
    }
}

static void take_uid(lw_mirror *mirror, const lw_object *obj)
{
    lw_mirror_cluster *cluster = &mirror->cluster;
    const char *uid = lw_object_uid(obj);
    if (!*uid || strcmp(uid, cluster->uid) == 0)
        return;
    bool is_another = cluster->uid[0] != '\0';
    if (is_another)
        lw_log(mirror->logger, LW_LOG_WARN, "mirror",
               "the upstream is another cluster (uid of kube-system %s, before %s): everything is "
               "read anew, and clients must list again",
               uid, cluster->uid);
    (void)snprintf(cluster->uid, sizeof(cluster->uid), "%s", uid);
    /* The files go before the new uid is saved: a mirror that is killed in between starts anew. */
    if (is_another)
        abandon_all(mirror);
    save(mirror, obj);
}

static void resume_all(lw_mirror *mirror, lw_status st, const char *why)
{
    lw_mirror__start_followers(mirror);
    for (size_t i = 0; i < LW_MIRROR_RESOURCES_MAX; i++) {
        if (mirror->followers[i])
            lw_follower_resume(mirror->followers[i], st, why);
    }
}

static void on_head(lw_http_call *call, int status, const lw_http_header *headers, size_t count,
                    void *arg)
{
    lw_mirror *mirror = arg;
    (void)call;
    (void)headers;
    (void)count;
    mirror->cluster.status = status;
}

static void on_data(lw_http_call *call, const char *bytes, size_t len, void *arg)
{
    lw_mirror *mirror = arg;
    (void)call;
    lw_buf_append(&mirror->cluster.reply, bytes, len); /* bounded; what is cut does not parse */
}

static void on_close(lw_http_call *call, const lw_error *err, void *arg)
{
    lw_mirror *mirror = arg;
    lw_mirror_cluster *cluster = &mirror->cluster;
    lw_object *obj = NULL;
    char why[64];
    (void)call;
    cluster->call = NULL;
    if (err || cluster->status >= FAILED_FROM) {
        (void)snprintf(why, sizeof(why), "HTTP status %d", cluster->status);
        (void)lw_upstream_failed(cluster->at);
        resume_all(mirror, LW_ERR_UNAVAILABLE, err ? err->message : why);
        return;
    }
    cluster->is_checked = true;
    if (cluster->status == 200 && cluster->reply.st == LW_OK &&
        lw_object_from_json(&obj, cluster->reply.data, cluster->reply.len, NULL) == LW_OK)
        take_uid(mirror, obj);
    lw_object_unref(obj);
    resume_all(mirror, LW_OK, "");
}

/* Without memory for it, nothing is checked. */
static void ask(lw_mirror *mirror)
{
    lw_mirror_cluster *cluster = &mirror->cluster;
    const lw_http_call_sink sink = { on_head, on_data, NULL, on_close, mirror };
    int64_t deadline = lw_clock_now(lw_loop_clock(mirror->loop)) + ANSWER_S * LW_NS_PER_S;
    cluster->status = 0;
    lw_buf_reset(&cluster->reply);
    cluster->at = lw_upstreams_current(mirror->upstream.addresses);
    if (lw_mirror_source_get(&mirror->upstream, cluster->at, cluster->client, LW_STR(PATH),
                             LW_STR(ACCEPT), deadline, &sink, &cluster->call, NULL) < 0) {
        cluster->call = NULL;
        cluster->is_checked = true;
    }
}

bool lw_mirror__may_connect(void *arg)
{
    lw_mirror *mirror = arg;
    lw_mirror_cluster *cluster = &mirror->cluster;
    if (!cluster->client)
        return true;
    if (!cluster->is_checked && !cluster->call)
        ask(mirror);
    return cluster->is_checked;
}

void lw_mirror__lost(void *arg)
{
    lw_mirror *mirror = arg;
    mirror->cluster.is_checked = false;
}

void lw_mirror__cluster_start(lw_mirror *mirror)
{
    lw_error err = LW_ERROR_INIT;
    lw_buf_init(&mirror->cluster.reply, REPLY_MAX);
    if (mirror->state_dir)
        load(mirror);
    if (lw_http_client_new(&mirror->cluster.client, mirror->loop, &err) < 0)
        lw_log(mirror->logger, LW_LOG_WARN, "mirror",
               "another cluster at the address of the upstream is not noticed: %s", err.message);
    if (lw_mirror__may_connect(mirror))
        lw_mirror__start_followers(mirror);
}

void lw_mirror__cluster_done(lw_mirror *mirror)
{
    lw_mirror_cluster *cluster = &mirror->cluster;
    lw_http_call_cancel(cluster->call);
    lw_http_client_free(cluster->client);
    if (cluster->path)
        lw_state_dir_wait(mirror->state_dir, &cluster->slot);
    lw_buf_done(&cluster->reply);
    lw_free(cluster->identity);
    lw_free(cluster->path);
}
