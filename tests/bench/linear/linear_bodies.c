/* SPDX-License-Identifier: Apache-2.0 */
/* linear_bodies.c -- a body with twice as many items takes about twice the work.
 *
 * Sends every list and map field of every built-in kind with N and with 2 N items, in all ways that
 * a client can send them, and compares what the server has done (work_meter.h).  Nothing is stored:
 * the requests are dry runs, and whether they are accepted does not matter. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/pack/pack.h"
#include "base/str.h"
#include "bench/linear/custom_bodies.h"
#include "bench/linear/field_bodies.h"
#include "bench/linear/linear.h"
#include "bench/linear/work_meter.h"
#include "object/gvk.h"
#include "schema/kinds/kind.h"

enum {
    DONE_MAX = 4096, /* fields of structs */
};

/* What is measured for the fields. */
typedef struct field_run {
    linear *run;
    const lw_kind *kind;
    lw_buf target, key, name, small, large;
    struct {
        const lw_type *owner;
        const lw_field *field;
    } done[DONE_MAX]; /* what need not be measured for each kind */
    size_t done_count;
} field_run;

static void write_target(field_run *f, bool is_object, const char *query)
{
    const lw_kind *kind = f->kind;
    lw_buf_reset(&f->target);
    lw_buf_append_text(&f->target, kind->group.len > 0 ? "/apis/" : "/api/");
    lw_api_version_append(&f->target, kind->group, kind->version);
    lw_buf_printf(&f->target, "/%s%.*s%s?%s", kind->is_namespaced ? "namespaces/default/" : "",
                  LW_STR_ARG(kind->plural), is_object ? "/x" : "", query);
    lw_buf_append_char(&f->target, '\0');
}

/* Compares both bodies, which are complete, sent as |method|. */
static void compare(field_run *f, const field_path *path, const char *method, const char *type,
                    const char *what)
{
    lw_buf_reset(&f->name);
    lw_buf_printf(&f->name, "%s ", what);
    if (path)
        field_path_write(&f->name, f->kind, path);
    else
        lw_buf_append_str(&f->name, f->kind->kind);
    lw_buf_append_char(&f->name, '\0');
    linear_request request = { method, f->target.data, type };
    linear_compare(f->run, &request, f->name.data, &f->small, &f->large);
}

static void write_bodies(field_run *f, const field_path *path, items how)
{
    lw_buf_reset(&f->small);
    lw_buf_reset(&f->large);
    field_body_write(&f->small, f->kind, path, how, LINEAR_N);
    field_body_write(&f->large, f->kind, path, how, 2 * LINEAR_N);
}

static bool is_done(field_run *f, const field_path *path)
{
    const lw_field *field = path->fields[path->count - 1];
    for (size_t i = 0; i < f->done_count; i++) {
        if (f->done[i].owner == path->owner && f->done[i].field == field)
            return true;
    }
    if (f->done_count < DONE_MAX) {
        f->done[f->done_count].owner = path->owner;
        f->done[f->done_count++].field = field;
    }
    return false;
}

/* Distinct items in each kind, which has checks of its own.  Equal ones and nulls are found by code
 * that follows the types, so each field of each struct is sent with them once. */
static void post_field(const field_path *path, void *arg)
{
    field_run *f = arg;
    static const struct {
        items how;
        const char *what;
    } ways[] = {
        { ITEMS_DISTINCT, "create" },
        { ITEMS_EQUAL, "create with equal items" },
        { ITEMS_NULL, "create with nulls" },
    };
    bool was_done = is_done(f, path);
    write_target(f, false, "dryRun=All");
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        if (was_done && ways[i].how != ITEMS_DISTINCT)
            continue;
        write_bodies(f, path, ways[i].how);
        compare(f, path, "POST", NULL, ways[i].what);
    }
}

/* The objects that are patched have as many items as the patch. */
static void put_stored(field_run *f, const field_path *path, unsigned count)
{
    lw_buf json;
    lw_buf_init(&json, LINEAR_TEXT_MAX);
    field_body_write(&json, f->kind, path, ITEMS_DISTINCT, count);
    lw_buf_append_char(&json, '\0');
    lw_buf_reset(&f->key);
    lw_buf_printf(&f->key, "%.*s/%sx", LW_STR_ARG(f->kind->storage),
                  f->kind->is_namespaced ? "default/" : "");
    lw_buf_append_char(&f->key, '\0');
    linear_put(f->run, f->key.data, json.data);
    lw_buf_done(&json);
}

