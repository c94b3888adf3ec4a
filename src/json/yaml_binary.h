/* SPDX-License-Identifier: Apache-2.0 */
/* yaml_binary.h -- the value of a scalar tagged !!binary. */
#ifndef LW_JSON_YAML_BINARY_H
#define LW_JSON_YAML_BINARY_H

#include "base/buf.h"

/* Decodes the base64 |text| and appends it as a string like Kubernetes: each byte that is not UTF-8
 * becomes U+FFFD.  Line breaks in |text| are skipped, padding is required.  Returns false and
 * leaves |out| unchanged if it is not base64; other failures are in out->st. */
bool lw_yaml_binary_decode(lw_buf *out, lw_str text);

#endif
