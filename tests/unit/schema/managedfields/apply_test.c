/* SPDX-License-Identifier: Apache-2.0 */
/* apply_test.c -- who has which fields after updates and applies, and what becomes of the object.
 * What is expected is what kube-apiserver's own field manager (1.34) says to the same writes.
 * JSON is written here with ' for ". */
#include "schema/managedfields/apply.h"

#include <stdio.h>

#include "base/str.h"
#include "object/gvk.h"
#include "schema/managedfields/applied_fields.h"
#include "schema/managedfields/field_place.h"
#include "schema/managedfields/managed_fields_create.h"
#include "schema/types/type.h"
#include "unit/test.h"

enum {
    TEXT_MAX = 1 << 16,
};

/* One object on its way through the writes. */
static struct world {
    lw_tree *tree;
    lw_node *live, *managed;
    lw_apply apply;
    char time[32];
    unsigned own;    /* updates that took nothing from others */
    unsigned stored; /* applies to entries that were not read as a whole */
} world;

static int setup(void **state)
{
    (void)state;
    world = (struct world){ 0 };
    (void)snprintf(world.time, sizeof(world.time), "2026-01-01T00:00:00Z");
    return lw_tree_new(&world.tree, 0) == LW_OK ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    lw_tree_free(world.tree);
    return 0;
}

static lw_node *json_of(const char *text)
{
    char json[TEXT_MAX];
    lw_node *node = NULL;
    size_t len = strlen(text);
    assert_true(len < sizeof(json));
    for (size_t i = 0; i <= len; i++)
        json[i] = text[i];
    for (size_t i = 0; i < len; i++)
        json[i] = json[i] == '\'' ? '"' : json[i];
    assert_int_equal(lw_tree_parse_node(world.tree, lw_str_make(json, len), &node, NULL), LW_OK);
    return node;
}

static lw_str member(const lw_node *object, const char *key)
{
    return lw_node_text(lw_node_get(object, lw_str_of(key)));
}

/* What is written straight from a new object is what comes of comparing it with nothing. */
static void assert_fresh(const lw_field_write *write, const lw_node *object)
{
    lw_buf fresh, noted;
    lw_json_writer w;
    lw_buf_init(&fresh, TEXT_MAX);
    lw_buf_init(&noted, TEXT_MAX);
    lw_json_writer_init(&w, &noted, LW_JSON_COMPACT);
    if (world.managed)
        lw_node_write(world.managed, &w);
    lw_buf_append_char(&noted, '\0');
    assert_int_equal(lw_managed_fields_create(write->type, &write->manager, object, write->ignored,
                                              &fresh),
                     LW_OK);
    assert_str_equal(lw_buf_view(&fresh), noted.data);
    lw_buf_done(&fresh);
    lw_buf_done(&noted);
}

/* The same entries, whose sets are closed, as in a stored object; they live as long as the world.
 */
static lw_node *closed(const lw_node *managed)
{
    lw_buf text;
    lw_json_writer w;
    lw_tree *tree = NULL;
    if (!managed)
        return NULL;
    lw_buf_init(&text, TEXT_MAX);
    lw_json_writer_init(&w, &text, LW_JSON_COMPACT);
    lw_node_write(managed, &w);
    assert_int_equal(lw_tree_parse_closed(&tree, lw_buf_view(&text), LW_STR("fieldsV1"), true, NULL,
                                          NULL),
                     LW_OK);
    lw_node *copy = lw_tree_copy(world.tree, lw_tree_root(tree));
    lw_tree_free(tree);
    lw_buf_done(&text);
    return copy;
}

/* The entries after an update that is noted in the stored ones, which are closed; empty if it
 * cannot be.  |*has_new|: fields have moved. */
static void note_own(const lw_field_write *write, const lw_node *live, const lw_node *next,
                     lw_buf *out, bool *has_new)
{
    lw_managers managers;
    lw_field_changes changes;
    lw_managers_init(&managers, world.tree);
    assert_int_equal(lw_managers_read_as_is(&managers, closed(world.managed), NULL), LW_OK);
    assert_int_equal(lw_field_write_compare(world.tree, write, live, next, &changes), LW_OK);
    if (lw_managers_note_stored(&managers, write, &changes, has_new))
        lw_managers_append_json(&managers, out);
    lw_managers_done(&managers);
}

