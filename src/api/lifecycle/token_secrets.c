/* SPDX-License-Identifier: Apache-2.0 */
/* token_secrets.c -- fills in and deletes the Secrets that hold tokens of service accounts. */
#include "api/lifecycle/token_secrets.h"

#include "api/context/cache_lookup.h"
#include "api/context/key_scheduler.h"
#include "api/http/delete_options.h"
#include "api/pending/pending_object.h"
#include "api/write/deletion.h"
#include "api/write/write.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/container_of.h"
#include "base/str.h"
#include "base/text/base64.h"
#include "schema/kinds/kinds.h"
#include "json/fields.h"

enum {
    SECRETS_MAX = 1 << 20,
    RUNNING_MAX = 4,     /* at once */
    KEY_MAX = 1024,      /* bytes of "namespace/name" */
    VALUE_MAX = 1 << 20, /* bytes of one entry of the data */
};

#define RETRY_NS LW_NS_PER_S

/* A Secret. */
typedef struct token_secret {
    lw_scheduled_key key; /* first; "namespace/name" */
    lw_write write;       /* while it runs */
    int64_t not_before_ns;
} token_secret;

struct lw_token_secrets {
    lw_api_port *port;
    lw_key_scheduler secrets; /* of token_secret */
};

/* Sets an entry of the data, as base64, if it is not |value| already. */
static void set_data(lw_pending_object *pending, const char *key, lw_str value)
{
    lw_buf text;
    lw_node *data = lw_fields_object(pending->tree, pending->root, "data");
    lw_buf_init(&text, VALUE_MAX);
    lw_base64_encode(&text, value);
    lw_pending_object_note(pending, text.st);
    if (!lw_str_equal(lw_fields_text(data, key), lw_buf_view(&text)))
        lw_fields_set_text(pending->tree, data, key, lw_buf_view(&text));
    lw_buf_done(&text);
}

static void set_token(const lw_write *write, lw_pending_object *pending, lw_str account, lw_str uid)
{
    const lw_token_issuer *issuer = &write->port->api->issuer;
    const lw_account_claims claims = { .ns = write->key.ns,
                                       .account = { account, uid },
                                       .secret = { .name = write->key.name } };
    lw_buf token;
    lw_buf_init(&token, LW_ACCOUNT_TOKEN_MAX);
    lw_pending_object_note(pending, issuer->issue_for_secret(issuer->arg, &claims, &token));
    set_data(pending, "token", lw_buf_view(&token));
    lw_buf_done(&token);
}

/* Sets what is missing. */
static void fill(const lw_write *write, lw_pending_object *pending, const lw_object *account)
{
    lw_str ca = write->port->api->issuer.root_ca;
    lw_str uid = lw_str_of(lw_object_uid(account));
    lw_node *annotations = lw_fields_object(pending->tree, pending->metadata, "annotations");
    if (lw_fields_text_at(pending->root, "/data/token").len == 0)
        set_token(write, pending, lw_str_of(lw_object_name(account)), uid);
    if (ca.len > 0)
        set_data(pending, "ca.crt", ca);
    set_data(pending, "namespace", write->key.ns);
    lw_fields_set_text(pending->tree, annotations, LW_TOKEN_SECRET_UID, uid);
}

static lw_write_decision fill_decide(lw_write *write, const lw_object *account)
{
    lw_pending_object pending = { 0 };
    lw_tree *stored = NULL;
    lw_write_decision decision = LW_WRITE_KEEP;
    lw_status st = lw_tree_parse(&stored, lw_object_json(write->current), 0, NULL);
    if (st == LW_OK)
        st = lw_pending_object_open_on(&pending, write->port, write->kind, NULL,
                                       lw_tree_root(stored), lw_tree_root(stored));
    if (st == LW_OK) {
        fill(write, &pending, account);
        lw_pending_object_seal(&pending);
        st = lw_pending_object_state(&pending);
    }
    if (st == LW_OK && !lw_pending_object_is_unchanged(&pending)) {
        decision = LW_WRITE_PUT;
        st = lw_pending_object_take(&pending, true, &write->next);
    }
    lw_pending_object_done(&pending);
    lw_tree_free(stored);
    return st < 0 ? lw_write_fail(write, st) : decision;
}

static bool is_token_secret(const lw_object *obj)
{
    return lw_str_equal(lw_str_of(lw_object_string(obj, "/type", "")),
                        LW_STR(LW_TOKEN_SECRET_TYPE));
}

/* Returns true if |account| is the one that |secret| was filled in for, if it was. */
static bool is_of(const lw_object *secret, const lw_object *account)
{
    lw_str uid = lw_str_of(lw_object_annotation(secret, LW_TOKEN_SECRET_UID));
    return uid.len == 0 || lw_str_equal(uid, lw_str_of(lw_object_uid(account)));
}

