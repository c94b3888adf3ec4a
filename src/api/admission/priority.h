/* SPDX-License-Identifier: Apache-2.0 */
/* priority.h -- the plugin Priority: the priority of a pod is that of its class. */
#ifndef LW_API_ADMISSION_PRIORITY_H
#define LW_API_ADMISSION_PRIORITY_H

#include "api/admission/admission.h"

/* Sets the priority and the preemption policy of a new pod.  False: its class does not exist, or it
 * has another priority than its class; admission->status says so. */
bool lw_priority_admit_pod(lw_admission *admission);

/* Checks that at most one class is the default.  False: another one is. */
bool lw_priority_admit_class(lw_admission *admission);

#endif
