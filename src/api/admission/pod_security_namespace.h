/* SPDX-License-Identifier: Apache-2.0 */
/* pod_security_namespace.h -- pod security labels of a namespace that is created or changed. */
#ifndef LW_API_ADMISSION_POD_SECURITY_NAMESPACE_H
#define LW_API_ADMISSION_POD_SECURITY_NAMESPACE_H

#include "api/admission/admission.h"
#include "api/podsecurity/pod_security_policy.h"

/* Refuses labels that are not valid, and warns of existing pods that violate a stricter level that
 * is to be enforced.  False: admission->status has the reason. */
bool lw_pod_security_admits_namespace(lw_admission *admission,
                                      const lw_pod_security_config *config);

#endif
