/* SPDX-License-Identifier: Apache-2.0 */
/* flow_control.h -- the configuration of flow control at run time: which FlowSchemas there are, and
 * how the seats of the server are shared out among the priority levels.
 *
 *     objects ──apply──▶ lw_flow_config, a snapshot that does not change ──▶ requests are matched
 *                          │
 *     every ten seconds ──adjust──▶ seats of the levels: levels lend seats that they do not need
 *
 * Threads: one thread applies and adjusts; any thread takes references to the snapshot. */
#ifndef LW_SERVER_FLOWCONTROL_FLOW_CONTROL_H
#define LW_SERVER_FLOWCONTROL_FLOW_CONTROL_H

#include <stdatomic.h>

#include "server/flowcontrol/flow_level.h"

#define LW_FLOW_ADJUST_NS (10 * LW_NS_PER_S)

/* A FlowSchema and where its requests go. */
typedef struct lw_flow_entry {
    lw_flow_schema schema; /* first, for lw_flow_schema_compare */
    lw_flow_level *level;  /* one reference */
    lw_flow_stats *stats;
    lw_str level_uid;
    bool is_exempt;
    uint32_t queues;
    uint32_t max_seats; /* of one request; 0: the level does not limit them */
} lw_flow_entry;

typedef struct lw_flow_config {
    lw_ref ref;
    lw_arena arena;
    lw_flow_entry *entries; /* in the order of matching */
    size_t count;
    lw_flow_level_spec *specs; /* the configured levels */
    size_t spec_count;
} lw_flow_config;

typedef struct lw_flow_control {
    const lw_clock *clock;
    uint32_t total; /* seats of the server */

    lw_mutex mu; /* guards the members below; |version| is also read without it */
    lw_flow_config *config;
    atomic_uint_least64_t version; /* of |config| */
    lw_flow_level **levels;        /* one reference each; configured ones and those that drain */
    size_t level_count;
    uint64_t nominal_sum;
    double fair_fraction;
} lw_flow_control;

/* Starts with the mandatory objects alone.  LW_ERR_NOMEM; call lw_flow_control_done in any case. */
lw_status lw_flow_control_init(lw_flow_control *control, const lw_clock *clock, uint32_t total);
void lw_flow_control_done(lw_flow_control *control);

/* Makes the objects, as JSON, the configuration.  Invalid ones are ignored.  Requests that can
 * execute now are appended to |dispatched|.  LW_ERR_NOMEM, LW_ERR_LIMIT: nothing has changed. */
lw_status lw_flow_control_apply(lw_flow_control *control, const lw_str *levels, size_t level_count,
                                const lw_str *schemas, size_t schema_count, lw_dlist *dispatched);

/* Ends an adjustment period: levels lend and borrow seats according to their demand. */
void lw_flow_control_adjust(lw_flow_control *control, lw_dlist *dispatched);

/* Returns the current configuration, to unref. */
lw_flow_config *lw_flow_control_config_ref(lw_flow_control *control);
lw_flow_config *lw_flow_config_ref(lw_flow_config *config);
void lw_flow_config_unref(lw_flow_config *config); /* NULL does nothing */

/* Returns true if there is a valid level of this name. */
bool lw_flow_config_has_level(const lw_flow_config *config, lw_str name);

/* Returns the entry for a request; there always is one. */
const lw_flow_entry *lw_flow_config_match(const lw_flow_config *config, const lw_request_info *info,
                                          const lw_user *user);

/* Returns references to all levels, sorted by name; free them with lw_flow_levels_free.  NULL: no
 * memory, or none. */
lw_flow_level **lw_flow_control_levels(lw_flow_control *control, size_t *count);
void lw_flow_levels_free(lw_flow_level **levels, size_t count);

#endif
