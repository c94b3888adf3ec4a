/* SPDX-License-Identifier: Apache-2.0 */
/* cron.c -- computes the times of a schedule: starts at a minute and skips what does not match,
 * largest unit first. */
#include "cronjob/cron.h"

enum {
    MINUTE_S = 60,
    HOUR_S = 3600,
    YEARS_MAX = 5, /* a 29 February occurs within eight years, but Kubernetes stops here, too */
};

static bool has_bit(uint64_t set, int bit)
{
    return (set >> bit & 1) != 0;
}

static lw_civil local_of(const lw_zone *zone, int64_t utc_s)
{
    return lw_civil_of(utc_s + lw_zone_offset(zone, utc_s));
}

static bool is_day(const lw_cron *c, const lw_civil *at)
{
    bool by_day = has_bit(c->days, at->day), by_weekday = has_bit(c->weekdays, at->weekday);
    return c->is_any_day || c->is_any_weekday ? by_day && by_weekday : by_day || by_weekday;
}

/* The first moment of a later local day, |days| after that of |t|.  Where the clocks were changed
 * meanwhile, midnight is not where it was expected. */
static int64_t day_after(const lw_zone *zone, int64_t t, const lw_civil *at, int days)
{
    int64_t to = t + days * LW_S_PER_DAY - at->hour * HOUR_S - at->minute * MINUTE_S;
    lw_civil there = local_of(zone, to);
    int64_t past_s = there.hour * HOUR_S + there.minute * MINUTE_S;
    if (there.hour >= 12) /* the evening before */
        return to + LW_S_PER_DAY - past_s;
    lw_civil back = local_of(zone, to - past_s);
    return back.day == there.day && to - past_s > t ? to - past_s : to;
}

int64_t lw_cron_next(const lw_cron *c, const lw_zone *zone, int64_t after_s)
{
    if (c->every_s > 0)
        return after_s + c->every_s;
    int64_t t = (after_s / MINUTE_S + 1) * MINUTE_S;
    int64_t last_year = local_of(zone, t).year + YEARS_MAX;
    for (;;) {
        lw_civil at = local_of(zone, t);
        if (at.year > last_year)
            return -1;
        if (!has_bit(c->months, at.month))
            t = day_after(zone, t, &at, lw_civil_month_days(at.year, at.month) - at.day + 1);
        else if (!is_day(c, &at))
            t = day_after(zone, t, &at, 1);
        else if (!has_bit(c->hours, at.hour))
            t += HOUR_S - at.minute * MINUTE_S - at.second;
        else if (!has_bit(c->minutes, at.minute))
            t += MINUTE_S;
        else
            return t;
    }
}

/* Avoids iterating over very many times: a window that ends now is enough; it is widened until it
 * contains one. */
static int64_t near(const lw_cron *c, const lw_zone *zone, int64_t since_s, int64_t now_s)
{
    for (int64_t window_s = HOUR_S; now_s - window_s > since_s; window_s *= 8) {
        int64_t first = lw_cron_next(c, zone, now_s - window_s);
        if (first >= 0 && first <= now_s)
            return now_s - window_s;
    }
    return since_s;
}

lw_cron_due lw_cron_due_of(const lw_cron *c, const lw_zone *zone, int64_t since_s, int64_t now_s)
{
    lw_cron_due due = { .last_s = -1, .next_s = lw_cron_next(c, zone, since_s) };
    while (due.next_s >= 0 && due.next_s <= now_s && due.missed < LW_CRON_MISSED_MANY) {
        due.last_s = due.next_s;
        due.missed++;
        due.next_s = lw_cron_next(c, zone, due.next_s);
    }
    if (due.next_s < 0 || due.next_s > now_s)
        return due;
    if (c->every_s > 0) {
        due.last_s = now_s - (now_s - since_s) % c->every_s;
        due.next_s = due.last_s + c->every_s;
        return due;
    }
    due.next_s = lw_cron_next(c, zone, near(c, zone, due.last_s, now_s));
    while (due.next_s >= 0 && due.next_s <= now_s) {
        due.last_s = due.next_s;
        due.next_s = lw_cron_next(c, zone, due.next_s);
    }
    return due;
}
