/* SPDX-License-Identifier: Apache-2.0 */
/* crd_names.c -- checks that no two definitions of a group use the same name for a resource or
 * kind. */
#include "api/crd/crd_names.h"

#include "base/str.h"
#include "schema/kinds/registry.h"

lw_crd_conflict lw_crd_check_group(const lw_definition *definition)
{
    lw_crd_conflict conflict = { .reason = NULL };
    conflict.name = lw_definition_names_of(definition)->group;
    if (lw_registry_is_builtin_group(conflict.name))
        conflict.reason = "GroupConflict";
    return conflict;
}

static bool list_has(const lw_str *list, lw_str name)
{
    for (; list && list->len > 0; list++) {
        if (lw_str_equal(*list, name))
            return true;
    }
    return false;
}

static bool is_resource(const lw_definition_names *names, lw_str name)
{
    return lw_str_equal(names->plural, name) || lw_str_equal(names->singular, name) ||
           list_has(names->short_names, name);
}

static bool is_kind(const lw_definition_names *names, lw_str name)
{
    return lw_str_equal(names->kind, name) || lw_str_equal(names->list_kind, name);
}

lw_crd_conflict lw_crd_check_names(const lw_definition *definition, const lw_definition *other)
{
    const lw_definition_names *mine = lw_definition_names_of(definition);
    const lw_definition_names *taken = lw_definition_names_of(other);
    if (!lw_str_equal(mine->group, taken->group))
        return (lw_crd_conflict){ .reason = NULL };
    if (is_resource(taken, mine->plural))
        return (lw_crd_conflict){ "PluralConflict", mine->plural };
    if (mine->singular.len > 0 && is_resource(taken, mine->singular))
        return (lw_crd_conflict){ "SingularConflict", mine->singular };
    for (const lw_str *name = mine->short_names; name && name->len > 0; name++) {
        if (is_resource(taken, *name))
            return (lw_crd_conflict){ "ShortNamesConflict", *name };
    }
    if (is_kind(taken, mine->kind))
        return (lw_crd_conflict){ "KindConflict", mine->kind };
    if (mine->list_kind.len > 0 && is_kind(taken, mine->list_kind))
        return (lw_crd_conflict){ "ListKindConflict", mine->list_kind };
    return (lw_crd_conflict){ .reason = NULL };
}
