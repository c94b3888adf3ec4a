/* SPDX-License-Identifier: Apache-2.0 */
/* retry_after.c -- parses Retry-After. */
#include "transport/retry_after.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "base/text/time_text.h"

enum {
    DATE_LEN = 29, /* "Sun, 06 Nov 1994 08:49:37 GMT" */
    MONTHS = 12,
};

/* Returns the number of the month, 1 to 12; 0 if it is not a month. */
static unsigned month_of(const char *name)
{
    static const char names[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    for (unsigned i = 0; i < MONTHS; i++)
        if (memcmp(name, names + 3 * i, 3) == 0)
            return i + 1;
    return 0;
}

/* Parses an IMF-fixdate; servers must not send the two obsolete forms of dates. */
static bool read_date(lw_str text, lw_time *out)
{
    if (text.len != DATE_LEN || text.ptr[3] != ',' || memcmp(text.ptr + 25, " GMT", 4) != 0)
        return false;
    const char *t = text.ptr;
    unsigned month = month_of(t + 8);
    if (month == 0 || t[4] != ' ' || t[7] != ' ' || t[11] != ' ' || t[16] != ' ')
        return false;
    char iso[LW_TIME_TEXT_SIZE];
    int len = snprintf(iso, sizeof(iso), "%.4s-%02u-%.2sT%.8sZ", t + 12, month, t + 5, t + 17);
    return len > 0 && lw_time_parse(lw_str_make(iso, (size_t)len), out);
}

int lw_retry_after_s(lw_str value, int64_t wall_ns)
{
    value = lw_str_trim(value);
    uint64_t seconds = 0;
    if (lw_str_to_uint64(value, &seconds))
        return seconds > LW_RETRY_AFTER_MAX_S ? LW_RETRY_AFTER_MAX_S : (int)seconds;
    lw_time until;
    if (!read_date(value, &until))
        return 0;
    int64_t left = until.s - wall_ns / LW_NS_PER_S;
    if (left <= 0)
        return 0;
    return left > LW_RETRY_AFTER_MAX_S ? LW_RETRY_AFTER_MAX_S : (int)left;
}