/* Compares a patch of an object with N items with that of one with 2 N. */
static void compare_patch(field_run *f, const field_path *path, const char *type, const char *what)
{
    work small, large;
    linear_request request = { "PATCH", f->target.data, type };
    lw_buf_reset(&f->name);
    lw_buf_printf(&f->name, "%s ", what);
    field_path_write(&f->name, f->kind, path);
    lw_buf_append_char(&f->name, '\0');
    put_stored(f, path, LINEAR_N);
    small = linear_measure(f->run, &request, &f->small);
    put_stored(f, path, 2 * LINEAR_N);
    large = linear_measure(f->run, &request, &f->large);
    linear_judge(f->run, f->name.data, small, large);
}

static void write_operations(lw_buf *out, const field_path *path, bool is_removal, unsigned count)
{
    bool is_list = lw_type_in_json(path->fields[path->count - 1]->type)->form == LW_TYPE_LIST;
    lw_buf_reset(out);
    lw_buf_append_char(out, '[');
    for (unsigned i = 0; i < count; i++) {
        lw_buf_printf(out, "%s{\"op\":\"%s\",\"path\":\"", i > 0 ? "," : "",
                      is_removal ? "remove" : "add");
        field_pointer_write(out, path);
        if (is_list && is_removal) /* from the end: no element has to move */
            lw_buf_printf(out, "/%u\"", count - 1 - i);
        else if (is_list)
            lw_buf_append_text(out, "/-\"");
        else
            lw_buf_printf(out, "/%c%06u\"", is_removal ? 'k' : 'n', i);
        if (!is_removal)
            lw_buf_append_text(out, ",\"value\":\"v\"");
        lw_buf_append_char(out, '}');
    }
    lw_buf_append_char(out, ']');
}

/* Patches follow the types, not the kinds: each field of each struct is patched once. */
static void patch_field(const field_path *path, void *arg)
{
    field_run *f = arg;
    if (is_done(f, path))
        return;
    write_target(f, true, "dryRun=All");
    write_bodies(f, path, ITEMS_CHANGED);
    compare_patch(f, path, "application/merge-patch+json", "merge patch of");
    compare_patch(f, path, "application/strategic-merge-patch+json", "strategic patch of");
    write_bodies(f, path, ITEMS_NULL);
    compare_patch(f, path, "application/merge-patch+json", "merge patch that removes");
    write_bodies(f, path, ITEMS_DELETED);
    compare_patch(f, path, "application/strategic-merge-patch+json",
                  "strategic patch that removes");
    for (int is_removal = 0; is_removal < 2; is_removal++) {
        write_operations(&f->small, path, is_removal, LINEAR_N);
        write_operations(&f->large, path, is_removal, 2 * LINEAR_N);
        compare_patch(f, path, "application/json-patch+json",
                      is_removal ? "JSON patch that removes" : "JSON patch that adds to");
    }
    write_target(f, true, "dryRun=All&fieldManager=m&force=true");
    write_bodies(f, path, ITEMS_CHANGED);
    compare_patch(f, path, "application/apply-patch+yaml", "apply of");
    linear_delete(f->run, f->key.data);
}

static void post_unknown(field_run *f)
{
    lw_buf *bodies[] = { &f->small, &f->large };
    write_target(f, false, "dryRun=All");
    for (unsigned b = 0; b < 2; b++) {
        lw_buf_reset(bodies[b]);
        lw_buf_append_text(bodies[b], "{\"metadata\":{\"name\":\"x\"}");
        for (unsigned i = 0; i < (b + 1) * LINEAR_N; i++)
            lw_buf_printf(bodies[b], ",\"u%06u\":{\"a\":null}", i);
        lw_buf_append_char(bodies[b], '}');
    }
    compare(f, NULL, "POST", NULL, "unknown fields of");
}

static bool can_be_stored(const lw_kind *kind)
{
    return kind->storage.len > 0 && !kind->stored_as && kind->verbs & LW_VERB_PATCH;
}

typedef enum step {
    STEP_CREATE,
    STEP_UNKNOWN,
    STEP_PATCH,
} step;

