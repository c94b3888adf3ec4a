/* SPDX-License-Identifier: Apache-2.0 */
/* token_webhook.c -- the token webhook.
 *
 * Ownership: as in access_webhook.c.  A token is kept only in the body of a call that is under
 * way; the key of its answer is a hash with a secret of this process. */
#include "server/webhook/token_webhook.h"

#include <stdatomic.h>
#include <string.h>

#include "api/context/asker.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/container_of.h"
#include "base/error.h"
#include "base/log.h"
#include "base/random.h"
#include "base/str.h"
#include "crypto/digest.h"
#include "server/webhook/answer_cache.h"
#include "json/fields.h"
#include "json/writer.h"

enum {
    SECRET_SIZE = 32,
    BODY_MAX = 256 * 1024,
    HASHED_MAX = 256 * 1024,
    ANSWER_TREE_MAX = 4 * 1024 * 1024,
};

struct lw_token_webhook {
    lw_token_webhook_options options;
    uint64_t owner;
    lw_answer_cache cache;
    lw_digester *digester;
    uint8_t secret[SECRET_SIZE];
    atomic_uint_least64_t hits, misses, fetched, failed, active;
};

typedef struct token_question {
    lw_answer base; /* first */
    lw_token_webhook *hook;
    lw_webhook_call call;
    lw_buf body;
    uint8_t key[LW_DIGEST_SIZE];
    lw_audiences wanted; /* views of |texts| */
    lw_buf texts;
    /* The answer. */
    const lw_user *user; /* NULL: not authenticated */
    lw_audiences matched;
} token_question;

static const char *version_name(lw_review_version version)
{
    return version == LW_REVIEW_V1 ? "authentication.k8s.io/v1" : "authentication.k8s.io/v1beta1";
}

static void question_free(lw_question *question)
{
    token_question *q = (token_question *)(void *)question;
    lw_buf_done(&q->body);
    lw_buf_done(&q->texts);
    lw_user_unref(q->user);
    lw_free(q);
}

lw_status lw_token_webhook_new(lw_token_webhook **out, const lw_token_webhook_options *options,
                               lw_error *err)
{
    lw_token_webhook *hook = lw_alloc_zero(1, sizeof(*hook));
    if (!hook) {
        options->transport->free(options->transport);
        return lw_error_nomem(err);
    }
    hook->options = *options;
    hook->owner = lw_question_owner();
    lw_answer_cache_init(&hook->cache, LW_TOKEN_WEBHOOK_ANSWERS_MAX);
    lw_status st = lw_digester_new(&hook->digester, err);
    if (st == LW_OK && lw_entropy_fill(hook->secret, sizeof(hook->secret)) < 0)
        st = lw_error_set(err, LW_ERR_IO, "no random numbers from the operating system");
    if (st < 0)
        lw_token_webhook_free(hook);
    else
        *out = hook;
    return st;
}

void lw_token_webhook_free(lw_token_webhook *hook)
{
    if (!hook)
        return;
    lw_answer_cache_done(&hook->cache);
    hook->options.transport->free(hook->options.transport);
    lw_digester_free(hook->digester);
    lw_free(hook);
}

/* Computes the key of the question: it does not reveal the token. */
static lw_status make_key(const lw_token_webhook *hook, lw_str token, const lw_audiences *wanted,
                          uint8_t key[LW_DIGEST_SIZE])
{
    lw_buf text;
    lw_buf_init(&text, HASHED_MAX);
    lw_buf_append(&text, hook->secret, sizeof(hook->secret));
    lw_buf_printf(&text, "%zu:", token.len);
    lw_buf_append_str(&text, token);
    for (size_t i = 0; i < wanted->count; i++) {
        lw_buf_printf(&text, "%zu:", wanted->at[i].len);
        lw_buf_append_str(&text, wanted->at[i]);
    }
    lw_status st = text.st < 0 ? text.st : lw_digest(hook->digester, lw_buf_view(&text), key);
    if (text.data)
        memset(text.data, 0, text.len);
    lw_buf_done(&text);
    return st;
}

