/* SPDX-License-Identifier: Apache-2.0 */
/* conversion_scenarios.c -- conversion by webhooks with every allocation failing in turn. */
#include "api/conversion/conversion_review.h"
#include "base/error.h"
#include "oom/oom.h"
#include "support/fake_hooks.h"
#include "support/host_definition.h"

static const char reply[] =
    "{\"response\":{\"convertedObjects\":[{\"kind\":\"Host\",\"apiVersion\":\"example.com/v2\","
    "\"metadata\":{\"name\":\"a\",\"namespace\":\"default\",\"uid\":\"u-a\",\"labels\":{\"x\":"
    "\"y\"}},\"spec\":{\"m\":1}}],\"result\":{\"status\":\"Success\"}}}";

static lw_status exchange(const lw_definition *definition, lw_object *original, lw_error *err)
{
    lw_object *converted = NULL;
    lw_conversion_failure failure;
    lw_buf text;
    const lw_conversion_review review = { .version = LW_HOOK_V1BETA1,
                                          .uid = LW_STR("u"),
                                          .to = lw_definition_version(definition, LW_STR("v2")),
                                          .objects = &original,
                                          .count = 1 };
    lw_buf_init(&text, 1 << 20);
    lw_conversion_review_write(&review, &text);
    lw_status st = text.st;
    lw_buf_reset(&text);
    if (st == LW_OK)
        st = lw_conversion_review_read(&review, lw_str_of(reply), &converted, &failure, &text);
    if (st == LW_OK && strcmp(lw_object_api_version(converted), "example.com/v2") != 0)
        st = lw_error_set(err, LW_ERR_INTERNAL, "wrong: the version");
    else if (st == LW_ERR_INVALID)
        st = lw_error_set(err, LW_ERR_INTERNAL, "wrong: the reply is refused");
    if (st == LW_OK) {
        lw_converter *converter = lw_definition_converter(definition);
        lw_conversion_cache_put(&converter->cache, original, LW_STR("v2"), converted);
        lw_object_unref(lw_conversion_cache_get(&converter->cache, original, LW_STR("v2")));
    }
    lw_object_unref(converted);
    lw_buf_done(&text);
    return st == LW_ERR_NOMEM ? lw_error_nomem(err) : st;
}

static const char *answer(const char *url, lw_str body)
{
    (void)url;
    (void)body;
    return NULL;
}

static lw_status converts_an_object(lw_error *err)
{
    fake_hooks fake;
    lw_definition *definition = NULL;
    lw_object *original = NULL;
    fake_hooks_init(&fake, answer);
    lw_status st = host_definition(&definition, &fake.caller, err);
    if (st == LW_OK)
        st = host_object(&original, "v1", "a", 7);
    if (st == LW_OK)
        st = exchange(definition, original, err);
    lw_object_unref(original);
    lw_definition_unref(definition);
    return st == LW_ERR_NOMEM ? lw_error_nomem(err) : st;
}

const oom_scenario conversion_scenarios[] = {
    { "converts_an_object", converts_an_object },
};
const size_t conversion_scenario_count =
    sizeof(conversion_scenarios) / sizeof(conversion_scenarios[0]);
