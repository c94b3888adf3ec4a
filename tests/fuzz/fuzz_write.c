/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_write.c -- untrusted objects: any input is rejected or becomes an object, and sending that
 * object again changes nothing.
 *
 * The first line names the kind, "deployments.apps"; the rest is the body.  Any other first line
 * selects one of all kinds that can be created and updated, so that a new kind needs no seed. */
#include "fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>

#include "api/api.h"
#include "api/context/port.h"
#include "api/write/change.h"
#include "base/str.h"
#include "schema/kinds/conversion.h"
#include "unit/cache/fake_store.h"
#include "json/fields.h"

/* An API on a store without threads, made once. */
typedef struct scene {
    fake_store store;
    lw_registry *registry;
    lw_cache *cache;
    lw_api *api;
    lw_api_port port;
} scene;

static scene *the_scene(void)
{
    static scene s;
    if (s.api)
        return &s;
    fake_init(&s.store);
    const lw_cache_options cache_options = { .store = &s.store.base };
    if (lw_registry_new(&s.registry) < 0 || lw_cache_new(&s.cache, &cache_options, NULL) < 0)
        abort();
    const lw_api_options options = { .store = &s.store.base,
                                     .cache = s.cache,
                                     .registry = s.registry,
                                     .server_address = LW_STR("") };
    if (lw_api_new(&s.api, &options, NULL) < 0 || lw_cache_start(s.cache, NULL) < 0)
        abort();
    s.port.api = s.api;
    lw_random_init(&s.port.random, 1);
    return &s;
}

/* Prints what was sent and the result, for the report. */
static _Noreturn void fail_unstable(const lw_write *write, lw_write_decision verdict)
{
    lw_str sent = lw_object_json(write->current);
    fprintf(stderr, "sent: %.*s\n", LW_STR_ARG(sent));
    if (verdict == LW_WRITE_REFUSE)
        fprintf(stderr, "refused: %.*s\n",
                LW_STR_ARG(lw_api_status_str(&write->status, write->status.message)));
    else if (write->next)
        fprintf(stderr, "became: %.*s\n", LW_STR_ARG(lw_object_json(write->next)));
    abort();
}

/* Sending |obj| unchanged must change nothing: defaults are applied once. */
static void send_again(lw_write *write, lw_object *obj)
{
    lw_tree *tree = NULL;
    if (lw_object_with_revision(&write->current, obj, 7) < 0)
        abort();
    /* As its clients see it: it may be stored in another version. */
    lw_status st = write->kind->conversion
                       ? lw_kind_parse_converted(write->kind, write->current, NULL, &tree)
                       : lw_tree_parse(&tree, lw_object_json(write->current), 0, NULL);
    if (st < 0)
        abort();
    const lw_change change = { .body = lw_tree_root(tree) };
    lw_write_decision verdict = lw_change_update(write, &change);
    if (verdict != LW_WRITE_KEEP)
        fail_unstable(write, verdict);
    lw_tree_free(tree);
}

static void send(scene *s, const lw_kind *kind, const lw_node *body)
{
    lw_str name = lw_fields_text_at(body, "/metadata/name");
    bool is_generated = name.len == 0;
    lw_write write = { .port = &s->port,
                       .kind = kind,
                       .key = { kind->is_namespaced ? LW_STR("default") : LW_STR(""),
                                is_generated ? LW_STR("a") : name } };
    const lw_change change = { .body = body, .is_unnamed = true, .is_generated = is_generated };
    lw_write_decision verdict = lw_change_create(&write, &change);
    if (verdict == LW_WRITE_REFUSE) {
        lw_api_status_done(&write.status);
        return;
    }
    if (verdict != LW_WRITE_PUT || !write.next)
        abort();
    lw_object *made = write.next;
    write.next = NULL;
    send_again(&write, made);
    lw_object_unref(made);
    lw_object_unref(write.current);
}

static bool is_named(const lw_kind *kind, lw_str line)
{
    lw_str plural, group = LW_STR("");
    (void)lw_str_cut(line, '.', &plural, &group);
    return lw_str_equal(plural, kind->plural) && lw_str_equal(group, kind->group);
}

static bool is_writable(const lw_kind *kind)
{
    return (kind->verbs & LW_VERB_CREATE) && (kind->verbs & LW_VERB_UPDATE);
}

static const lw_kind *choose_kind(const scene *s, lw_str line)
{
    size_t count, sum = 0;
    const lw_kind *const *kinds = lw_registry_kinds(s->registry, &count);
    for (size_t i = 0; i < count; i++) {
        if (is_writable(kinds[i]) && is_named(kinds[i], line))
            return kinds[i];
    }
    for (size_t i = 0; i < line.len; i++)
        sum += (unsigned char)line.ptr[i];
    while (!is_writable(kinds[sum % count]))
        sum++;
    return kinds[sum % count];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lw_str line, body;
    lw_tree *tree = NULL;
    scene *s = the_scene();
    if (!lw_str_cut(lw_str_make((const char *)data, size), '\n', &line, &body) ||
        lw_tree_parse(&tree, body, 0, NULL) < 0)
        return 0;
    if (lw_node_is(lw_tree_root(tree), LW_JSON_OBJECT))
        send(s, choose_kind(s, line), lw_tree_root(tree));
    lw_tree_free(tree);
    return 0;
}
