/* SPDX-License-Identifier: Apache-2.0 */
/* faults.h -- faults on demand, for tests (<listwatch/server_faults.h>). */
#ifndef LW_SERVER_FAULTS_FAULTS_H
#define LW_SERVER_FAULTS_FAULTS_H

#include <stdatomic.h>

#include <listwatch/server_faults.h>

#include "api/api.h"
#include "base/dlist.h"
#include "base/sync.h"

enum {
    LW_FAULTS_MAX = 64,
};

typedef struct lw_faults {
    atomic_size_t rule_count; /* written under mu; 0: requests are not looked at */
    atomic_size_t hits;

    lw_mutex mu; /* guards what follows */
    lw_dlist rules;
    lw_dlist held; /* delayed requests of all loops */
} lw_faults;

void lw_faults_init(lw_faults *faults);
/* After the loops have ended. */
void lw_faults_done(lw_faults *faults);

LW_MUST_CHECK lw_status lw_faults_add(lw_faults *faults, const lw_server_fault *given,
                                      lw_error *err);
/* Removes the rules, and releases the delayed requests as well. */
void lw_faults_forget_rules(lw_faults *faults);
void lw_faults_clear(lw_faults *faults);

/* What a rule says about a request that it matches. */
typedef struct lw_fault_effect {
    int delay_ms;
    bool is_cut;
    int status, retry_after_s;
} lw_fault_effect;

/* Returns true if a fault applies to the request, and counts it. */
bool lw_faults_match(lw_faults *faults, const lw_http_request *request, const lw_request_info *info,
                     lw_fault_effect *out);

/* Serves a request to which no fault applies any more. */
typedef void (*lw_faults_pass_fn)(lw_http_stream *stream, void *arg);

/* Returns true if a fault applies to the request of |stream|: it has its answer, or |pass| is
 * called later. */
bool lw_faults_take(lw_faults *faults, lw_api *api, lw_http_stream *stream, lw_faults_pass_fn pass,
                    void *arg);

/* Returns true for requests of the test itself, which no fault applies to. */
bool lw_faults_is_exempt(const lw_http_request *request);

/* Makes the error that a fault answers |info| with. */
void lw_faults_status(lw_api_status *out, const lw_fault_effect *effect,
                      const lw_request_info *info);

/* Ends the watches of |loop| on |resource| (NULL: any) as lw_server_break_watches says.  On that
 * loop.  Returns how many. */
size_t lw_faults_break_watches(lw_loop *loop, const char *resource, int status);

#endif
