/* SPDX-License-Identifier: Apache-2.0 */
/* scheduler_cache_internal.h -- shared by the two files of scheduler_cache.h. */
#ifndef LW_CONTROL_SCHEDULER_SCHEDULER_CACHE_INTERNAL_H
#define LW_CONTROL_SCHEDULER_SCHEDULER_CACHE_INTERNAL_H

#include "scheduler/scheduler_cache.h"

/* Returns the record of node |name|, created if needed; NULL: out of memory. */
lw_node_record *lw_scheduler_cache__node(lw_scheduler_cache *cache, lw_str name);

/* Frees |node| if it does not exist in the cluster and has no pods. */
void lw_scheduler_cache__drop_idle_node(lw_scheduler_cache *cache, lw_node_record *node);

#endif
