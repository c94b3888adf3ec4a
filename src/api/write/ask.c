/* SPDX-License-Identifier: Apache-2.0 */
/* ask.c -- the questions of writes to admission webhooks. */
#include "api/write/ask.h"

#include "api/http/call.h"
#include "api/http/duration.h"
#include "api/webhooks/dispatch.h"
#include "api/write/write_policies.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/container_of.h"
#include "base/str.h"
#include "schema/kinds/kinds.h"
#include "schema/kinds/subresource.h"
#include "schema/validation/typed.h"

enum {
    MESSAGE_MAX = 1024,
    OPTIONS_USUAL = 192, /* bytes */
};

/* A question under way: first the mutating webhooks, then the validating ones. */
typedef struct asking {
    lw_write_question base; /* first */
    lw_hook_subject subject;
    lw_write *write;
    lw_ask ask;
    lw_buf object, old, options;
    lw_tree *tree; /* of the object, for its labels; NULL: none */
    lw_hook_run *run;
    bool is_mutating; /* which ones are being asked */
    bool is_passed;   /* by those that were asked last */
    bool is_changed;  /* |tree| is not what was asked about any more */
} asking;

static lw_status subject_write(lw_hook_subject *subject, const lw_kind *as, bool is_mutating,
                               lw_buf *out)
{
    const asking *a = LW_CONTAINER_OF(subject, asking, subject);
    (void)as; /* these kinds have one version */
    (void)is_mutating;
    lw_buf_append_str(out, lw_buf_view(&a->object));
    return out->st;
}

static const lw_node *subject_metadata(lw_hook_subject *subject)
{
    const asking *a = LW_CONTAINER_OF(subject, asking, subject);
    return a->tree ? lw_node_get(lw_tree_root(a->tree), LW_STR("metadata")) : NULL;
}

lw_status lw_ask_open_object(lw_pending_object *pending, const lw_write *write, lw_kind *kind,
                             lw_gvk gvk, const lw_node *object)
{
    *kind = (lw_kind){ .group = gvk.group, .version = gvk.version, .kind = gvk.kind };
    lw_status st =
        lw_pending_object_open_on(pending, write->port, kind, write->budget, object, NULL);
    if (st < 0)
        return st;
    lw_pending_object_read_typed(pending);
    return lw_pending_object_state(pending);
}

lw_status lw_ask_copy_object(const lw_pending_object *pending, lw_tree **out)
{
    lw_tree *tree = NULL;
    lw_status st = lw_tree_new(&tree, 0);
    if (st < 0)
        return st;
    lw_node *root = lw_tree_copy(tree, pending->root);
    const lw_type *type = lw_type_of_kind(lw_kind_gvk(pending->kind));
    if (type && root)
        (void)lw_typed_write(tree, type, root);
    lw_tree_set_root(tree, root);
    st = lw_tree_status(tree);
    if (st < 0)
        lw_tree_free(tree);
    else
        *out = tree;
    return st;
}

/* Writes |tree| as webhooks see it from now on, and keeps it. */
static lw_status show_changed(asking *a, lw_tree *tree)
{
    lw_json_writer w;
    lw_buf_reset(&a->object);
    lw_json_writer_init(&w, &a->object, LW_JSON_COMPACT);
    lw_node_write(lw_tree_root(tree), &w);
    lw_tree_free(a->tree);
    a->tree = tree;
    a->ask.object = lw_tree_root(tree);
    a->is_changed = true;
    return lw_json_writer_status(&w);
}

static lw_status subject_replace(lw_hook_subject *subject, const lw_kind *as, lw_tree *tree,
                                 lw_buf *why, lw_api_status *status)
{
    asking *a = LW_CONTAINER_OF(subject, asking, subject);
    lw_pending_object pending;
    lw_kind kind;
    lw_tree *changed = NULL;
    (void)as;
    (void)status;
    lw_status st = lw_ask_open_object(&pending, a->write, &kind, a->ask.gvk, a->ask.object);
    if (st == LW_OK)
        st = lw_pending_object_replace(&pending, &kind, tree, why, NULL);
    else
        lw_tree_free(tree);
    if (st == LW_OK)
        st = lw_ask_copy_object(&pending, &changed);
    lw_pending_object_done(&pending);
    return st == LW_OK ? show_changed(a, changed) : st;
}

