/* SPDX-License-Identifier: Apache-2.0 */
/* yaml_binary.h -- the value of a scalar tagged !!binary. */
#ifndef LW_JSON_YAML_BINARY_H
#define LW_JSON_YAML_BINARY_H

#include "base/buf.h"

/* Appends what the base64 |text| encodes, made a string as Kubernetes does: each byte that is not
 * UTF-8 becomes U+FFFD.  Line breaks in |text| are skipped, padding is required.  False, with
 * |out| as it was, when it is not base64; look at out->st for the rest. */
bool lw_yaml_binary_decode(lw_buf *out, lw_str text);

#endif
