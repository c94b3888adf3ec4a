/* SPDX-License-Identifier: Apache-2.0 */
/* h2_memory.h -- lets nghttp2 use the library's allocator. */
#ifndef LW_NET_H2_H2_MEMORY_H
#define LW_NET_H2_H2_MEMORY_H

#include <nghttp2/nghttp2.h>

extern const nghttp2_mem lw_h2__memory;

#endif