/* Entries that are left as they are do not differ from those that are read and written. */
static void assert_own(const lw_buf *own, bool has_new, const lw_node *before)
{
    lw_buf noted;
    lw_json_writer w;
    if (own->len == 0)
        return;
    lw_buf_init(&noted, TEXT_MAX);
    lw_json_writer_init(&w, &noted, LW_JSON_COMPACT);
    lw_node_write(world.managed, &w);
    lw_buf_append_char(&noted, '\0');
    assert_str_equal(lw_buf_view(own), noted.data);
    assert_int_equal(has_new, !lw_managers_equal_untimed(before, world.managed));
    world.own++;
    lw_buf_done(&noted);
}

static void write_to(lw_buf *out, const lw_node *node)
{
    lw_json_writer w;
    lw_json_writer_init(&w, out, LW_JSON_COMPACT);
    lw_node_write(node, &w);
}

/* Appends what comes of an apply to an object whose entries are stored: the managers, the object
 * and the conflicts.  Nothing if the entries must be read as a whole. */
static void apply_stored(const lw_field_write *write, lw_apply apply, lw_buf *out)
{
    lw_managers managers;
    lw_node *managed = NULL;
    lw_managers_init(&managers, world.tree);
    assert_int_equal(lw_managers_read_as_is(&managers, closed(world.managed), NULL), LW_OK);
    if (lw_managers_are_kept(&managers)) {
        lw_status st = lw_managers_apply(&managers, write, &apply);
        assert_true(st == LW_OK || st == LW_ERR_CONFLICT);
        if (st == LW_OK)
            assert_int_equal(lw_managers_write(&managers, &managed), LW_OK);
        write_to(out, managed);
        write_to(out, st == LW_OK ? apply.merged : apply.conflicts);
        lw_buf_append_char(out, apply.is_same ? '=' : '!');
    }
    lw_managers_done(&managers);
}

/* An apply to entries that are read only where they matter is the same as to others. */
static void assert_stored(const lw_buf *stored, lw_status st)
{
    lw_buf read;
    if (stored->len == 0)
        return;
    lw_buf_init(&read, TEXT_MAX);
    write_to(&read, st == LW_OK ? world.managed : NULL);
    write_to(&read, st == LW_OK ? world.apply.merged : world.apply.conflicts);
    lw_buf_append_char(&read, world.apply.is_same ? '=' : '!');
    lw_buf_append_char(&read, '\0');
    assert_str_equal(lw_buf_view(stored), read.data);
    world.stored++;
    lw_buf_done(&read);
}

static lw_status writes(const char *who, const lw_node *object, bool is_apply, bool is_forced)
{
    lw_gvk gvk = { .kind = member(object, "kind") };
    lw_str version = member(object, "apiVersion");
    assert_int_equal(lw_api_version_parse(version, &gvk.group, &gvk.version, NULL), LW_OK);
    lw_str time = lw_node_text(lw_tree_string(world.tree, lw_str_of(world.time)));
    const lw_field_write write = { .type = lw_type_of_kind(gvk),
                                   .manager = { .name = lw_str_of(who),
                                                .api_version = version,
                                                .time = time,
                                                .is_apply = is_apply } };
    lw_managers managers;
    const lw_node *before = world.managed;
    bool has_new = false;
    lw_buf own, stored;
    lw_buf_init(&own, TEXT_MAX);
    lw_buf_init(&stored, TEXT_MAX);
    world.apply = (lw_apply){ .live = world.live, .config = object, .is_forced = is_forced };
    if (world.managed && world.live && !is_apply)
        note_own(&write, world.live, object, &own, &has_new);
    else if (world.managed && world.live)
        apply_stored(&write, world.apply, &stored);
    lw_managers_init(&managers, world.tree);
    assert_int_equal(lw_managers_read(&managers, world.managed, NULL), LW_OK);
    lw_status st = is_apply ? lw_managers_apply(&managers, &write, &world.apply)
                            : lw_managers_update(&managers, &write, world.live, object);
    if (st == LW_OK) {
        bool is_new = !world.live && !is_apply;
        world.live = lw_tree_copy(world.tree, is_apply ? world.apply.merged : object);
        assert_int_equal(lw_managers_write(&managers, &world.managed), LW_OK);
        if (is_new)
            assert_fresh(&write, object);
        assert_own(&own, has_new, before);
    }
    if (is_apply)
        assert_stored(&stored, st);
    lw_buf_done(&own);
    lw_buf_done(&stored);
    lw_managers_done(&managers);
    return st;
}

