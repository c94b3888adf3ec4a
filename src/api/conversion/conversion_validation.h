/* SPDX-License-Identifier: Apache-2.0 */
/* conversion_validation.h -- validates spec.conversion of a CustomResourceDefinition. */
#ifndef LW_API_CONVERSION_CONVERSION_VALIDATION_H
#define LW_API_CONVERSION_CONVERSION_VALIDATION_H

#include "object/api_status.h"
#include "json/tree.h"

/* Adds the errors of |conversion|; |before| is the stored one (NULL: none).  |checks_bundle|: the
 * definition is established, so that its CA bundle must not become useless. */
void lw_conversion_validate(const lw_node *conversion, const lw_node *before, bool checks_bundle,
                            lw_api_status *errors);

#endif