static lw_write_decision secret_decide(lw_write *write)
{
    static const lw_api_delete_options at_once = { .uid = { NULL, 0 } };
    lw_object *account = NULL;
    lw_write_decision decision;
    if (!write->current || !is_token_secret(write->current))
        return LW_WRITE_KEEP;
    const lw_key key = { write->key.ns,
                         lw_str_of(lw_object_annotation(write->current, LW_TOKEN_SECRET_NAME)) };
    lw_status st =
        lw_lookup(lw_api_resource(write->port->api, &lw_kind_serviceaccounts), key, &account);
    if (st < 0)
        decision = lw_write_fail(write, st);
    else if (!account || !is_of(write->current, account))
        decision = lw_deletion_decide(write, &at_once);
    else
        decision = fill_decide(write, account);
    lw_object_unref(account);
    return decision;
}

static void secret_done(lw_write *write)
{
    token_secret *s = LW_CONTAINER_OF(write, token_secret, write);
    bool has_failed = write->outcome == LW_WRITE_REFUSE;
    lw_write_release(write);
    s->not_before_ns = has_failed ? lw_key_scheduler_now(s->key.scheduler) + RETRY_NS : 0;
    lw_key_scheduler_pass_over(&s->key, has_failed);
}

static void secret_start(lw_scheduled_key *key)
{
    token_secret *s = (token_secret *)(void *)key;
    const lw_token_secrets *secrets = LW_CONTAINER_OF(key->scheduler, lw_token_secrets, secrets);
    s->write = (lw_write){ .port = secrets->port,
                           .kind = &lw_kind_secrets,
                           .decide = secret_decide,
                           .done = secret_done };
    (void)lw_str_cut(key->name, '/', &s->write.key.ns, &s->write.key.name);
    lw_write_start(&s->write);
}

static int64_t secret_ready_ns(const lw_scheduled_key *key)
{
    return ((const token_secret *)(const void *)key)->not_before_ns;
}

static const lw_key_scheduler_type filling = {
    .entry_size = sizeof(token_secret),
    .keys_max = SECRETS_MAX,
    .running_max = RUNNING_MAX,
    .ready_ns = secret_ready_ns,
    .start = secret_start,
};

lw_status lw_token_secrets_new(lw_token_secrets **out, lw_api_port *port)
{
    lw_token_secrets *secrets = lw_alloc_zero(1, sizeof(*secrets));
    if (!secrets)
        return LW_ERR_NOMEM;
    secrets->port = port;
    lw_key_scheduler_init(&secrets->secrets, &filling, port->loop);
    *out = secrets;
    return LW_OK;
}

static lw_status observe_secret(lw_token_secrets *secrets, const lw_cache_event *event)
{
    lw_buf name;
    lw_key key = lw_object_key(event->object);
    bool is_ours = event->type != LW_WATCH_DELETED && is_token_secret(event->object);
    lw_buf_init(&name, KEY_MAX);
    lw_buf_printf(&name, "%.*s/%.*s", LW_STR_ARG(key.ns), LW_STR_ARG(key.name));
    lw_scheduled_key *known =
        name.st < 0 ? NULL : lw_key_scheduler_find(&secrets->secrets, lw_buf_view(&name));
    if (is_ours && !known && name.st == LW_OK)
        known = lw_key_scheduler_add(&secrets->secrets, lw_buf_view(&name));
    lw_buf_done(&name);
    if (!known)
        return is_ours ? LW_ERR_NOMEM : LW_OK;
    if (is_ours)
        lw_key_scheduler_want(known);
    else
        lw_key_scheduler_remove(known);
    return LW_OK;
}

/* The Secrets of a deleted account are to go: those of its namespace look for theirs. */
static void observe_deleted_account(lw_token_secrets *secrets, const lw_object *account)
{
    lw_str ns = lw_str_of(lw_object_namespace(account)), of, rest;
    lw_map_cursor at = lw_map_begin(&secrets->secrets.keys);
    for (lw_scheduled_key *key; (key = lw_map_next(&secrets->secrets.keys, &at));) {
        (void)lw_str_cut(key->name, '/', &of, &rest);
        if (lw_str_equal(of, ns))
            lw_key_scheduler_want(key);
    }
}

lw_status lw_token_secrets_observe(lw_token_secrets *secrets, const lw_kind *kind,
                                   const lw_cache_event *event)
{
    if (!secrets)
        return LW_OK;
    if (!secrets->port->api->issuer.issue_for_secret)
        return LW_OK;
    if (kind == &lw_kind_secrets)
        return observe_secret(secrets, event);
    if (kind == &lw_kind_serviceaccounts && event->type == LW_WATCH_DELETED)
        observe_deleted_account(secrets, event->object);
    return LW_OK;
}

void lw_token_secrets_pump(lw_token_secrets *secrets)
{
    if (!secrets)
        return;
    lw_key_scheduler_pump(&secrets->secrets);
}

void lw_token_secrets_forget(lw_token_secrets *secrets)
{
    if (!secrets)
        return;
    lw_key_scheduler_forget(&secrets->secrets);
}

void lw_token_secrets_stop(lw_token_secrets *secrets)
{
    if (secrets)
        lw_key_scheduler_stop(&secrets->secrets);
}

void lw_token_secrets_free(lw_token_secrets *secrets)
{
    if (!secrets)
        return;
    lw_token_secrets_stop(secrets);
    lw_key_scheduler_done(&secrets->secrets);
    lw_free(secrets);
}