static void asking_free(lw_write_question *question)
{
    asking *a = (asking *)(void *)question;
    lw_hook_run_cancel(a->run);
    lw_tree_free(a->tree);
    lw_buf_done(&a->object);
    lw_buf_done(&a->old);
    lw_buf_done(&a->options);
    lw_free(a);
}

static lw_str query_of(const lw_write *write, const char *name)
{
    return write->call ? lw_query_get(&write->call->query, name) : LW_STR("");
}

static void write_text(lw_json_writer *w, const char *member, lw_str value)
{
    if (value.len > 0)
        lw_json_write_member_string(w, member, value);
}

/* |members| are kind and apiVersion. */
static void write_options_head(lw_json_writer *w, const lw_write *write, lw_str members)
{
    lw_json_write_object_begin(w);
    lw_json_write_raw_members(w, members);
    if (write->is_dry_run)
        lw_json_write_raw_members(w, LW_STR("\"dryRun\":[\"All\"]"));
}

void lw_ask_write_options(const lw_write *write, bool is_creation, lw_buf *out)
{
    lw_json_writer w;
    lw_json_writer_init(&w, out, LW_JSON_COMPACT);
    (void)lw_buf_reserve(out, OPTIONS_USUAL);
    write_options_head(&w, write,
                       is_creation
                           ? LW_STR("\"kind\":\"CreateOptions\",\"apiVersion\":\"meta.k8s.io/v1\"")
                           : LW_STR(
                                 "\"kind\":\"UpdateOptions\",\"apiVersion\":\"meta.k8s.io/v1\""));
    write_text(&w, "fieldManager", query_of(write, "fieldManager"));
    write_text(&w, "fieldValidation", query_of(write, "fieldValidation"));
    lw_json_write_object_end(&w);
}

static void write_delete_options(const lw_write *write, const lw_api_delete_options *options,
                                 lw_buf *out)
{
    static const char *const policies[] = {
        [LW_PROPAGATION_DEFAULT] = "",
        [LW_PROPAGATION_BACKGROUND] = "Background",
        [LW_PROPAGATION_FOREGROUND] = "Foreground",
        [LW_PROPAGATION_ORPHAN] = "Orphan",
    };
    lw_json_writer w;
    lw_json_writer_init(&w, out, LW_JSON_COMPACT);
    write_options_head(&w, write,
                       LW_STR("\"kind\":\"DeleteOptions\",\"apiVersion\":\"meta.k8s.io/v1\""));
    if (options->has_grace)
        lw_json_write_member_int(&w, "gracePeriodSeconds", options->grace_s);
    if (options->uid.len + options->resource_version.len > 0) {
        lw_json_write_key(&w, LW_STR("preconditions"));
        lw_json_write_object_begin(&w);
        write_text(&w, "uid", options->uid);
        write_text(&w, "resourceVersion", options->resource_version);
        lw_json_write_object_end(&w);
    }
    write_text(&w, "propagationPolicy", lw_str_of(policies[options->propagation]));
    lw_json_write_object_end(&w);
}

int64_t lw_ask_deadline(const lw_write *write)
{
    int64_t limit = LW_HOOK_REQUEST_TIMEOUT_S * LW_NS_PER_S, wanted = 0;
    int64_t start = write->call ? write->call->account.started_ns
                                : lw_clock_now(lw_loop_clock(write->port->loop));
    lw_buf message;
    lw_buf_init(&message, MESSAGE_MAX);
    lw_str text = query_of(write, "timeout");
    if (text.len > 0 && lw_duration_parse(text, &wanted, &message) && wanted > 0 && wanted < limit)
        limit = wanted;
    lw_buf_done(&message);
    return start + limit;
}