static void updates(const char *who, const char *object)
{
    assert_int_equal(writes(who, json_of(object), false, false), LW_OK);
}

static void applies(const char *who, const char *object)
{
    assert_int_equal(writes(who, json_of(object), true, false), LW_OK);
}

static void applies_by_force(const char *who, const char *object)
{
    assert_int_equal(writes(who, json_of(object), true, true), LW_OK);
}

static void assert_json_at(const lw_node *node, const char *text, const char *file, int line)
{
    lw_buf got, want;
    lw_buf_init(&got, TEXT_MAX);
    lw_buf_init(&want, TEXT_MAX);
    write_to(&got, node);
    write_to(&want, json_of(text));
    lw_buf_append_char(&want, '\0');
    assert_str_equal_at(lw_buf_view(&got), want.data, file, line);
    lw_buf_done(&got);
    lw_buf_done(&want);
}
#define assert_json(node, text) assert_json_at((node), (text), __FILE__, __LINE__)

/* The fields of one manager; "" for nobody of the name. */
static void assert_fields_at(const char *who, const char *fields, const char *file, int line)
{
    for (size_t i = 0; i < lw_node_count(world.managed); i++) {
        const lw_node *entry = lw_node_at(world.managed, i);
        if (lw_str_equal(member(entry, "manager"), lw_str_of(who))) {
            assert_json_at(lw_node_get(entry, LW_STR("fieldsV1")), fields, file, line);
            return;
        }
    }
    if (fields[0] != '\0') {
        print_error("nobody is called %s\n", who);
        _fail(file, line);
    }
}
#define assert_fields(who, fields) assert_fields_at((who), (fields), __FILE__, __LINE__)

#define MAP(members)               "{'apiVersion':'v1','kind':'ConfigMap','metadata':{'name':'a'}" members "}"
#define DATA(members)              MAP(",'data':{" members "}")
#define PODS(containers)                                                                           \
    "{'apiVersion':'v1','kind':'Pod','metadata':{'name':'p'},'spec':{'containers':[" containers    \
    "]}}"

static void an_update_has_what_it_changes(void **state)
{
    (void)state;
    updates("probe", DATA("'k':'v'"));
    assert_json(world.managed,
                "[{'manager':'probe','operation':'Update','apiVersion':'v1','time':"
                "'2026-01-01T00:00:00Z','fieldsType':'FieldsV1','fieldsV1':{'f:data':{'.':{},"
                "'f:k':{}}}}]");
    updates("other", DATA("'k':'w','x':'y'"));
    assert_fields("probe", "{'f:data':{}}");
    assert_fields("other", "{'f:data':{'f:k':{},'f:x':{}}}");
    updates("z", MAP(""));
    assert_int_equal(lw_node_count(world.managed), 0);
}

static void a_new_struct_has_what_go_has_in_any_case(void **state)
{
    (void)state;
    updates("e", PODS("{'name':'c','image':'i','ports':[{'containerPort':80},{'containerPort':9,"
                      "'protocol':'UDP'}],'securityContext':{'privileged':false}}"));
    assert_fields("e", "{'f:spec':{'f:containers':{'k:{\\'name\\':\\'c\\'}':{'.':{},'f:image':{},"
                       "'f:name':{},'f:ports':{'.':{},'k:{\\'containerPort\\':9,\\'protocol\\':"
                       "\\'UDP\\'}':{'.':{},'f:containerPort':{},'f:protocol':{}},"
                       "'k:{\\'containerPort\\':80,\\'protocol\\':\\'TCP\\'}':{'.':{},"
                       "'f:containerPort':{}}},'f:resources':{},'f:securityContext':{'.':{},"
                       "'f:privileged':{}}}}}}");
}

