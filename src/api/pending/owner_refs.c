/* SPDX-License-Identifier: Apache-2.0 */
/* owner_refs.c -- parses owner references and looks up the owners. */
#include "api/pending/owner_refs.h"

#include "api/context/cache_lookup.h"
#include "base/str.h"
#include "object/object.h"

lw_owner_walk lw_owner_walk_begin(const lw_object *obj)
{
    lw_owner_walk walk = { .has_any = false };
    lw_str json;
    if (lw_object_raw(obj, "/metadata/ownerReferences", &json) < 0)
        return walk;
    walk.at = lw_json_cursor_on(json);
    walk.has_any = lw_json_cursor_type(&walk.at) == LW_JSON_ARRAY;
    if (walk.has_any)
        lw_json_cursor_enter(&walk.at);
    return walk;
}

/* Skips a member; sets |*text| if it is a string. */
static void take_string(lw_json_cursor *at, lw_str *text)
{
    if (lw_json_cursor_type(at) == LW_JSON_STRING)
        *text = lw_json_cursor_string(at);
    else
        (void)lw_json_cursor_skip(at);
}

static void read_ref(lw_json_cursor *at, lw_owner_ref *ref)
{
    lw_str key;
    lw_json_cursor_enter(at);
    while (lw_json_cursor_next_member(at, &key)) {
        if (lw_str_equal(key, LW_STR("apiVersion")))
            take_string(at, &ref->api_version);
        else if (lw_str_equal(key, LW_STR("kind")))
            take_string(at, &ref->kind);
        else if (lw_str_equal(key, LW_STR("name")))
            take_string(at, &ref->name);
        else if (lw_str_equal(key, LW_STR("uid")))
            take_string(at, &ref->uid);
        else if (lw_str_equal(key, LW_STR("blockOwnerDeletion")))
            ref->blocks = lw_str_equal(lw_json_cursor_skip(at), LW_STR("true"));
        else
            (void)lw_json_cursor_skip(at);
    }
}

bool lw_owner_walk_next(lw_owner_walk *walk, lw_owner_ref *ref)
{
    while (walk->has_any && lw_json_cursor_next_element(&walk->at)) {
        *ref = (lw_owner_ref){ .blocks = false };
        if (lw_json_cursor_type(&walk->at) != LW_JSON_OBJECT) {
            (void)lw_json_cursor_skip(&walk->at);
            continue;
        }
        read_ref(&walk->at, ref);
        return true;
    }
    walk->has_any = false;
    return false;
}

/* Returns the kind that a reference names: of the same group, preferably of the same version. */
static const lw_kind *find_kind(const lw_registry *registry, const lw_owner_ref *ref)
{
    lw_str group, version;
    const lw_kind *found = NULL;
    size_t count;
    const lw_kind *const *kinds = lw_registry_kinds(registry, &count);
    if (!lw_str_cut(ref->api_version, '/', &group, &version)) {
        group = LW_STR("");
        version = ref->api_version;
    }
    for (size_t i = 0; i < count; i++) {
        if (!lw_str_equal(kinds[i]->kind, ref->kind) || !lw_str_equal(kinds[i]->group, group))
            continue;
        if (lw_str_equal(kinds[i]->version, version))
            return kinds[i];
        if (!found)
            found = kinds[i];
    }
    return found;
}

static lw_owner_state state_of(const lw_object *owner)
{
    lw_owner_deletion deletion = lw_owner_deletion_of(owner);
    if (!deletion.is_deleting)
        return LW_OWNER_SOLID;
    if (deletion.orphans)
        return LW_OWNER_ORPHANING;
    return deletion.collects ? LW_OWNER_WAITING : LW_OWNER_SOLID;
}

lw_status lw_owner_look(lw_api_port *port, const lw_kind *kind, lw_str ns, const lw_owner_ref *ref,
                        lw_owner_state *state)
{
    const lw_kind *of = find_kind(lw_catalog_look(&port->api->catalog, &port->kinds), ref);
    lw_cache_resource *resource = of ? lw_api_resource(port->api, of) : NULL;
    *state = resource ? LW_OWNER_SOLID : LW_OWNER_UNKNOWN;
    if (!resource || (of->is_namespaced && !kind->is_namespaced))
        return LW_OK;
    lw_object *owner = NULL;
    lw_key key = { of->is_namespaced ? ns : LW_STR(""), ref->name };
    lw_status st = lw_lookup(resource, key, &owner);
    if (st < 0)
        return st;
    if (!owner || !lw_str_equal(ref->uid, lw_str_of(lw_object_uid(owner))))
        *state = LW_OWNER_ABSENT;
    else
        *state = state_of(owner);
    lw_object_unref(owner);
    return LW_OK;
}

static void read_finalizers(lw_json_cursor *at, lw_owner_deletion *deletion)
{
    if (lw_json_cursor_type(at) != LW_JSON_ARRAY) {
        (void)lw_json_cursor_skip(at);
        return;
    }
    lw_json_cursor_enter(at);
    while (lw_json_cursor_next_element(at)) {
        lw_str name = LW_STR("");
        take_string(at, &name);
        deletion->orphans |= lw_str_equal(name, LW_FINALIZER_ORPHAN);
        deletion->collects |= lw_str_equal(name, LW_FINALIZER_FOREGROUND);
    }
}

lw_owner_deletion lw_owner_deletion_of(const lw_object *obj)
{
    lw_owner_deletion deletion = { .is_deleting = false };
    lw_json_cursor at;
    lw_str key;
    bool has_more = lw_object__enter_metadata(obj, &at);
    while (has_more && lw_json_cursor_next_member(&at, &key)) {
        if (lw_str_equal(key, LW_STR("finalizers"))) {
            read_finalizers(&at, &deletion);
            continue;
        }
        deletion.is_deleting |= lw_str_equal(key, LW_STR("deletionTimestamp"));
        deletion.is_owned |= lw_str_equal(key, LW_STR("ownerReferences"));
        (void)lw_json_cursor_skip(&at);
    }
    return deletion;
}
