/* SPDX-License-Identifier: Apache-2.0 */
/* scheduler_cache_internal.h -- what the two files of scheduler_cache.h share. */
#ifndef LW_CONTROL_SCHEDULER_SCHEDULER_CACHE_INTERNAL_H
#define LW_CONTROL_SCHEDULER_SCHEDULER_CACHE_INTERNAL_H

#include "scheduler/scheduler_cache.h"

/* The record of the node |name|, made where there is none; NULL: out of memory. */
lw_node_record *lw_scheduler_cache__node(lw_scheduler_cache *cache, lw_str name);

/* Frees |node| if it is not there and no pod is on it. */
void lw_scheduler_cache__drop_idle_node(lw_scheduler_cache *cache, lw_node_record *node);

#endif