static void an_apply_creates_changes_and_removes_by_omission(void **state)
{
    (void)state;
    applies("kubectl", DATA("'a':'1','b':'2'"));
    assert_fields("kubectl", "{'f:data':{'f:a':{},'f:b':{}}}");
    applies("kubectl", DATA("'a':'3'"));
    assert_fields("kubectl", "{'f:data':{'f:a':{}}}");
    assert_json(lw_node_get(world.live, LW_STR("data")), "{'a':'3'}");
    applies("kubectl", MAP(""));
    assert_null(lw_node_get(world.live, LW_STR("data")));
    assert_fields("kubectl", "");
}

static void what_others_apply_too_stays(void **state)
{
    (void)state;
    applies("kubectl", DATA("'a':'1','b':'2'"));
    applies("b", DATA("'b':'2'"));
    applies("kubectl", DATA("'a':'1'"));
    assert_json(lw_node_get(world.live, LW_STR("data")), "{'a':'1','b':'2'}");
    assert_fields("kubectl", "{'f:data':{'f:a':{}}}");
    assert_fields("b", "{'f:data':{'f:b':{}}}");
    applies("b", DATA("'c':'1'"));
    assert_json(lw_node_get(world.live, LW_STR("data")), "{'a':'1','c':'1'}");
}

static void a_field_of_another_is_a_conflict_unless_forced(void **state)
{
    (void)state;
    updates("kubectl-edit", DATA("'k':'1','l':'1'"));
    assert_int_equal(writes("kubectl", json_of(DATA("'k':'2','l':'1'")), true, false),
                     LW_ERR_CONFLICT);
    assert_json(world.apply.conflicts,
                "[{'manager':'\\'kubectl-edit\\' using v1','fields':['.data.k']}]");
    applies("a", DATA("'k':'1'"));
    assert_int_equal(writes("kubectl", json_of(DATA("'k':'2','l':'2'")), true, false),
                     LW_ERR_CONFLICT);
    assert_json(world.apply.conflicts,
                "[{'manager':'\\'a\\'','fields':['.data.k']},{'manager':'\\'kubectl-edit\\' "
                "using v1','fields':['.data.k','.data.l']}]");
    applies("a", MAP(""));
    applies_by_force("kubectl", DATA("'k':'2','l':'1'"));
    assert_fields("kubectl", "{'f:data':{'f:k':{},'f:l':{}}}");
    assert_fields("kubectl-edit", "{'f:data':{'.':{},'f:l':{}}}");
}

static void an_update_after_an_apply_takes_the_field(void **state)
{
    (void)state;
    applies("kubectl", DATA("'a':'1'"));
    updates("kubectl-edit", DATA("'a':'2','n':'x'"));
    assert_fields("kubectl", "");
    assert_fields("kubectl-edit", "{'f:data':{'f:a':{},'f:n':{}}}");
    /* It is not removed when it is no longer applied: it is another's. */
    applies("kubectl", DATA("'n':'x'"));
    assert_json(lw_node_get(world.live, LW_STR("data")), "{'a':'2','n':'x'}");
}

static void items_of_keyed_lists_are_merged_by_their_keys(void **state)
{
    (void)state;
    applies("kubectl", PODS("{'name':'a','image':'1'},{'name':'b','image':'2'}"));
    applies("o", PODS("{'name':'z','image':'1'},{'name':'b','image':'2','tty':true}"));
    assert_json(lw_node_get(world.live, LW_STR("spec")),
                "{'containers':[{'name':'a','image':'1'},{'name':'z','image':'1'},"
                "{'name':'b','image':'2','tty':true}]}");
    applies("kubectl", PODS("{'name':'b','image':'2'},{'name':'a','image':'1'}"));
    assert_json(lw_node_get(world.live, LW_STR("spec")),
                "{'containers':[{'name':'z','image':'1'},{'name':'b','image':'2','tty':true},"
                "{'name':'a','image':'1'}]}");
    applies("kubectl", PODS("{'name':'a','image':'1'}"));
    assert_fields("kubectl", "{'f:spec':{'f:containers':{'k:{\\'name\\':\\'a\\'}':{'.':{},"
                             "'f:image':{},'f:name':{}}}}}");
    applies("o", PODS("{'name':'z','image':'1'}"));
    assert_json(lw_node_get(world.live, LW_STR("spec")),
                "{'containers':[{'name':'z','image':'1'},{'name':'a','image':'1'}]}");
}