static lw_str subresource_name(unsigned bit)
{
    for (const lw_subresource *sub = lw_subresources; sub->bit; sub++) {
        if (sub->bit == bit)
            return sub->name;
    }
    return LW_STR("");
}

/* A deletion is of the stored kind; the request may have named another version. */
static const lw_kind *kind_of(const lw_write *write, const lw_ask *ask)
{
    return ask->operation == LW_OPERATION_DELETE && write->call ? write->call->route.kind
                                                                : write->kind;
}

static void webhooks_over(void *arg, bool is_passed)
{
    asking *a = arg;
    a->run = NULL;
    a->is_passed = is_passed;
    lw_write_resume(a->write);
}

static lw_hook_outcome begin(asking *a)
{
    lw_write *write = a->write;
    bool is_namespace = lw_kind_stored(write->kind) == &lw_kind_namespaces;
    const lw_hook_request request = {
        .port = write->port,
        .is_mutating = a->is_mutating,
        .review = { .kind = kind_of(write, &a->ask),
                    .gvk = a->ask.gvk,
                    .subresource = subresource_name(a->ask.subresource),
                    .ns = is_namespace ? write->key.name : write->key.ns,
                    .name = write->key.name,
                    .operation = a->ask.operation,
                    .user = write->user,
                    .is_dry_run = write->is_dry_run,
                    .options = lw_buf_view(&a->options) },
        .subject = &a->subject,
        .stream = write->stream,
        .call = write->call,
        .deadline_ns = lw_ask_deadline(write),
        .status = &write->status,
        .over = webhooks_over,
        .arg = a,
    };
    return lw_hook_run_begin(&a->run, &request);
}

/* Deletions are shown to policies by their own (write_policies.h). */
static bool pass_policies(lw_write *write, const lw_ask *ask, lw_str old)
{
    return ask->operation == LW_OPERATION_DELETE ||
           lw_policies_admit_ask(write, ask, subresource_name(ask->subresource), old);
}

/* What nothing changes any more is checked, and shown to the validating policies. */
static bool is_good(lw_write *write, const lw_ask *ask, lw_str old)
{
    return (!ask->check || ask->check(write, ask->object)) && pass_policies(write, ask, old);
}

/* The mutating webhooks have passed it. */
static lw_hook_outcome begin_validating(asking *a)
{
    a->is_mutating = false;
    return is_good(a->write, &a->ask, lw_buf_view(&a->old)) ? begin(a) : LW_HOOK_REFUSED;
}

/* Puts |changed| in the place of the object that was asked about. */
static void take_changed(lw_write *write, lw_ask *ask, lw_tree *changed)
{
    lw_tree **place = ask->body ? ask->body : &write->asked;
    lw_tree_free(*place);
    *place = changed;
    ask->object = lw_tree_root(changed);
}

/* All webhooks have passed it. */
static void leave_changed(asking *a, lw_ask *ask)
{
    if (!a->is_changed)
        return;
    take_changed(a->write, ask, a->tree);
    a->tree = NULL;
}

/* Asks the mutating webhooks, then the validating ones.  Returns ASK, REFUSE, or the decision of
 * the write that goes on. */
static lw_write_decision go_on(asking *a, lw_hook_outcome outcome)
{
    lw_write *write = a->write;
    if (outcome == LW_HOOK_PASSED && a->is_mutating)
        outcome = begin_validating(a);
    if (outcome == LW_HOOK_WAITING)
        return LW_WRITE_ASK;
    write->question = NULL;
    if (outcome == LW_HOOK_PASSED)
        leave_changed(a, &a->ask);
    asking_free(&a->base);
    if (outcome == LW_HOOK_REFUSED)
        return LW_WRITE_REFUSE;
    write->is_admitted = true;
    return write->decide(write);
}

