/* SPDX-License-Identifier: Apache-2.0 */
/* definition.c -- from a CustomResourceDefinition to the kinds it makes.
 *
 * Texts live in a tree that is used for nothing else; tables are blocks of their own. */
#include "schema/kinds/definition.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/ref.h"
#include "base/str.h"
#include "schema/printers/jsonpath.h"
#include "schema/printers/printers.h"
#include "json/tree.h"

enum {
    TEXT_MAX = 64 * 1024,          /* bytes of one text */
    TEXTS_MAX = 4 * 1024 * 1024,   /* bytes of all texts */
    SOURCE_MAX = 64 * 1024 * 1024, /* bytes of the tree it is read from */
};

struct lw_definition {
    lw_ref ref;
    lw_object *object; /* what it is made of: its schema as it was written, for OpenAPI */
    lw_tree *texts;    /* owns every text below */
    lw_status st;      /* the first failure while it is made */
    lw_str name, uid, storage;
    lw_definition_names names;
    uint64_t revision;
    bool is_namespaced, is_terminating, is_established, has_webhook;
    lw_custom *versions; /* all, the served ones first */
    size_t version_count, served_count;
    const lw_kind *storage_kind;
    void *serving;
    void (*release)(void *serving);
    void *converter;
    void (*release_converter)(void *converter);
};

static const lw_node *get(const lw_node *object, const char *key)
{
    return lw_node_get(object, lw_str_of(key));
}

static void note(lw_definition *definition, lw_status st)
{
    if (definition->st == LW_OK)
        definition->st = st;
}

/* A copy that lives as long as the definition, with a NUL behind it. */
static lw_str keep(lw_definition *definition, lw_str text)
{
    lw_buf copy;
    lw_buf_init(&copy, TEXT_MAX);
    lw_buf_append_str(&copy, text);
    lw_buf_append_char(&copy, '\0');
    const lw_node *kept =
        copy.st < 0 ? NULL : lw_tree_string(definition->texts, lw_buf_view(&copy));
    note(definition, copy.st);
    lw_buf_done(&copy);
    lw_str view = lw_node_text(kept);
    return kept ? lw_str_make(view.ptr, view.len - 1) : lw_str_make(NULL, 0);
}

static lw_str keep_member(lw_definition *definition, const lw_node *object, const char *key)
{
    return keep(definition, lw_node_text(get(object, key)));
}

/* The array of strings |list| with an empty one behind; NULL when it has none. */
static lw_status keep_list(lw_definition *definition, const lw_node *list, const lw_str **out)
{
    size_t count = lw_node_count(list), kept = 0;
    *out = NULL;
    if (count == 0)
        return LW_OK;
    lw_str *texts = lw_alloc_zero(count + 1, sizeof(*texts));
    if (!texts)
        return LW_ERR_NOMEM;
    for (size_t i = 0; i < count; i++) {
        lw_str text = lw_node_text(lw_node_at(list, i));
        if (text.len > 0)
            texts[kept++] = keep(definition, text);
    }
    *out = texts;
    return LW_OK;
}

/* A path of plain names as a JSON Pointer; NULL: absent, or no such path. */
static const char *keep_pointer(lw_definition *definition, lw_str path)
{
    lw_buf pointer;
    lw_buf_init(&pointer, TEXT_MAX);
    const char *kept = NULL;
    if (path.len > 0 && lw_jsonpath_append_pointer(path, &pointer))
        kept = keep(definition, lw_buf_view(&pointer)).ptr;
    note(definition, pointer.st);
    lw_buf_done(&pointer);
    return kept;
}

static lw_status read_columns(lw_definition *definition, const lw_node *version, lw_custom *custom)
{
    static const lw_table_column name = LW_TABLE_COLUMN_NAME;
    static const lw_table_column age =
        LW_COLUMN("Age", "date", 0, ".metadata.creationTimestamp", lw_table_cell_custom,
                  "How long ago the object was created.");
    const lw_node *list = get(version, "additionalPrinterColumns");
    size_t count = lw_node_count(list);
    lw_table_column *columns = lw_alloc_zero(count + 3, sizeof(*columns));
    if (!columns)
        return LW_ERR_NOMEM;
    columns[0] = name;
    if (count == 0)
        columns[1] = age;
    for (size_t i = 0; i < count; i++) {
        const lw_node *from = lw_node_at(list, i);
        int64_t priority = 0;
        (void)lw_node_int64(get(from, "priority"), &priority);
        columns[i + 1] = (lw_table_column){
            .name = keep_member(definition, from, "name"),
            .type = keep_member(definition, from, "type"),
            .format = keep_member(definition, from, "format"),
            .priority = priority > 0 && priority < INT32_MAX ? (int)priority : 0,
            .pointer = keep_member(definition, from, "jsonPath").ptr,
            .cell = lw_table_cell_custom,
            .description = keep_member(definition, from, "description"),
        };
    }
    custom->kind.columns = columns;
    return LW_OK;
}

