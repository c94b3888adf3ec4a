/* SPDX-License-Identifier: Apache-2.0 */
/* simd.c -- the table of loops, and the choice among them. */
#include "json/simd.h"

#include <stdatomic.h>
#include <string.h>

/* Best first; the last one runs everywhere. */
static const lw_simd simds[] = {
#if defined(__x86_64__)
    { "avx512", lw_walk_avx512, lw_skip_avx512, lw_member_avx512 },
    { "avx2", lw_walk_avx2, lw_skip_avx2, lw_member_avx2 },
    { "sse2", lw_walk_sse2, lw_skip_sse2, lw_member_sse2 },
#elif defined(__aarch64__)
    { "neon", lw_walk_neon, lw_skip_neon, lw_member_neon },
#endif
    { "scalar", lw_walk_scalar, lw_skip_scalar, lw_member_scalar },
};

static bool is_here(const lw_simd *candidate)
{
#if defined(__x86_64__)
    bool has_bits = __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
                    __builtin_cpu_supports("pclmul");
    if (candidate->walk == lw_walk_avx2)
        return has_bits && __builtin_cpu_supports("avx2");
    /* Older machines have AVX-512 without VBMI2, and lower their clock when it is used. */
    if (candidate->walk == lw_walk_avx512)
        return has_bits && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512vbmi2");
#endif
    (void)candidate;
    return true;
}

const lw_simd *lw_simd_find(const char *name)
{
    for (size_t i = 0; i < sizeof(simds) / sizeof(simds[0]); i++)
        if (strcmp(name, simds[i].name) == 0)
            return is_here(&simds[i]) ? &simds[i] : NULL;
    return NULL;
}

const lw_simd *lw_simd_best(void)
{
    static _Atomic(const lw_simd *) chosen; /* threads that choose at once choose the same */
    const lw_simd *best = atomic_load_explicit(&chosen, memory_order_relaxed);
    if (best)
        return best;
    for (best = simds; !is_here(best);)
        best++;
    atomic_store_explicit(&chosen, best, memory_order_relaxed);
    return best;
}
