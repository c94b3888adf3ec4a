/* SPDX-License-Identifier: Apache-2.0 */
/* flow_config.c -- a snapshot of the configuration. */
#include "server/flowcontrol/flow_config.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/str.h"
#include "server/flowcontrol/flow_builtin.h"

enum {
    CONFIG_MAX = 256 * 1024 * 1024, /* bytes of a configuration */
    MANDATORY = 2,                  /* exempt and catch-all, of each kind */
};

lw_flow_config *lw_flow_config_ref(lw_flow_config *config)
{
    lw_ref_inc(&config->ref);
    return config;
}

void lw_flow_config_unref(lw_flow_config *config)
{
    if (!config || !lw_ref_dec(&config->ref))
        return;
    for (size_t i = 0; i < config->count; i++) {
        const lw_flow_entry *entry = &config->entries[i];
        if (entry->stats)
            lw_flow_level_forget_stats(entry->level, entry->stats);
        lw_flow_level_unref(entry->level);
    }
    lw_arena_done(&config->arena);
    lw_free(config);
}

static const lw_flow_level_spec *find_spec(const lw_flow_config *config, lw_str name)
{
    for (size_t i = 0; i < config->spec_count; i++) {
        if (lw_str_equal(config->specs[i].name, name))
            return &config->specs[i];
    }
    return NULL;
}

bool lw_flow_config_has_level(const lw_flow_config *config, lw_str name)
{
    return find_spec(config, name) != NULL;
}

/* An object that cannot be read is ignored; memory that runs out is an error. */
static bool is_fatal(lw_status st)
{
    return st == LW_ERR_NOMEM || st == LW_ERR_LIMIT;
}

static lw_status add_level(lw_flow_config *config, lw_str json)
{
    lw_flow_level_spec *spec = &config->specs[config->spec_count];
    lw_status st = lw_flow_level_spec_read(spec, json, &config->arena);
    if (st == LW_OK)
        config->spec_count++;
    return is_fatal(st) ? st : LW_OK;
}

static lw_status add_schema(lw_flow_config *config, lw_str json)
{
    lw_flow_entry *entry = &config->entries[config->count];
    lw_status st = lw_flow_schema_read(&entry->schema, json, &config->arena);
    if (st < 0)
        return is_fatal(st) ? st : LW_OK;
    const lw_flow_level_spec *spec = find_spec(config, entry->schema.level_name);
    if (!spec)
        return LW_OK;
    entry->level_uid = spec->uid;
    entry->is_exempt = spec->is_exempt;
    entry->queues = spec->queues;
    config->count++;
    return LW_OK;
}

static bool has_schema(const lw_flow_config *config, lw_str name)
{
    for (size_t i = 0; i < config->count; i++) {
        if (lw_str_equal(config->entries[i].schema.name, name))
            return true;
    }
    return false;
}

/* Adds the mandatory objects of |kind| that are missing; they have no UID. */
static lw_status add_mandatory(lw_flow_config *config, const lw_kind *kind)
{
    size_t count;
    lw_status st = LW_OK;
    const lw_flow_builtin *builtins = lw_flow_builtins(&count);
    for (size_t i = 0; i < count && st == LW_OK; i++) {
        const lw_flow_builtin *builtin = &builtins[i];
        if (!builtin->is_mandatory || builtin->kind != kind)
            continue;
        if (kind == &lw_kind_flowschemas) {
            if (!has_schema(config, builtin->name))
                st = add_schema(config, builtin->json);
        } else if (!find_spec(config, builtin->name)) {
            st = add_level(config, builtin->json);
        }
    }
    return st;
}

static lw_status fill(lw_flow_config *config, const lw_str *levels, size_t level_count,
                      const lw_str *schemas, size_t schema_count)
{
    lw_status st = LW_OK;
    config->specs =
        lw_arena_take_zero(&config->arena, level_count + MANDATORY, sizeof(*config->specs));
    config->entries =
        lw_arena_take_zero(&config->arena, schema_count + MANDATORY, sizeof(*config->entries));
    if (!config->specs || !config->entries)
        return config->arena.st;
    for (size_t i = 0; i < level_count && st == LW_OK; i++)
        st = add_level(config, levels[i]);
    if (st == LW_OK)
        st = add_mandatory(config, &lw_kind_prioritylevelconfigurations);
    for (size_t i = 0; i < schema_count && st == LW_OK; i++)
        st = add_schema(config, schemas[i]);
    if (st == LW_OK)
        st = add_mandatory(config, &lw_kind_flowschemas);
    if (st == LW_OK)
        qsort(config->entries, config->count, sizeof(*config->entries), lw_flow_schema_compare);
    return st;
}

lw_status lw_flow_config_build(lw_flow_config **out, const lw_str *levels, size_t level_count,
                               const lw_str *schemas, size_t schema_count)
{
    lw_flow_config *config = lw_alloc_zero(1, sizeof(*config));
    if (!config)
        return LW_ERR_NOMEM;
    lw_ref_init(&config->ref);
    lw_arena_init(&config->arena, CONFIG_MAX);
    lw_status st = fill(config, levels, level_count, schemas, schema_count);
    if (st < 0) {
        lw_flow_config_unref(config);
        return st;
    }
    *out = config;
    return LW_OK;
}

const lw_flow_entry *lw_flow_config_match(const lw_flow_config *config, const lw_request_info *info,
                                          const lw_user *user)
{
    const lw_flow_entry *catch_all = &config->entries[config->count - 1];
    for (size_t i = 0; i < config->count; i++) {
        const lw_flow_entry *entry = &config->entries[i];
        if (lw_flow_schema_matches(&entry->schema, info, user))
            return entry;
        if (lw_str_equal(entry->schema.name, LW_STR("catch-all")))
            catch_all = entry;
    }
    return catch_all; /* of a user who is in neither group of all users */
}
