/* SPDX-License-Identifier: Apache-2.0 */
/* static_pods.h -- generated pods as bytes that need only be sent. */
#ifndef LW_TESTS_BENCH_STATIC_PODS_H
#define LW_TESTS_BENCH_STATIC_PODS_H

#include <listwatch/str.h>
#include <listwatch/watch_event.h>

#include "base/buf.h"
#include "bench/static_source.h"

enum {
    STATIC_POD_RV = 1000000,   /* of the first pod; they follow one another */
    STATIC_EVENT_RV = 2000000, /* of the first event */
};

/* Texts one behind the other; text i begins at starts[i] and ends at starts[i + 1].  A text is an
 * object without its first brace, so that members may be put before it. */
typedef struct static_texts {
    lw_buf bytes;
    size_t *starts;
    uint64_t count;
} static_texts;

typedef struct static_pods {
    static_texts pods;
    static_texts events;
    lw_buf list_pb;               /* the same in protobuf: the list, ... */
    lw_buf initial_pb, events_pb; /* ... and the frames of a watch */
} static_pods;

/* Makes everything the options ask for.  Never freed: it lives as long as its process.  False: out
 * of memory. */
bool static_pods_make(static_pods *pods, const static_source_options *options);

/* Text |index|. */
lw_str static_text(const static_texts *texts, uint64_t index);

#endif
