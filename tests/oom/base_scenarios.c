/* SPDX-License-Identifier: Apache-2.0 */
/* base_scenarios.c -- the ground, with every allocation failing in turn. */
#include "base/alloc.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"
#include "oom/oom.h"

static lw_status buf_grows_and_hands_over(lw_error *err)
{
    lw_buf buf;
    lw_buf_init(&buf, 4096);
    for (int i = 0; i < 100; i++)
        lw_buf_printf(&buf, "%d,", i);
    char *text = lw_buf_take_text(&buf);
    lw_status st = LW_OK;
    if (!text)
        st = lw_error_nomem(err);
    else if (!lw_str_starts_with(lw_str_of(text), LW_STR("0,1,2,")))
        st = lw_error_set(err, LW_ERR_INTERNAL, "wrong text");
    lw_free(text);
    lw_buf_done(&buf);
    return st;
}

static lw_status str_is_copied(lw_error *err)
{
    char *copy = lw_str_dup(LW_STR("web-0"));
    lw_status st = copy ? LW_OK : lw_error_nomem(err);
    lw_free(copy);
    return st;
}

const oom_scenario base_scenarios[] = {
    { "buf grows and hands over", buf_grows_and_hands_over },
    { "str is copied", str_is_copied },
};
const size_t base_scenario_count = sizeof(base_scenarios) / sizeof(base_scenarios[0]);
