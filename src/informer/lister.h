/* SPDX-License-Identifier: Apache-2.0 */
/* lister.h -- a lister is a view of an indexer. */
#ifndef LW_INFORMER_LISTER_H
#define LW_INFORMER_LISTER_H

#include <listwatch/lister.h>

#include "informer/indexer.h"

struct lw_lister {
    const lw_indexer *indexer;
};

#endif