static void run_fields(linear *run, step what)
{
    size_t count;
    const lw_kind *const *kinds = lw_kinds_builtin(&count);
    field_run *f = calloc(1, sizeof(*f));
    if (!f)
        abort();
    f->run = run;
    lw_buf *bufs[] = { &f->target, &f->key, &f->name, &f->small, &f->large };
    for (size_t i = 0; i < sizeof(bufs) / sizeof(bufs[0]); i++)
        lw_buf_init(bufs[i], LINEAR_TEXT_MAX);
    for (size_t i = 0; i < count; i++) {
        const lw_type *type = lw_type_of_kind(lw_kind_gvk(kinds[i]));
        f->kind = kinds[i];
        if (!type || !(kinds[i]->verbs & LW_VERB_CREATE))
            continue;
        if (what == STEP_CREATE)
            field_paths_visit(type, post_field, f);
        else if (what == STEP_UNKNOWN)
            post_unknown(f);
        else if (can_be_stored(kinds[i]))
            field_paths_visit(type, patch_field, f);
    }
    for (size_t i = 0; i < sizeof(bufs) / sizeof(bufs[0]); i++)
        lw_buf_done(bufs[i]);
    free(f);
}

static void run_creates(linear *run)
{
    run_fields(run, STEP_CREATE);
}

static void run_unknown(linear *run)
{
    run_fields(run, STEP_UNKNOWN);
}

static void run_patches(linear *run)
{
    run_fields(run, STEP_PATCH);
}

/* Packs |len| bytes that repeat themselves, of which the sibling has half as many.  Such a body and
 * its sibling go on together at many places. */
static work pack_repeated(size_t len, bool is_in_order)
{
    enum {
        PERIOD = 37,
    };
    static lw_pack_dictionary dictionary;
    static lw_pack_heads heads;
    static char bytes[2 * LW_PACK_BODY_MAX + LW_PACK_SLACK], packed[2 * LW_PACK_BODY_MAX];
    const lw_pack_room room = { &dictionary, bytes, len / 2, 0, len };
    for (size_t i = 0; i < len / 2 + len; i++)
        bytes[i] = (char)('0' + (i < len / 2 ? i : i - len / 2) % PERIOD);
    lw_pack_index(&room, &heads);
    work start = work_meter_read();
    if (is_in_order)
        (void)lw_pack_aligned(&room, &heads, packed, len / 2);
    else
        (void)lw_pack(&room, &heads, packed);
    work end = work_meter_read();
    return (work){ end.blocks - start.blocks, end.bytes - start.bytes };
}

static void run_packing(linear *run)
{
    const size_t len = LW_PACK_BODY_MAX / 2;
    linear_judge(run, "packing", pack_repeated(len, false), pack_repeated(2 * len, false));
    linear_judge(run, "packing in order", pack_repeated(len, true), pack_repeated(2 * len, true));
}

/* The meter must see what a step counter may miss; these two must fail. */
static void run_planted(linear *run)
{
    static uint64_t (*const loops[])(uint32_t count) = { planted_quadratic, planted_moves };
    for (size_t i = 0; i < sizeof(loops) / sizeof(loops[0]); i++) {
        work start = work_meter_read();
        uint64_t result = loops[i](LINEAR_N);
        work middle = work_meter_read();
        result += loops[i](2 * LINEAR_N);
        work end = work_meter_read();
        bool is_seen = linear_ratio(middle.blocks - start.blocks, end.blocks - middle.blocks) >
                       LINEAR_RATIO_MAX;
        run->compared++;
        if (!is_seen || result == 0) {
            printf("# planted loop %zu was not seen\n", i);
            run->failed++;
        }
    }
}

int main(void)
{
    static const struct {
        const char *name;
        void (*run)(linear *run);
    } tests[] = {
        { "the meter sees quadratic loops", run_planted },
        { "creates with long lists and maps take linear work", run_creates },
        { "unknown fields take linear work", run_unknown },
        { "patches of long lists and maps take linear work", run_patches },
        { "custom resources, services and YAML take linear work", run_custom },
        { "packing bodies that repeat themselves takes linear work", run_packing },
    };
    size_t failed = 0, count = sizeof(tests) / sizeof(tests[0]);
    work_meter_start();
    printf("1..%zu\n", count);
    for (size_t i = 0; i < count; i++) {
        linear run = { 0 };
        if (!linear_open(&run)) {
            printf("not ok %zu - %s: the server does not start\n", i + 1, tests[i].name);
            return 1;
        }
        tests[i].run(&run);
        printf("# %zu comparisons; the largest ratio is %.2f: %s\n", run.compared, run.worst,
               run.worst_name);
        printf("%s %zu - %s\n", run.failed > 0 ? "not ok" : "ok", i + 1, tests[i].name);
        (void)fflush(stdout);
        failed += run.failed;
        linear_close(&run);
    }
    return failed > 0;
}
