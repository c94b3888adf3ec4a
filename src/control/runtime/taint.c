/* SPDX-License-Identifier: Apache-2.0 */
/* taint.c -- taints of nodes and tolerations of pods. */
#include "runtime/taint.h"

#include "runtime/fields.h"

static lw_taint_effect effect_of(lw_str text)
{
    if (lw_text_is(text, "NoSchedule"))
        return LW_TAINT_NO_SCHEDULE;
    if (lw_text_is(text, "PreferNoSchedule"))
        return LW_TAINT_PREFER_NO_SCHEDULE;
    return lw_text_is(text, "NoExecute") ? LW_TAINT_NO_EXECUTE : LW_TAINT_ANY_EFFECT;
}

size_t lw_taints_read(const lw_object *node, lw_taint *taints, size_t max)
{
    size_t count = 0;
    lw_iter taint = lw_object_iter(node, "/spec/taints");
    for (; count < max && lw_iter_next(&taint); count++)
        taints[count] = (lw_taint){ .key = lw_item_text(&taint, "/key"),
                                    .value = lw_item_text(&taint, "/value"),
                                    .effect = effect_of(lw_item_text(&taint, "/effect")) };
    return count;
}

/* A negative value means no time at all, none for ever. */
static int64_t seconds_of(const lw_iter *toleration)
{
    lw_str seconds = lw_item_raw(toleration, "/tolerationSeconds");
    if (seconds.len == 0)
        return -1;
    return seconds.ptr[0] == '-' ? 0 : lw_item_units(toleration, "/tolerationSeconds");
}

size_t lw_tolerations_read(const lw_object *pod, lw_toleration *tolerations, size_t max)
{
    size_t count = 0;
    lw_iter next = lw_object_iter(pod, "/spec/tolerations");
    for (; count < max && lw_iter_next(&next); count++)
        tolerations[count] = (lw_toleration){
            .key = lw_item_text(&next, "/key"),
            .value = lw_item_text(&next, "/value"),
            .is_for_any_value = lw_text_is(lw_item_text(&next, "/operator"), "Exists"),
            .effect = effect_of(lw_item_text(&next, "/effect")),
            .seconds = seconds_of(&next),
        };
    return count;
}

static bool tolerates(const lw_toleration *t, const lw_taint *taint)
{
    if (t->effect != LW_TAINT_ANY_EFFECT && t->effect != taint->effect)
        return false;
    if (t->key.len > 0 && !lw_str_equal(t->key, taint->key))
        return false;
    return t->is_for_any_value || (t->key.len > 0 && lw_str_equal(t->value, taint->value));
}

static bool is_longer(int64_t a, int64_t b)
{
    return b >= 0 && (a < 0 || a > b);
}

const lw_toleration *lw_taint_tolerated_by(const lw_taint *taint, const lw_toleration *tolerations,
                                           size_t count)
{
    const lw_toleration *best = NULL;
    for (size_t i = 0; i < count; i++) {
        if (tolerates(&tolerations[i], taint) &&
            (!best || is_longer(tolerations[i].seconds, best->seconds)))
            best = &tolerations[i];
    }
    return best;
}

int64_t lw_taints_stay_s(const lw_taint *taints, size_t taint_count,
                         const lw_toleration *tolerations, size_t toleration_count)
{
    int64_t stay_s = -1;
    for (size_t i = 0; i < taint_count; i++) {
        if (taints[i].effect != LW_TAINT_NO_EXECUTE)
            continue;
        const lw_toleration *by = lw_taint_tolerated_by(&taints[i], tolerations, toleration_count);
        if (!by)
            return 0;
        if (is_longer(stay_s, by->seconds))
            stay_s = by->seconds;
    }
    return stay_s;
}