static void sets_are_merged_and_atomic_lists_replaced(void **state)
{
    (void)state;
#define FINALIZERS(list) "{'apiVersion':'v1','kind':'Pod','metadata':{'finalizers':[" list "]}"
    applies("k", FINALIZERS("'a','b'") ",'spec':{'containers':[{'name':'c','args':['1']}]}}");
    applies("o", FINALIZERS("'c'") "}");
    assert_json(lw_node_get(lw_node_get(world.live, LW_STR("metadata")), LW_STR("finalizers")),
                "['a','b','c']");
    applies("k", FINALIZERS("'b'") ",'spec':{'containers':[{'name':'c','args':['2','3']}]}}");
    assert_json(lw_node_get(lw_node_get(world.live, LW_STR("metadata")), LW_STR("finalizers")),
                "['b','c']");
    assert_json(lw_node_get(world.live, LW_STR("spec")),
                "{'containers':[{'name':'c','args':['2','3']}]}");
    assert_fields("k", "{'f:metadata':{'f:finalizers':{'v:\\'b\\'':{}}},'f:spec':{'f:containers':"
                       "{'k:{\\'name\\':\\'c\\'}':{'.':{},'f:args':{},'f:name':{}}}}}");
}

static void without_a_type_lists_are_atomic_and_maps_are_not(void **state)
{
#define WIDGET(spec) "{'apiVersion':'ex.io/v1','kind':'Widget','spec':{" spec "}}"
    (void)state;
    applies("k", WIDGET("'list':[{'name':'a'}],'map':{'x':1}"));
    applies("o", WIDGET("'map':{'y':{}}"));
    assert_json(lw_node_get(world.live, LW_STR("spec")),
                "{'list':[{'name':'a'}],'map':{'x':1,'y':{}}}");
    assert_fields("k", "{'f:spec':{'.':{},'f:list':{},'f:map':{'.':{},'f:x':{}}}}");
    applies("k", WIDGET("'list':[{'name':'b'}]"));
    assert_json(lw_node_get(world.live, LW_STR("spec")), "{'list':[{'name':'b'}],'map':{'y':{}}}");
}

static void nothing_new_keeps_the_time(void **state)
{
    (void)state;
    applies("k", DATA("'a':'1'"));
    (void)snprintf(world.time, sizeof(world.time), "2026-01-01T00:00:07Z");
    const lw_node *before = lw_tree_copy(world.tree, world.managed);
    applies("k", DATA("'a':'1'"));
    assert_true(world.apply.is_same);
    assert_true(lw_node_equal(before, world.managed));
    updates("u", DATA("'a':'1'"));
    assert_true(lw_node_equal(before, world.managed));
    applies("k", DATA("'a':'2'"));
    assert_false(world.apply.is_same);
    assert_false(lw_node_equal(before, world.managed));
    assert_true(lw_managers_equal_untimed(before, world.managed));
}

static void an_update_is_noted_in_the_stored_entries(void **state)
{
    (void)state;
    updates("a", "{'apiVersion':'v1','kind':'ConfigMap','metadata':{'name':'c'},'data':{'x':'1'}}");
    assert_int_equal(world.own, 0);
    updates("b", "{'apiVersion':'v1','kind':'ConfigMap','metadata':{'name':'c'},'data':{'x':'1',"
                 "'w':'2'}}");
    assert_int_equal(world.own, 1);
    updates("b", "{'apiVersion':'v1','kind':'ConfigMap','metadata':{'name':'c'},'data':{'x':'1',"
                 "'w':'3','a':'4'}}");
    assert_int_equal(world.own, 2);
    updates("b", "{'apiVersion':'v1','kind':'ConfigMap','metadata':{'name':'c'},'data':{'x':'5',"
                 "'w':'3','a':'4'}}");
    assert_int_equal(world.own, 3); /* "a" loses its only field */
}

