/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_conversion_reply.c -- replies of conversion webhooks: any input is read, or refused with a
 * reason; an object that is taken has the identity that it had.
 *
 * The first byte selects the version of the review, the rest is the reply. */
#include "fuzz/fuzz.h"

#include <stdlib.h>

#include "api/conversion/conversion_review.h"
#include "support/host_definition.h"

static lw_definition *definition;
static lw_object *original;

static void check(const lw_object *converted)
{
    if (strcmp(lw_object_name(converted), "a") != 0 ||
        strcmp(lw_object_uid(converted), "u-a") != 0 ||
        strcmp(lw_object_api_version(converted), "example.com/v2") != 0 ||
        lw_object_revision(converted) != 7)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lw_object *converted = NULL;
    lw_conversion_failure failure;
    lw_buf why;
    if (!definition &&
        (host_definition(&definition, NULL, NULL) < 0 || host_object(&original, "v1", "a", 7) < 0))
        abort();
    if (size == 0)
        return 0;
    const lw_conversion_review review = { .version = data[0] & 1 ? LW_HOOK_V1 : LW_HOOK_V1BETA1,
                                          .uid = LW_STR("u"),
                                          .to = lw_definition_version(definition, LW_STR("v2")),
                                          .objects = &original,
                                          .count = 1 };
    lw_buf_init(&why, 1 << 20);
    lw_status st = lw_conversion_review_read(&review, lw_str_make((const char *)data + 1, size - 1),
                                             &converted, &failure, &why);
    if (st == LW_OK)
        check(converted);
    else if (converted || (st == LW_ERR_INVALID && why.len == 0 && why.st == LW_OK))
        abort();
    lw_object_unref(converted);
    lw_buf_done(&why);
    return 0;
}