static lw_write_decision resume(lw_write *write)
{
    asking *a = (asking *)(void *)write->question;
    return go_on(a, a->is_passed ? LW_HOOK_PASSED : LW_HOOK_REFUSED);
}

static lw_status open_asking(asking *a)
{
    lw_json_writer w;
    lw_buf_init(&a->object, LW_HOOK_REVIEW_MAX);
    lw_buf_init(&a->old, LW_HOOK_REVIEW_MAX);
    lw_buf_init(&a->options, LW_ASK_OPTIONS_MAX);
    if (a->ask.delete_options)
        write_delete_options(a->write, a->ask.delete_options, &a->options);
    else
        lw_ask_write_options(a->write, a->ask.operation == LW_OPERATION_CREATE, &a->options);
    lw_buf_append_str(&a->old, a->ask.old);
    a->subject.old_json = lw_buf_view(&a->old);
    if (a->options.st < 0 || a->old.st < 0)
        return a->options.st < 0 ? a->options.st : a->old.st;
    if (!a->ask.object)
        return LW_OK;
    lw_json_writer_init(&w, &a->object, LW_JSON_COMPACT);
    lw_node_write(a->ask.object, &w);
    lw_status st = lw_json_writer_status(&w);
    if (st == LW_OK)
        st = lw_tree_parse(&a->tree, lw_buf_view(&a->object), 0, NULL);
    if (st == LW_OK)
        a->ask.object = lw_tree_root(a->tree); /* the other may be gone when there is an answer */
    return st;
}

/* Policies change the body of a request once: later attempts find it changed. */
static bool pass_mutating_policies(lw_write *write, lw_ask *ask)
{
    lw_tree *changed = NULL;
    if (!ask->object || ask->operation == LW_OPERATION_DELETE || (ask->body && write->is_mutated))
        return true;
    if (!lw_policies_mutate_ask(write, ask, subresource_name(ask->subresource), &changed))
        return false;
    write->is_mutated = true;
    if (changed)
        take_changed(write, ask, changed);
    return true;
}

bool lw_ask_is_admitted(lw_write *write, lw_ask *ask, lw_write_decision *decision)
{
    const lw_hook_matches *matches = NULL;
    lw_status st = LW_OK;
    if (write->is_admitted && write->asked)
        ask->object = lw_tree_root(write->asked);
    if (write->is_admitted)
        return true;
    *decision = LW_WRITE_REFUSE;
    if (!pass_mutating_policies(write, ask))
        return false;
    if (write->user && write->port->api->hooks)
        st = lw_hooks_find(write->port, kind_of(write, ask), subresource_name(ask->subresource),
                           ask->operation, &matches);
    if (st == LW_OK && !matches)
        return is_good(write, ask, ask->old);
    asking *a = st == LW_OK ? lw_alloc_zero(1, sizeof(*a)) : NULL;
    if (!a) {
        *decision = lw_write_fail(write, st < 0 ? st : LW_ERR_NOMEM);
        return false;
    }
    a->base.free = asking_free;
    a->write = write;
    a->ask = *ask;
    a->is_mutating = true;
    a->subject = (lw_hook_subject){ .write = subject_write,
                                    .metadata = subject_metadata,
                                    .replace = ask->object ? subject_replace : NULL,
                                    .old = ask->has_old ? write->current : NULL };
    write->question = &a->base;
    write->resume = resume;
    st = open_asking(a);
    if (st < 0) {
        *decision = lw_write_fail(write, st);
        return false;
    }
    lw_hook_outcome outcome = begin(a);
    if (outcome == LW_HOOK_PASSED)
        outcome = begin_validating(a);
    if (outcome == LW_HOOK_PASSED) {
        write->question = NULL;
        leave_changed(a, ask);
        asking_free(&a->base);
        return true;
    }
    *decision = outcome == LW_HOOK_WAITING ? LW_WRITE_ASK : LW_WRITE_REFUSE;
    return false;
}