static void write_review(const lw_token_webhook *hook, lw_str token, const lw_audiences *wanted,
                         lw_buf *out)
{
    lw_json_writer w;
    lw_json_writer_init(&w, out, LW_JSON_COMPACT);
    lw_json_write_object_begin(&w);
    lw_json_write_member_string(&w, "kind", LW_STR("TokenReview"));
    lw_json_write_member_string(&w, "apiVersion", lw_str_of(version_name(hook->options.version)));
    lw_json_write_key(&w, LW_STR("metadata"));
    lw_json_write_object_begin(&w);
    lw_json_write_object_end(&w);
    lw_json_write_key(&w, LW_STR("spec"));
    lw_json_write_object_begin(&w);
    lw_json_write_member_string(&w, "token", token);
    if (wanted->count > 0) {
        lw_json_write_key(&w, LW_STR("audiences"));
        lw_json_write_array_begin(&w);
        for (size_t i = 0; i < wanted->count; i++)
            lw_json_write_string(&w, wanted->at[i]);
        lw_json_write_array_end(&w);
    }
    lw_json_write_object_end(&w);
    lw_json_write_key(&w, LW_STR("status"));
    lw_json_write_raw(&w, LW_STR("{\"user\":{}}"));
    lw_json_write_object_end(&w);
}

static void copy_audiences(token_question *q, const lw_audiences *wanted)
{
    for (size_t i = 0; i < wanted->count; i++)
        lw_buf_append_str(&q->texts, wanted->at[i]);
    size_t at = 0;
    for (size_t i = 0; i < wanted->count && q->texts.st == LW_OK; i++) {
        q->wanted.at[q->wanted.count++] = lw_str_make(q->texts.data + at, wanted->at[i].len);
        at += wanted->at[i].len;
    }
}

static token_question *question_new(const lw_token_webhook *hook, lw_str token,
                                    const lw_audiences *wanted, const uint8_t key[LW_DIGEST_SIZE])
{
    token_question *q = lw_alloc_zero(1, sizeof(*q));
    if (!q)
        return NULL;
    lw_buf_init(&q->body, BODY_MAX);
    lw_buf_init(&q->texts, BODY_MAX);
    memcpy(q->key, key, LW_DIGEST_SIZE);
    write_review(hook, token, wanted, &q->body);
    copy_audiences(q, wanted);
    lw_question_init(&q->base.base, hook->owner, lw_str_make((const char *)q->key, LW_DIGEST_SIZE),
                     question_free);
    if (q->body.st < 0 || q->texts.st < 0) {
        lw_question_unref(&q->base.base);
        return NULL;
    }
    return q;
}

/* The user of status.user, in memory of the caller. */
typedef struct read_user {
    lw_user user;
    lw_str groups[LW_USER_GROUPS_MAX];
    lw_user_extra extras[LW_USER_EXTRAS_MAX];
    lw_str values[LW_USER_EXTRAS_MAX];
} read_user;

static void read_extras(read_user *out, const lw_node *extra)
{
    size_t used = 0;
    for (size_t i = 0; i < lw_node_count(extra) && i < LW_USER_EXTRAS_MAX; i++) {
        const lw_node *values = lw_node_at(extra, i);
        size_t count = lw_node_count(values);
        if (count > LW_USER_EXTRAS_MAX - used)
            count = LW_USER_EXTRAS_MAX - used;
        out->extras[i] = (lw_user_extra){ lw_node_key_at(extra, i), out->values + used, count };
        for (size_t k = 0; k < count; k++)
            out->values[used++] = lw_node_text(lw_node_at(values, k));
        out->user.extra_count++;
    }
    out->user.extras = out->extras;
}

static void read_user_info(read_user *out, const lw_node *info)
{
    const lw_node *groups = lw_node_get(info, LW_STR("groups"));
    out->user = (lw_user){ .name = lw_fields_text(info, "username"),
                           .uid = lw_fields_text(info, "uid"),
                           .groups = out->groups };
    for (size_t i = 0; i < lw_node_count(groups) && i < LW_USER_GROUPS_MAX; i++)
        out->groups[out->user.group_count++] = lw_node_text(lw_node_at(groups, i));
    read_extras(out, lw_node_get(info, LW_STR("extra")));
}

/* Sets q->matched: the audiences that were wanted and that the webhook has confirmed, or those of
 * this server if it names none.  False: there is none. */
static bool match_audiences(token_question *q, const lw_node *status)
{
    lw_audiences got = { .count = 0 };
    const lw_node *list = lw_node_get(status, LW_STR("audiences"));
    for (size_t i = 0; i < lw_node_count(list) && i < LW_AUDIENCES_MAX; i++)
        got.at[got.count++] = lw_node_text(lw_node_at(list, i));
    lw_audiences_intersect(&q->matched, &q->wanted,
                           got.count > 0 ? &got : q->hook->options.audiences);
    return q->matched.count > 0 || q->wanted.count == 0;
}

