/* SPDX-License-Identifier: Apache-2.0 */
/* store_shifted.h -- a store whose revisions start at 0, on an inner store that starts elsewhere.
 * An empty etcd is at revision 1, and the suite counts from 0. */
#ifndef LW_TESTS_SUITE_STORE_SHIFTED_H
#define LW_TESTS_SUITE_STORE_SHIFTED_H

#include "store/store.h"

/* Takes |inner|, whose revision |base| becomes 0.  Free it with lw_store_free. */
lw_store *store_shifted_new(lw_store *inner, uint64_t base);

#endif
