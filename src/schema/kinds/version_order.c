/* SPDX-License-Identifier: Apache-2.0 */
/* version_order.c -- versions of a group, the preferred one first. */
#include "schema/kinds/version_order.h"

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

typedef enum stage {
    STAGE_OTHER, /* no version as Kubernetes names them */
    STAGE_ALPHA,
    STAGE_BETA,
    STAGE_STABLE,
} stage;

typedef struct version {
    stage stage;
    uint64_t major, minor;
} version;

/* Takes the number that |rest| begins with; false: there is none. */
static bool take_number(lw_str *rest, uint64_t *out)
{
    size_t len = 0;
    while (len < rest->len && lw_char_is_digit(rest->ptr[len]))
        len++;
    if (!lw_str_to_uint64(lw_str_make(rest->ptr, len), out) || *out == 0)
        return false;
    *rest = lw_str_skip(*rest, len);
    return true;
}

static version version_of(lw_str text)
{
    static const lw_str alpha = LW_STR_INIT("alpha"), beta = LW_STR_INIT("beta");
    const version other = { .stage = STAGE_OTHER };
    version v = { .stage = STAGE_STABLE };
    if (text.len < 2 || text.ptr[0] != 'v')
        return other;
    text = lw_str_skip(text, 1);
    if (!take_number(&text, &v.major))
        return other;
    if (text.len == 0)
        return v;
    v.stage = lw_str_starts_with(text, alpha) ? STAGE_ALPHA : STAGE_BETA;
    if (v.stage == STAGE_BETA && !lw_str_starts_with(text, beta))
        return other;
    text = lw_str_skip(text, v.stage == STAGE_ALPHA ? alpha.len : beta.len);
    return take_number(&text, &v.minor) && text.len == 0 ? v : other;
}

static int higher_first(uint64_t a, uint64_t b)
{
    return a == b ? 0 : (a > b ? -1 : 1);
}

int lw_version_order(lw_str a, lw_str b)
{
    version va = version_of(a), vb = version_of(b);
    if (va.stage != vb.stage)
        return higher_first((uint64_t)va.stage, (uint64_t)vb.stage);
    if (va.stage == STAGE_OTHER)
        return lw_str_compare(a, b);
    int order = higher_first(va.major, vb.major);
    return order != 0 ? order : higher_first(va.minor, vb.minor);
}
