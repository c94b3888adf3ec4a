/* SPDX-License-Identifier: Apache-2.0 */
/* version_order.h -- which version of a group is preferred. */
#ifndef LW_SCHEMA_KINDS_VERSION_ORDER_H
#define LW_SCHEMA_KINDS_VERSION_ORDER_H

#include <listwatch/str.h>

/* Less than 0 when |a| goes before |b|, as Kubernetes orders versions: stable before beta before
 * alpha, higher numbers first (v10, v2, v1, v11beta2, v3alpha1); what is no such version comes
 * last, by its letters. */
int lw_version_order(lw_str a, lw_str b);

#endif
