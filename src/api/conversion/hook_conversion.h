/* SPDX-License-Identifier: Apache-2.0 */
/* hook_conversion.h -- conversions for admission webhooks whose rules name another version than
 * that of the request (matchPolicy Equivalent). */
#ifndef LW_API_CONVERSION_HOOK_CONVERSION_H
#define LW_API_CONVERSION_HOOK_CONVERSION_H

#include "api/webhooks/hook_converter.h"

extern const lw_hook_converter lw_hook_conversions;

#endif