static lw_status read_fields(lw_definition *definition, const lw_node *version, lw_custom *custom)
{
    const lw_node *list = get(version, "selectableFields");
    size_t count = lw_node_count(list), kept = 0;
    if (count == 0)
        return LW_OK;
    lw_field_label *fields = lw_alloc_zero(count + 1, sizeof(*fields));
    if (!fields)
        return LW_ERR_NOMEM;
    for (size_t i = 0; i < count; i++) {
        lw_str path = lw_node_text(get(lw_node_at(list, i), "jsonPath"));
        const char *pointer = keep_pointer(definition, path);
        if (lw_str_starts_with(path, LW_STR(".")))
            path = lw_str_skip(path, 1);
        if (pointer && path.len > 0)
            fields[kept++] =
                (lw_field_label){ .label = keep(definition, path), .pointer = pointer };
    }
    custom->kind.fields = fields;
    return LW_OK;
}

static lw_status read_subresources(lw_definition *definition, const lw_node *version,
                                   lw_custom *custom)
{
    const lw_node *subresources = get(version, "subresources");
    const lw_node *scale = get(subresources, "scale");
    if (lw_node_is(get(subresources, "status"), LW_JSON_OBJECT))
        custom->kind.subresources |= LW_SUB_STATUS;
    if (!lw_node_is(scale, LW_JSON_OBJECT))
        return LW_OK;
    lw_scale_paths *paths = lw_alloc_zero(1, sizeof(*paths));
    if (!paths)
        return LW_ERR_NOMEM;
    custom->kind.scale = paths;
    paths->replicas = keep_pointer(definition, lw_node_text(get(scale, "specReplicasPath")));
    paths->status_replicas =
        keep_pointer(definition, lw_node_text(get(scale, "statusReplicasPath")));
    paths->selector = keep_pointer(definition, lw_node_text(get(scale, "labelSelectorPath")));
    if (paths->replicas && paths->status_replicas)
        custom->kind.subresources |= LW_SUB_SCALE;
    return LW_OK;
}

/* What is wrong with a schema was told when it was stored; what is left of it is used. */
static lw_status read_schema(const lw_node *version, lw_custom *custom)
{
    lw_api_status faults;
    const lw_node *schema = get(get(version, "schema"), "openAPIV3Schema");
    lw_status st = LW_OK;
    if (schema) {
        lw_api_status_init(&faults);
        st = lw_structural_new(&custom->schema, schema, LW_STR(""), &faults);
        lw_api_status_done(&faults);
    }
    if (st == LW_OK || st == LW_ERR_INVALID)
        st = lw_structural_types_new(&custom->types, custom->schema);
    return st;
}

static lw_status read_version(lw_definition *definition, const lw_node *version,
                              lw_str storage_version)
{
    const lw_definition_names *names = &definition->names;
    lw_custom *custom = &definition->versions[definition->version_count++];
    custom->definition = definition;
    custom->kind = (lw_kind){
        .group = names->group,
        .version = keep_member(definition, version, "name"),
        .kind = names->kind,
        .list_kind = names->list_kind,
        .plural = names->plural,
        .singular = names->singular,
        .storage = definition->storage,
        .is_namespaced = definition->is_namespaced,
        .verbs = LW_VERB_ALL,
        .group_priority = LW_KIND_CUSTOM_GROUP_PRIORITY,
        .version_priority = LW_KIND_CUSTOM_VERSION_PRIORITY,
        .flags = LW_KIND_GENERATION | LW_KIND_CONDITIONAL | LW_KIND_CUSTOM,
        .name_rule = LW_NAME_SUBDOMAIN,
        .short_names = names->short_names,
        .categories = names->categories,
        .storage_version = storage_version,
        .custom = custom,
    };
    if (lw_node_bool(get(version, "storage")))
        definition->storage_kind = &custom->kind;
    lw_status st = read_columns(definition, version, custom);
    if (st == LW_OK)
        st = read_fields(definition, version, custom);
    if (st == LW_OK)
        st = read_subresources(definition, version, custom);
    if (st == LW_OK)
        st = read_schema(version, custom);
    return st;
}