/* Reads status into |q|. */
static lw_status read_status(token_question *q, const lw_node *status, lw_error *err)
{
    read_user found;
    if (!match_audiences(q, status))
        return LW_OK;
    if (!lw_node_bool(lw_node_get(status, LW_STR("authenticated")))) {
        lw_str why = lw_fields_text(status, "error");
        if (why.len > 0)
            lw_log(q->hook->options.logger, LW_LOG_INFO, "authn",
                   "the token webhook did not authenticate a token: %.*s", LW_STR_ARG(why));
        return LW_OK;
    }
    read_user_info(&found, lw_node_get(status, LW_STR("user")));
    if (found.user.name.len == 0)
        return lw_error_set(err, LW_ERR_INVALID, "the answer has no status.user.username");
    lw_status st = lw_authn_keep_authenticated(q->hook->options.auth, &found.user, &q->user);
    return st < 0 ? lw_error_set(err, st, "too many users, or out of memory") : LW_OK;
}

static lw_status read_answer(token_question *q, lw_str body, lw_error *err)
{
    lw_tree *tree = NULL;
    lw_error why = LW_ERROR_INIT;
    const char *version = version_name(q->hook->options.version);
    lw_status st = lw_tree_parse(&tree, body, ANSWER_TREE_MAX, &why);
    if (st < 0)
        return lw_error_set(err, st, "the answer is not JSON: %s", why.message);
    const lw_node *root = lw_tree_root(tree);
    lw_str kind = lw_fields_text(root, "kind"), found = lw_fields_text(root, "apiVersion");
    /* As in kube-apiserver, an answer need not say what it is. */
    if ((kind.len > 0 && !lw_str_equal(kind, LW_STR("TokenReview"))) ||
        (found.len > 0 && !lw_str_equal(found, lw_str_of(version))) ||
        !lw_node_is(root, LW_JSON_OBJECT))
        st = lw_error_set(err, LW_ERR_INVALID,
                          "the answer is not a TokenReview of %s: check its kind and apiVersion, "
                          "and --authentication-token-webhook-version",
                          version);
    else
        st = read_status(q, lw_node_get(root, LW_STR("status")), err);
    lw_tree_free(tree);
    return st;
}

static bool call_is_wanted(lw_webhook_call *call)
{
    return lw_question_is_awaited(&LW_CONTAINER_OF(call, token_question, call)->base.base);
}

static void call_done(lw_webhook_call *call, const lw_webhook_reply *reply)
{
    token_question *q = LW_CONTAINER_OF(call, token_question, call);
    lw_token_webhook *hook = q->hook;
    lw_error err = LW_ERROR_INIT;
    int64_t now = lw_clock_now(hook->options.clock);
    lw_status st = lw_webhook_reply_is_success(reply) ? read_answer(q, reply->body, &err)
                                                      : lw_webhook_reply_error(reply, &err);
    atomic_fetch_sub(&hook->active, 1);
    atomic_fetch_add(st < 0 ? &hook->failed : &hook->fetched, 1);
    if (st < 0 && st != LW_ERR_STOPPED)
        lw_log(hook->options.logger, LW_LOG_WARN, "authn",
               "the token webhook did not answer: %s; the token is not accepted", err.message);
    memset(q->body.data, 0, q->body.len);
    lw_buf_done(&q->body);
    lw_answer_cache_answered(&hook->cache, &q->base, now,
                             st < 0 ? now : now + hook->options.ttl_ns);
    lw_question_unref(&q->base.base); /* the call's */
}

static void start_call(lw_token_webhook *hook, token_question *q)
{
    (void)lw_question_ref(&q->base.base);
    atomic_fetch_add(&hook->active, 1);
    q->hook = hook;
    q->call = (lw_webhook_call){ .transport = hook->options.transport,
                                 .body = lw_buf_view(&q->body),
                                 .timeout_ns = hook->options.timeout_ns,
                                 .is_wanted = call_is_wanted,
                                 .done = call_done };
    lw_webhook_call_start(hook->options.caller, &q->call);
}

