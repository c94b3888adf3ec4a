/* SPDX-License-Identifier: Apache-2.0 */
/* default_accounts.c -- creates the ServiceAccount "default" of each namespace. */
#include "api/lifecycle/default_accounts.h"

#include "api/admission/namespaces.h"
#include "api/context/key_scheduler.h"
#include "api/write/change.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/container_of.h"
#include "base/str.h"
#include "schema/kinds/kinds.h"

enum {
    NAMESPACES_MAX = 1 << 20,
    RUNNING_MAX = 4, /* at once */
};

#define RETRY_NS LW_NS_PER_S
#define NAME     "default"

/* A namespace. */
typedef struct space {
    lw_scheduled_key key; /* first; the name of the namespace */
    lw_write write;       /* while it runs */
    int64_t not_before_ns;
} space;

struct lw_default_accounts {
    lw_api_port *port;
    lw_key_scheduler spaces; /* of space */
};

static lw_write_decision account_decide(lw_write *write)
{
    static const lw_str blank =
        LW_STR_INIT("{\"apiVersion\":\"v1\",\"kind\":\"ServiceAccount\",\"metadata\":{\"name\":"
                    "\"" NAME "\"}}");
    lw_namespace_state state;
    lw_tree *tree = NULL;
    if (write->current)
        return LW_WRITE_KEEP;
    lw_status st = lw_namespace_look(write->port->api, write->key.ns, &state);
    if (st == LW_OK && state != LW_NAMESPACE_ACTIVE)
        return LW_WRITE_KEEP; /* it takes no new objects */
    if (st == LW_OK)
        st = lw_tree_parse(&tree, blank, 0, NULL);
    if (st < 0)
        return lw_write_fail(write, st);
    const lw_change change = { .body = lw_tree_root(tree) };
    lw_write_decision decision = lw_change_create(write, &change);
    lw_tree_free(tree);
    return decision;
}

static void account_done(lw_write *write)
{
    space *s = LW_CONTAINER_OF(write, space, write);
    bool has_failed = write->outcome == LW_WRITE_REFUSE;
    lw_write_release(write);
    s->not_before_ns = has_failed ? lw_key_scheduler_now(s->key.scheduler) + RETRY_NS : 0;
    lw_key_scheduler_pass_over(&s->key, has_failed);
}

static void account_start(lw_scheduled_key *key)
{
    space *s = (space *)(void *)key;
    const lw_default_accounts *accounts =
        LW_CONTAINER_OF(key->scheduler, lw_default_accounts, spaces);
    s->write = (lw_write){ .port = accounts->port,
                           .kind = &lw_kind_serviceaccounts,
                           .key = { key->name, LW_STR(NAME) },
                           .decide = account_decide,
                           .done = account_done };
    lw_write_start(&s->write);
}

static int64_t account_ready_ns(const lw_scheduled_key *key)
{
    return ((const space *)(const void *)key)->not_before_ns;
}

static const lw_key_scheduler_type creation = {
    .entry_size = sizeof(space),
    .keys_max = NAMESPACES_MAX,
    .running_max = RUNNING_MAX,
    .ready_ns = account_ready_ns,
    .start = account_start,
};

lw_status lw_default_accounts_new(lw_default_accounts **out, lw_api_port *port)
{
    lw_default_accounts *accounts = lw_alloc_zero(1, sizeof(*accounts));
    if (!accounts)
        return LW_ERR_NOMEM;
    accounts->port = port;
    lw_key_scheduler_init(&accounts->spaces, &creation, port->loop);
    *out = accounts;
    return LW_OK;
}

/* A namespace that is new here gets its account, unless it has one. */
static lw_status observe_namespace(lw_default_accounts *accounts, const lw_cache_event *event)
{
    lw_str name = lw_str_of(lw_object_name(event->object)), text;
    bool is_active = event->type != LW_WATCH_DELETED &&
                     lw_object_raw(event->object, "/metadata/deletionTimestamp", &text) < 0;
    lw_scheduled_key *known = lw_key_scheduler_find(&accounts->spaces, name);
    if (known && !is_active)
        lw_key_scheduler_remove(known);
    if (known || !is_active)
        return LW_OK;
    known = lw_key_scheduler_add(&accounts->spaces, name);
    if (!known)
        return LW_ERR_NOMEM;
    lw_key_scheduler_want(known);
    return LW_OK;
}

static void observe_deleted_account(lw_default_accounts *accounts, const lw_object *account)
{
    lw_key key = lw_object_key(account);
    lw_scheduled_key *known = lw_key_scheduler_find(&accounts->spaces, key.ns);
    if (known && lw_str_equal(key.name, LW_STR(NAME)))
        lw_key_scheduler_want(known);
}

lw_status lw_default_accounts_observe(lw_default_accounts *accounts, const lw_kind *kind,
                                      const lw_cache_event *event)
{
    if (!accounts)
        return LW_OK;
    if (kind == &lw_kind_namespaces)
        return observe_namespace(accounts, event);
    if (kind == &lw_kind_serviceaccounts && event->type == LW_WATCH_DELETED)
        observe_deleted_account(accounts, event->object);
    return LW_OK;
}

void lw_default_accounts_pump(lw_default_accounts *accounts)
{
    if (accounts)
        lw_key_scheduler_pump(&accounts->spaces);
}

void lw_default_accounts_forget(lw_default_accounts *accounts)
{
    if (accounts)
        lw_key_scheduler_forget(&accounts->spaces);
}

void lw_default_accounts_stop(lw_default_accounts *accounts)
{
    if (accounts)
        lw_key_scheduler_stop(&accounts->spaces);
}

void lw_default_accounts_free(lw_default_accounts *accounts)
{
    if (!accounts)
        return;
    lw_default_accounts_stop(accounts);
    lw_key_scheduler_done(&accounts->spaces);
    lw_free(accounts);
}
