/* SPDX-License-Identifier: Apache-2.0 */
/* static_reply.h -- what the static source sends.  A client that hangs up ends the reply. */
#ifndef LW_TESTS_BENCH_STATIC_REPLY_H
#define LW_TESTS_BENCH_STATIC_REPLY_H

#include "bench/static_pods.h"

/* A short answer. */
void static_reply_json(int fd, const char *json);

/* All pods. */
void static_reply_list(int fd, const static_pods *pods, bool is_protobuf);

/* A watch: where |has_initial| the pods and their bookmark, then the events; left open. */
void static_reply_watch(int fd, const static_pods *pods, bool is_protobuf, bool has_initial);

#endif
