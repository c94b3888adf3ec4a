/* SPDX-License-Identifier: Apache-2.0 */
/* access_counters.c -- counts authentication and authorization. */
#include "server/core/access_counters.h"

#include <inttypes.h>

void lw_access_count_authentication(lw_access_counters *counters, int refusal)
{
    if (refusal == 0)
        atomic_fetch_add_explicit(&counters->authenticated, 1, memory_order_relaxed);
    else if (refusal == 401 || refusal == 403)
        atomic_fetch_add_explicit(&counters->unauthenticated, 1, memory_order_relaxed);
    else
        atomic_fetch_add_explicit(&counters->authentication_errors, 1, memory_order_relaxed);
}

void lw_access_count_authorization(lw_access_counters *counters, bool is_allowed)
{
    atomic_fetch_add_explicit(is_allowed ? &counters->allowed : &counters->denied, 1,
                              memory_order_relaxed);
}

static void sample(lw_buf *out, const char *name, const char *result,
                   const atomic_uint_least64_t *value)
{
    lw_buf_printf(out, "%s{result=\"%s\"} %" PRIu64 "\n", name, result,
                  (uint64_t)atomic_load_explicit(value, memory_order_relaxed));
}

void lw_access_write_metrics(const lw_access_counters *counters, lw_buf *out)
{
    static const char authn[] = "authentication_attempts", authz[] = "authorization_attempts_total";
    lw_buf_printf(out, "# HELP %s Number of authentications by result.\n# TYPE %s counter\n", authn,
                  authn);
    sample(out, authn, "success", &counters->authenticated);
    sample(out, authn, "failure", &counters->unauthenticated);
    sample(out, authn, "error", &counters->authentication_errors);
    lw_buf_printf(out, "# HELP %s Number of authorizations by result.\n# TYPE %s counter\n", authz,
                  authz);
    sample(out, authz, "allowed", &counters->allowed);
    sample(out, authz, "denied", &counters->denied);
}
