/* SPDX-License-Identifier: Apache-2.0 */
/* key.h -- internal functions for keys, in addition to <listwatch/key.h>. */
#ifndef LW_OBJECT_KEY_H
#define LW_OBJECT_KEY_H

#include <listwatch/key.h>

#include "base/hash.h"

/* The hash of |key|: the same for equal keys, with no pattern in names or namespaces that could be
 * chosen to collide. */
uint64_t lw_key_hash(lw_hash_seed seed, lw_key key);

#endif
