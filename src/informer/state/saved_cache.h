/* SPDX-License-Identifier: Apache-2.0 */
/* saved_cache.h -- the cache of an informer in a file of state/state_file.h. */
#ifndef LW_INFORMER_STATE_SAVED_CACHE_H
#define LW_INFORMER_STATE_SAVED_CACHE_H

#include "informer/delivery/snapshot.h"
#include "informer/index/replacement.h"
#include "state/state_file.h"

/* What is written.  It takes the reference to |snapshot|. */
lw_state_objects lw_saved_cache_objects_take(lw_snapshot *snapshot);

/* What has been read; free it with lw_saved_cache_done. */
typedef struct lw_saved_cache {
    lw_replacement *objects; /* finished */
    lw_state state;
} lw_saved_cache;

/* As lw_state_file_read and lw_state_parse.  |mode| says whether objects may be packed. */
lw_status lw_saved_cache_read(const char *path, lw_str identity, lw_compact_mode mode,
                              lw_saved_cache *out, lw_error *err);
lw_status lw_saved_cache_parse(lw_str bytes, lw_str identity, lw_compact_mode mode,
                               lw_saved_cache *out, lw_error *err);
void lw_saved_cache_done(lw_saved_cache *saved);

#endif
