/* SPDX-License-Identifier: Apache-2.0 */
/* strategy_trust.h -- the name of a signer, which several kinds of certificates.k8s.io have. */
#ifndef LW_API_STRATEGY_STRATEGY_TRUST_H
#define LW_API_STRATEGY_STRATEGY_TRUST_H

#include "object/api_errors.h"

/* Validates spec.signerName: "example.com/signer-name". */
void lw_signer_name_validate(lw_str name, lw_api_status *errors);

#endif
