/* SPDX-License-Identifier: Apache-2.0 */
/* pod_security.h -- the admission plugin PodSecurity: pods and their templates meet the standards
 * that the labels of their namespace ask for. */
#ifndef LW_API_ADMISSION_POD_SECURITY_H
#define LW_API_ADMISSION_POD_SECURITY_H

#include "api/admission/admission.h"

enum {
    LW_POD_SECURITY_PODS_MAX = 3000, /* existing pods that are checked when a namespace changes */
};

/* Returns true if the object may be stored.  False: admission->status has the reason.  Adds
 * warnings and audit annotations to the call. */
bool lw_pod_security_admits(lw_admission *admission);

#endif