static void an_apply_reads_no_more_of_the_stored_entries_than_it_must(void **state)
{
    static const char config[] =
        "{'apiVersion':'v1','kind':'Pod','metadata':{'labels':{'b':'1','a/\\'x':'2'},'name':'p',"
        "'namespace':'n','annotations':{},'finalizers':['z','<a>']},'spec':{'volumes':null,"
        "'containers':[{'ports':[{'containerPort':80},{'containerPort':9,'protocol':'UDP'}],"
        "'name':'c','image':'i'},{'name':'b','resources':{},'command':['x']}]}}";
    static const char fields[] =
        "{'f:metadata':{'f:annotations':{},'f:finalizers':{'v:\\'\\\\u003ca\\\\u003e\\'':{},"
        "'v:\\'z\\'':{}},'f:labels':{'f:a/\\'x':{},'f:b':{}}},'f:spec':{'f:containers':{"
        "'k:{\\'name\\':\\'b\\'}':{'.':{},'f:command':{},'f:name':{},'f:resources':{}},"
        "'k:{\\'name\\':\\'c\\'}':{'.':{},'f:image':{},'f:name':{},'f:ports':{"
        "'k:{\\'containerPort\\':9,\\'protocol\\':\\'UDP\\'}':{'.':{},"
        "'f:containerPort':{},'f:protocol':{}},'k:{\\'containerPort\\':80,\\'protocol\\':"
        "\\'TCP\\'}':{'.':{},'f:containerPort':{}}}}},'f:volumes':{}}}";
    (void)state;
    updates("u", PODS("{'name':'c','image':'i'},{'name':'b','image':'j'}"));
    applies("a", config);
    assert_fields("a", fields);
    assert_int_equal(world.stored, 1);
    applies("a", config); /* the same fields */
    assert_fields("a", fields);
    applies_by_force("z", PODS("{'name':'b','image':'k'}")); /* takes one from "u" */
    assert_int_equal(world.stored, 3);
    applies("a", PODS("{'name':'c','image':'i'}")); /* lets some go */
    assert_fields("a", "{'f:spec':{'f:containers':{'k:{\\'name\\':\\'c\\'}':{'.':{},"
                       "'f:image':{},'f:name':{}}}}}");
    assert_int_equal(world.stored, 4);
}

static void zeros_of_go_are_told_from_other_values(void **state)
{
    static const struct {
        const char *json;
        bool is_zero;
    } rows[] = {
        { "0", true },     { "-0", true },   { "0.0", true },  { "0e5", true },
        { "1", false },    { "0.5", false }, { "-1", false },  { "9e9", false },
        { "''", true },    { "'0'", false }, { "null", true }, { "false", true },
        { "true", false }, { "{}", true },   { "[]", true },   { "[null]", false },
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (lw_value_is_zero(json_of(rows[i].json)) != rows[i].is_zero)
            fail_msg("%s", rows[i].json);
    }
}

/* Configurations are checked before: these are refused there. */
static void items_with_one_element_are_one_field(void **state)
{
    static const char expected[] =
        "{\"f:metadata\":{\"f:finalizers\":{\"v:\\\"a\\\"\":{}}},\"f:spec\":{\"f:containers\":{"
        "\"k:{\\\"name\\\":\\\"c\\\"}\":{}}}}";
    lw_node *set = NULL,
            *config = json_of("{'metadata':{'finalizers':['a','a']},'spec':{'containers'"
                              ":[{'name':'c','image':'i'},{'name':'c'}]}}");
    lw_str text;
    (void)state;
    const lw_type *pod = lw_type_of_kind(lw_gvk_make("", "v1", "Pod"));
    assert_int_equal(lw_applied_fields(world.tree, pod, config, NULL, &set), LW_OK);
    assert_true(lw_node_is_closed(set, &text));
    assert_str_equal(text, expected);
}