static lw_status read_versions(lw_definition *definition, const lw_node *versions)
{
    size_t count = lw_node_count(versions);
    lw_str storage_version = { NULL, 0 };
    definition->versions = lw_alloc_zero(count + 1, sizeof(lw_custom));
    if (!definition->versions)
        return LW_ERR_NOMEM;
    for (size_t i = 0; i < count; i++) {
        if (lw_node_bool(get(lw_node_at(versions, i), "storage")))
            storage_version = keep_member(definition, lw_node_at(versions, i), "name");
    }
    lw_status st = LW_OK;
    for (size_t i = 0; st == LW_OK && i < count; i++) {
        const lw_node *version = lw_node_at(versions, i);
        if (lw_node_bool(get(version, "served")))
            st = read_version(definition, version, storage_version);
    }
    definition->served_count = definition->version_count;
    for (size_t i = 0; st == LW_OK && i < count; i++) {
        const lw_node *version = lw_node_at(versions, i);
        if (!lw_node_bool(get(version, "served")))
            st = read_version(definition, version, storage_version);
    }
    return st;
}

static bool has_condition(const lw_node *status, const char *type)
{
    const lw_node *conditions = get(status, "conditions");
    for (size_t i = 0; i < lw_node_count(conditions); i++) {
        const lw_node *condition = lw_node_at(conditions, i);
        if (lw_str_equal(lw_node_text(get(condition, "type")), lw_str_of(type)))
            return lw_str_equal(lw_node_text(get(condition, "status")), LW_STR("True"));
    }
    return false;
}

static lw_status read_names(lw_definition *definition, const lw_node *spec)
{
    const lw_node *from = get(spec, "names");
    lw_definition_names *names = &definition->names;
    lw_buf storage;
    names->group = keep_member(definition, spec, "group");
    names->plural = keep_member(definition, from, "plural");
    names->singular = keep_member(definition, from, "singular");
    names->kind = keep_member(definition, from, "kind");
    names->list_kind = keep_member(definition, from, "listKind");
    lw_buf_init(&storage, TEXT_MAX);
    lw_buf_printf(&storage, "%.*s/%.*s", LW_STR_ARG(names->group), LW_STR_ARG(names->plural));
    definition->storage = keep(definition, lw_buf_view(&storage));
    lw_status st = storage.st;
    lw_buf_done(&storage);
    if (st == LW_OK)
        st = keep_list(definition, get(from, "shortNames"), &names->short_names);
    if (st == LW_OK)
        st = keep_list(definition, get(from, "categories"), &names->categories);
    return st;
}

static lw_status read_all(lw_definition *definition, const lw_node *root, lw_error *err)
{
    const lw_node *spec = get(root, "spec"), *metadata = get(root, "metadata");
    const lw_definition_names *names = &definition->names;
    definition->is_namespaced =
        lw_str_equal(lw_node_text(get(spec, "scope")), LW_STR("Namespaced"));
    definition->is_terminating = lw_node_text(get(metadata, "deletionTimestamp")).len > 0;
    definition->is_established = has_condition(get(root, "status"), "Established");
    definition->has_webhook =
        lw_str_equal(lw_node_text(get(get(spec, "conversion"), "strategy")), LW_STR("Webhook"));
    lw_status st = read_names(definition, spec);
    if (st == LW_OK)
        st = read_versions(definition, get(spec, "versions"));
    if (st == LW_OK)
        st = definition->st < 0 ? definition->st : lw_tree_status(definition->texts);
    if (st == LW_OK && (names->group.len == 0 || names->plural.len == 0 || names->kind.len == 0))
        return lw_error_set(err, LW_ERR_INVALID, "it names no group, plural or kind");
    return st;
}

lw_status lw_definition_new(lw_definition **out, const lw_object *crd, lw_error *err)
{
    lw_tree *source = NULL;
    lw_definition *definition = lw_alloc_zero(1, sizeof(*definition));
    if (!definition)
        return lw_error_nomem(err);
    lw_ref_init(&definition->ref);
    definition->object = lw_object_ref(crd);
    lw_status st = lw_tree_new(&definition->texts, TEXTS_MAX);
    if (st == LW_OK)
        st = lw_tree_parse(&source, lw_object_json(crd), SOURCE_MAX, err);
    if (st == LW_OK) {
        definition->name = keep(definition, lw_str_of(lw_object_name(crd)));
        definition->uid = keep(definition, lw_str_of(lw_object_uid(crd)));
        definition->revision = lw_object_revision(crd);
        st = read_all(definition, lw_tree_root(source), err);
    }
    lw_tree_free(source);
    if (st < 0) {
        lw_definition_unref(definition);
        return st == LW_ERR_NOMEM ? lw_error_nomem(err) : st;
    }
    *out = definition;
    return LW_OK;
}

