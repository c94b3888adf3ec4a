/* SPDX-License-Identifier: Apache-2.0 */
/* store_shifted.h -- a store whose revisions begin with 0, on one that begins elsewhere: an etcd
 * that is empty is at revision 1, and the suite counts from 0. */
#ifndef LW_TESTS_SUITE_STORE_SHIFTED_H
#define LW_TESTS_SUITE_STORE_SHIFTED_H

#include "store/store.h"

/* Takes |inner|; its revision |base| is 0 here.  Freed as a store. */
lw_store *store_shifted_new(lw_store *inner, uint64_t base);

#endif
