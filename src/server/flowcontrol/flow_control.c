/* SPDX-License-Identifier: Apache-2.0 */
/* flow_control.c -- makes objects the configuration of flow control. */
#include "server/flowcontrol/flow_control.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/str.h"
#include "server/flowcontrol/flow_borrowing.h"
#include "server/flowcontrol/flow_config.h"

/* The levels of a new configuration, before it replaces the old one. */
typedef struct level_list {
    lw_flow_level **at; /* one reference each */
    size_t count;
} level_list;

lw_status lw_flow_control_init(lw_flow_control *control, const lw_clock *clock, uint32_t total)
{
    lw_dlist dispatched;
    lw_dlist_init(&dispatched); /* stays empty: there are no requests yet */
    *control = (lw_flow_control){ .clock = clock, .total = total };
    lw_mutex_init(&control->mu);
    atomic_init(&control->version, 0);
    return lw_flow_control_apply(control, NULL, 0, NULL, 0, &dispatched);
}

void lw_flow_control_done(lw_flow_control *control)
{
    lw_flow_config_unref(control->config);
    lw_flow_levels_free(control->levels, control->level_count);
    lw_mutex_done(&control->mu);
}

void lw_flow_levels_free(lw_flow_level **levels, size_t count)
{
    for (size_t i = 0; i < count; i++)
        lw_flow_level_unref(levels[i]);
    lw_free(levels);
}

static lw_flow_level *find_level(lw_flow_level *const *levels, size_t count, lw_str name)
{
    for (size_t i = 0; i < count; i++) {
        if (lw_str_equal(lw_str_of(levels[i]->name), name))
            return levels[i];
    }
    return NULL;
}

/* Lists the levels of |config|, existing and new ones, and then those that still have requests.
 * Changes nothing. */
static lw_status list_levels(const lw_flow_control *control, const lw_flow_config *config,
                             level_list *list)
{
    list->count = 0;
    list->at = lw_alloc_zero(config->spec_count + control->level_count, sizeof(lw_flow_level *));
    if (!list->at)
        return LW_ERR_NOMEM;
    for (size_t i = 0; i < config->spec_count; i++) {
        lw_str name = config->specs[i].name;
        lw_flow_level *level = find_level(control->levels, control->level_count, name);
        level = level ? lw_flow_level_ref(level) : lw_flow_level_new(name, control->clock);
        if (!level)
            return LW_ERR_NOMEM;
        list->at[list->count++] = level;
    }
    for (size_t i = 0; i < control->level_count; i++) {
        lw_flow_level *level = control->levels[i];
        if (!lw_flow_config_has_level(config, lw_str_of(level->name)) &&
            !lw_flow_level_is_idle(level))
            list->at[list->count++] = lw_flow_level_ref(level);
    }
    return LW_OK;
}

static lw_status link_entries(lw_flow_config *config, const level_list *list)
{
    for (size_t i = 0; i < config->count; i++) {
        lw_flow_entry *entry = &config->entries[i];
        lw_flow_level *level = find_level(list->at, list->count, entry->schema.level_name);
        entry->level = lw_flow_level_ref(level);
        entry->stats = lw_flow_level_stats(level, entry->schema.name);
        if (!entry->stats)
            return LW_ERR_NOMEM;
    }
    return LW_OK;
}

/* Makes |list| the levels; those after the configured ones drain. */
static void take_levels(lw_flow_control *control, const lw_flow_config *config, level_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        if (i < config->spec_count) {
            lw_flow_level_set_spec(list->at[i], &config->specs[i]);
        } else {
            lw_mutex_lock(&list->at[i]->mu);
            list->at[i]->is_quiescing = true;
            lw_mutex_unlock(&list->at[i]->mu);
        }
    }
    lw_flow_levels_free(control->levels, control->level_count);
    control->levels = list->at;
    control->level_count = list->count;
    *list = (level_list){ NULL, 0 };
    lw_flow_borrowing_set_nominal(control);
}

static void set_max_seats(lw_flow_config *config)
{
    for (size_t i = 0; i < config->count; i++) {
        lw_flow_entry *entry = &config->entries[i];
        entry->max_seats = lw_flow_level_max_seats(&entry->level->spec, entry->level->nominal);
    }
}

lw_status lw_flow_control_apply(lw_flow_control *control, const lw_str *levels, size_t level_count,
                                const lw_str *schemas, size_t schema_count, lw_dlist *dispatched)
{
    lw_flow_config *config = NULL, *before = NULL;
    level_list list = { NULL, 0 };
    lw_status st = lw_flow_config_build(&config, levels, level_count, schemas, schema_count);
    if (st < 0)
        return st;
    lw_mutex_lock(&control->mu);
    st = list_levels(control, config, &list);
    if (st == LW_OK)
        st = link_entries(config, &list);
    if (st == LW_OK) {
        take_levels(control, config, &list);
        set_max_seats(config);
        (void)lw_flow_borrowing_adjust(control, dispatched); /* the next period tries again */
        before = control->config;
        control->config = config;
        config = NULL;
        atomic_fetch_add(&control->version, 1);
    }
    lw_mutex_unlock(&control->mu);
    lw_flow_levels_free(list.at, list.count);
    lw_flow_config_unref(config);
    lw_flow_config_unref(before);
    return st;
}

/* Drops levels, and counters of schemas, that are no longer configured and have no requests any
 * more. */
static void reap(lw_flow_control *control)
{
    size_t kept = 0;
    for (size_t i = 0; i < control->level_count; i++) {
        lw_flow_level *level = control->levels[i];
        lw_flow_level_prune_stats(level);
        if (level->is_quiescing && lw_flow_level_is_idle(level))
            lw_flow_level_unref(level);
        else
            control->levels[kept++] = level;
    }
    if (kept == control->level_count)
        return;
    control->level_count = kept;
    lw_flow_borrowing_set_nominal(control);
}

void lw_flow_control_adjust(lw_flow_control *control, lw_dlist *dispatched)
{
    lw_mutex_lock(&control->mu);
    reap(control);
    (void)lw_flow_borrowing_adjust(control, dispatched);
    lw_mutex_unlock(&control->mu);
}

lw_flow_config *lw_flow_control_config_ref(lw_flow_control *control)
{
    lw_mutex_lock(&control->mu);
    lw_flow_config *config = lw_flow_config_ref(control->config);
    lw_mutex_unlock(&control->mu);
    return config;
}

static int compare_levels(const void *a, const void *b)
{
    const lw_flow_level *const *left = a, *const *right = b;
    return lw_str_compare(lw_str_of((*left)->name), lw_str_of((*right)->name));
}

lw_flow_level **lw_flow_control_levels(lw_flow_control *control, size_t *count)
{
    *count = 0;
    lw_mutex_lock(&control->mu);
    lw_flow_level **levels = lw_alloc_zero(control->level_count, sizeof(lw_flow_level *));
    for (size_t i = 0; levels && i < control->level_count; i++)
        levels[(*count)++] = lw_flow_level_ref(control->levels[i]);
    lw_mutex_unlock(&control->mu);
    if (levels)
        qsort(levels, *count, sizeof(*levels), compare_levels);
    return levels;
}
