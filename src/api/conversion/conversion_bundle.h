/* SPDX-License-Identifier: Apache-2.0 */
/* conversion_bundle.h -- the CA bundle of a conversion webhook. */
#ifndef LW_API_CONVERSION_CONVERSION_BUNDLE_H
#define LW_API_CONVERSION_CONVERSION_BUNDLE_H

#include "json/tree.h"

/* Why the caBundle of |conversion| cannot be used, in the words of Kubernetes; NULL: it can be, or
 * there is none.  |conversion| may be NULL. */
const char *lw_conversion_bundle_fault(const lw_node *conversion);

#endif
