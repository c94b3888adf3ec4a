/* SPDX-License-Identifier: Apache-2.0 */
/* key.h -- what the library does with keys beyond <listwatch/key.h>. */
#ifndef LW_OBJECT_KEY_H
#define LW_OBJECT_KEY_H

#include <listwatch/key.h>

#include "base/buf.h"

/* Appends "ns/name", or "name" without a namespace. */
void lw_key_append(lw_buf *buf, lw_key key);

#endif
