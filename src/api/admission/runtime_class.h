/* SPDX-License-Identifier: Apache-2.0 */
/* runtime_class.h -- the plugin RuntimeClass: the overhead and the scheduling of a pod's runtime.
 */
#ifndef LW_API_ADMISSION_RUNTIME_CLASS_H
#define LW_API_ADMISSION_RUNTIME_CLASS_H

#include "api/admission/admission.h"

/* Sets the overhead of a new pod, and adds the node selector and the tolerations of its class.
 * False: the class does not exist, or the pod contradicts it. */
bool lw_runtime_class_admit(lw_admission *admission);

/* Checks that a new pod has the overhead of its class, or none. */
bool lw_runtime_class_check(lw_admission *admission);

#endif
