/* SPDX-License-Identifier: Apache-2.0 */
/* plugins.h -- admission plugins that look at other objects or at the new object alone, in the
 * order of kube-apiserver: TaintNodesByCondition, Priority, DefaultStorageClass,
 * StorageObjectInUseProtection, RuntimeClass, DefaultIngressClass; and those that only check:
 * Priority, PersistentVolumeClaimResize, RuntimeClass, ClusterTrustBundleAttest. */
#ifndef LW_API_ADMISSION_PLUGINS_H
#define LW_API_ADMISSION_PLUGINS_H

#include "api/admission/admission.h"

/* Stages of admission.c.  False: refused, and admission->status has the reason. */
bool lw_plugins_mutate(lw_admission *admission);
bool lw_plugins_validate(lw_admission *admission);

#endif