lw_definition *lw_definition_ref(lw_definition *definition)
{
    lw_ref_inc(&definition->ref);
    return definition;
}

void lw_definition_unref(lw_definition *definition)
{
    if (!definition || !lw_ref_dec(&definition->ref))
        return;
    if (definition->release)
        definition->release(definition->serving);
    if (definition->release_converter)
        definition->release_converter(definition->converter);
    for (size_t i = 0; i < definition->version_count; i++) {
        const lw_kind *kind = &definition->versions[i].kind;
        lw_structural_types_free(definition->versions[i].types);
        lw_structural_free(definition->versions[i].schema);
        lw_free((void *)(uintptr_t)kind->columns);
        lw_free((void *)(uintptr_t)kind->fields);
        lw_free((void *)(uintptr_t)kind->scale);
    }
    lw_free(definition->versions);
    lw_free((void *)(uintptr_t)definition->names.short_names);
    lw_free((void *)(uintptr_t)definition->names.categories);
    lw_tree_free(definition->texts);
    lw_object_unref(definition->object);
    lw_free(definition);
}

/* Nobody changes a definition; but those who hold it count. */
static lw_definition *definition_of(const lw_kind *kind)
{
    return kind && kind->custom ? (lw_definition *)(uintptr_t)kind->custom->definition : NULL;
}

const lw_kind *lw_kind_ref(const lw_kind *kind)
{
    if (definition_of(kind))
        (void)lw_definition_ref(definition_of(kind));
    return kind;
}

void lw_kind_unref(const lw_kind *kind)
{
    lw_definition_unref(definition_of(kind));
}

bool lw_kind_is_first(const lw_kind *kind)
{
    return !kind->stored_as &&
           (!kind->custom || kind->custom == kind->custom->definition->versions);
}

const lw_custom *lw_definition_served(const lw_definition *definition, size_t *count)
{
    *count = definition->served_count;
    return definition->versions;
}

const lw_kind *lw_definition_storage_kind(const lw_definition *definition)
{
    return definition->storage_kind;
}

lw_str lw_definition_name(const lw_definition *definition)
{
    return definition->name;
}

lw_str lw_definition_uid(const lw_definition *definition)
{
    return definition->uid;
}

uint64_t lw_definition_revision(const lw_definition *definition)
{
    return definition->revision;
}

const lw_object *lw_definition_object(const lw_definition *definition)
{
    return definition->object;
}

const lw_definition_names *lw_definition_names_of(const lw_definition *definition)
{
    return &definition->names;
}

lw_str lw_definition_storage(const lw_definition *definition)
{
    return definition->storage;
}

bool lw_definition_is_namespaced(const lw_definition *definition)
{
    return definition->is_namespaced;
}

bool lw_definition_is_terminating(const lw_definition *definition)
{
    return definition->is_terminating;
}

bool lw_definition_is_established(const lw_definition *definition)
{
    return definition->is_established;
}

void lw_definition_set_serving(lw_definition *definition, void *serving,
                               void (*release)(void *serving))
{
    definition->serving = serving;
    definition->release = release;
}

void *lw_definition_serving(const lw_definition *definition)
{
    return definition->serving;
}

bool lw_definition_has_webhook(const lw_definition *definition)
{
    return definition->has_webhook;
}

bool lw_kind_needs_webhook(const lw_kind *kind, const lw_kind *other)
{
    return kind->custom && kind->custom->definition->has_webhook &&
           !lw_str_equal(kind->version, other->version);
}

void lw_definition_set_converter(lw_definition *definition, void *converter,
                                 void (*release)(void *converter))
{
    definition->converter = converter;
    definition->release_converter = release;
}

void *lw_definition_converter(const lw_definition *definition)
{
    return definition->converter;
}

const lw_kind *lw_definition_version(const lw_definition *definition, lw_str version)
{
    for (size_t i = 0; i < definition->version_count; i++) {
        if (lw_str_equal(definition->versions[i].kind.version, version))
            return &definition->versions[i].kind;
    }
    return NULL;
}
