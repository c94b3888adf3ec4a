/* SPDX-License-Identifier: Apache-2.0 */
/* h2_memory.h -- nghttp2's memory is the library's. */
#ifndef LW_NET_H2_MEMORY_H
#define LW_NET_H2_MEMORY_H

#include <nghttp2/nghttp2.h>

extern const nghttp2_mem lw_h2__memory;

#endif
