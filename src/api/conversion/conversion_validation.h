/* SPDX-License-Identifier: Apache-2.0 */
/* conversion_validation.h -- validates spec.conversion of a CustomResourceDefinition. */
#ifndef LW_API_CONVERSION_CONVERSION_VALIDATION_H
#define LW_API_CONVERSION_CONVERSION_VALIDATION_H

#include "object/api_status.h"
#include "json/tree.h"

/* Adds the errors of |conversion|; |before| is the stored one (NULL: none). */
void lw_conversion_validate(const lw_node *conversion, const lw_node *before,
                            lw_api_status *errors);

#endif
