/* SPDX-License-Identifier: Apache-2.0 */
/* static_protobuf.h -- the pods of the static source in protobuf: a list, and the frames of a
 * watch. */
#ifndef LW_TESTS_BENCH_STATIC_PROTOBUF_H
#define LW_TESTS_BENCH_STATIC_PROTOBUF_H

#include "bench/static_pods.h"

/* Encode |texts|; false: out of memory. */
bool static_protobuf_list(const static_texts *texts, uint64_t rv, lw_buf *out);
bool static_protobuf_events(const static_texts *texts, lw_watch_event_type type, lw_buf *out);

/* Appends the bookmark that ends the initial events. */
bool static_protobuf_bookmark(uint64_t rv, lw_buf *out);

#endif