static void what_nobody_noted_counts_as_before_the_first_apply(void **state)
{
    (void)state;
    updates("u", DATA("'a':'1'"));
    world.managed = NULL;
    updates("v", DATA("'a':'2'"));
    assert_null(world.managed);
    assert_int_equal(writes("k", json_of(DATA("'a':'3'")), true, false), LW_ERR_CONFLICT);
    applies("k", DATA("'b':'3'"));
    assert_fields("before-first-apply", "{'f:data':{'.':{},'f:a':{}}}");
}

static void the_oldest_of_many_updates_become_one(void **state)
{
    char name[16], object[2048] = "", data[1024] = "";
    (void)state;
    for (int i = 0; i < 14; i++) {
        size_t len = strlen(data);
        (void)snprintf(data + len, sizeof(data) - len, "%s'k%02d':'v'", i > 0 ? "," : "", i);
        (void)snprintf(name, sizeof(name), "m%02d", i);
        (void)snprintf(object, sizeof(object), DATA("%s"), data);
        (void)snprintf(world.time, sizeof(world.time), "2026-01-01T00:00:%02dZ", i);
        updates(name, object);
    }
    assert_int_equal(lw_node_count(world.managed), LW_UPDATE_MANAGERS_MAX);
    assert_fields("ancient-changes",
                  "{'f:data':{'.':{},'f:k00':{},'f:k01':{},'f:k02':{},'f:k03':{},'f:k04':{}}}");
    assert_fields("m05", "{'f:data':{'f:k05':{}}}");
    assert_fields("m04", "");
}

static void resets_are_told_from_lists(void **state)
{
    (void)state;
    assert_true(lw_managers_is_reset(json_of("[{}]")));
    assert_true(lw_managers_is_reset(json_of("[]")));
    assert_false(lw_managers_is_reset(json_of("[{'manager':'a'}]")));
    assert_false(lw_managers_is_reset(json_of("null")));
    assert_false(lw_managers_is_reset(NULL));
}

static void entries_that_cannot_be_read_are_refused(void **state)
{
    static const char *const wrong[] = {
        "{}",
        "['a']",
        "[{'operation':'Delete','fieldsType':'FieldsV1'}]",
        "[{'operation':'Update','fieldsType':'FieldsV2'}]",
        "[{'operation':'Update','fieldsType':'FieldsV1','fieldsV1':{'x':{}}}]",
    };
    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        lw_managers managers;
        lw_managers_init(&managers, world.tree);
        assert_int_equal(lw_managers_read(&managers, json_of(wrong[i]), NULL), LW_ERR_INVALID);
        assert_int_equal(managers.count, 0);
        lw_managers_done(&managers);
    }
}

#define WORLD_TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(an_update_has_what_it_changes),
        WORLD_TEST(a_new_struct_has_what_go_has_in_any_case),
        WORLD_TEST(an_apply_creates_changes_and_removes_by_omission),
        WORLD_TEST(what_others_apply_too_stays),
        WORLD_TEST(a_field_of_another_is_a_conflict_unless_forced),
        WORLD_TEST(an_update_after_an_apply_takes_the_field),
        WORLD_TEST(items_of_keyed_lists_are_merged_by_their_keys),
        WORLD_TEST(sets_are_merged_and_atomic_lists_replaced),
        WORLD_TEST(without_a_type_lists_are_atomic_and_maps_are_not),
        WORLD_TEST(nothing_new_keeps_the_time),
        WORLD_TEST(an_update_is_noted_in_the_stored_entries),
        WORLD_TEST(an_apply_reads_no_more_of_the_stored_entries_than_it_must),
        WORLD_TEST(zeros_of_go_are_told_from_other_values),
        WORLD_TEST(items_with_one_element_are_one_field),
        WORLD_TEST(what_nobody_noted_counts_as_before_the_first_apply),
        WORLD_TEST(the_oldest_of_many_updates_become_one),
        WORLD_TEST(resets_are_told_from_lists),
        WORLD_TEST(entries_that_cannot_be_read_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