/* Returns a reference to the question, answered or under way.  NULL: no memory. */
static token_question *find_question(lw_token_webhook *hook, lw_str token,
                                     const lw_audiences *wanted, const uint8_t key[LW_DIGEST_SIZE])
{
    int64_t now = lw_clock_now(hook->options.clock);
    lw_str name = lw_str_make((const char *)key, LW_DIGEST_SIZE);
    lw_answer *found = lw_answer_cache_find(&hook->cache, name, now);
    atomic_fetch_add(found ? &hook->hits : &hook->misses, 1);
    if (found)
        return (token_question *)(void *)found;
    token_question *q = question_new(hook, token, wanted, key);
    if (!q)
        return NULL;
    found = lw_answer_cache_add(&hook->cache, &q->base, now);
    if (found) { /* another thread was faster */
        lw_question_unref(&q->base.base);
        return (token_question *)(void *)found;
    }
    start_call(hook, q);
    return q;
}

static lw_status apply(const token_question *q, const lw_user **user, lw_audiences *matched)
{
    if (!q->user)
        return LW_ERR_UNAUTHORIZED;
    *user = lw_user_ref(q->user);
    if (matched)
        *matched = q->matched;
    return LW_OK;
}

lw_status lw_token_webhook_find(lw_token_webhook *hook, lw_http_stream *stream, lw_str token,
                                const lw_audiences *wanted, const lw_user **user,
                                lw_audiences *matched)
{
    uint8_t key[LW_DIGEST_SIZE];
    if (!wanted)
        wanted = hook->options.audiences;
    lw_status st = make_key(hook, token, wanted, key);
    if (st < 0)
        return st;
    lw_question *asked =
        lw_asker_find(stream, hook->owner, lw_str_make((const char *)key, LW_DIGEST_SIZE));
    if (asked)
        return lw_question_is_answered(asked)
                   ? apply((token_question *)(void *)asked, user, matched)
                   : LW_ERR_UNAUTHORIZED;
    token_question *q = find_question(hook, token, wanted, key);
    if (!q)
        return LW_ERR_NOMEM;
    /* The request keeps the answer: what it points to lives as long as the stream. */
    st = lw_asker_ask(stream, &q->base.base);
    if (st == LW_OK)
        st = lw_question_is_answered(&q->base.base) ? apply(q, user, matched) : LW_ERR_UNAUTHORIZED;
    lw_question_unref(&q->base.base);
    return st;
}

int lw_token_webhook_identify(lw_token_webhook *hook, lw_http_stream *stream, const lw_user **user,
                              lw_str *why)
{
    lw_str token;
    lw_buf scratch;
    lw_status st = LW_ERR_UNAUTHORIZED;
    lw_buf_init(&scratch, LW_AUTHN_TOKEN_MAX);
    if (lw_authn_bearer(&stream->request, &scratch, &token))
        st = lw_token_webhook_find(hook, stream, token, NULL, user, NULL);
    lw_buf_done(&scratch);
    if (st == LW_OK)
        return 0;
    *why = LW_STR("Unauthorized");
    return 401;
}

static void write_counter(lw_buf *out, const char *name, const char *labels, uint64_t value)
{
    lw_buf_printf(out, "%s%s %llu\n", name, labels, (unsigned long long)value);
}

void lw_token_webhook_write_metrics(const lw_token_webhook *hook, lw_buf *out)
{
    if (!hook)
        return;
    lw_buf_append_text(out, "# HELP authentication_token_cache_request_total Tokens that were "
                            "looked up in the cache of the token webhook.\n"
                            "# TYPE authentication_token_cache_request_total counter\n");
    write_counter(out, "authentication_token_cache_request_total", "{status=\"hit\"}",
                  atomic_load(&hook->hits));
    write_counter(out, "authentication_token_cache_request_total", "{status=\"miss\"}",
                  atomic_load(&hook->misses));
    lw_buf_append_text(out, "# HELP authentication_token_cache_fetch_total Calls of the token "
                            "webhook.\n"
                            "# TYPE authentication_token_cache_fetch_total counter\n");
    write_counter(out, "authentication_token_cache_fetch_total", "{status=\"ok\"}",
                  atomic_load(&hook->fetched));
    write_counter(out, "authentication_token_cache_fetch_total", "{status=\"error\"}",
                  atomic_load(&hook->failed));
    lw_buf_append_text(out, "# HELP authentication_token_cache_active_fetch_count Calls of the "
                            "token webhook that are under way.\n"
                            "# TYPE authentication_token_cache_active_fetch_count gauge\n");
    write_counter(out, "authentication_token_cache_active_fetch_count", "{status=\"in_flight\"}",
                  atomic_load(&hook->active));
}
