/* SPDX-License-Identifier: Apache-2.0 */
/* storage_protection_test.c -- claims and volumes that are held while they are in use. */
#include "api/lifecycle/storage_protection.h"

#include "unit/api/lived.h"

#define CLAIM  DEFAULT "persistentvolumeclaims/c"
#define VOLUME "/api/v1/persistentvolumes/v"
#define CLAIM_BODY                                                                                 \
    "{\"metadata\":{\"name\":\"c\"},\"spec\":{\"accessModes\":[\"ReadWriteOnce\"],\"resources\":{" \
    "\"requests\":{\"storage\":\"1Gi\"}}}}"
#define VOLUME_BODY                                                                                \
    "{\"metadata\":{\"name\":\"v\"},\"spec\":{\"accessModes\":[\"ReadWriteOnce\"],\"capacity\":{"  \
    "\"storage\":\"1Gi\"},\"hostPath\":{\"path\":\"/v\"}}}"
#define POD_BODY(node)                                                                             \
    "{\"metadata\":{\"name\":\"p\"},\"spec\":{" node                                               \
    "\"containers\":[{\"name\":\"c\",\"image\":\"i\"}],"                                           \
    "\"volumes\":[{\"name\":\"d\",\"persistentVolumeClaim\":{\"claimName\":\"c\"}}]}}"

static void create(api_world *world, const char *target, const char *body)
{
    fake_http_free(send(world, "POST", target, body, 201));
    await_rest(world);
}

static void remove_object(api_world *world, const char *target)
{
    fake_http_free(send(world, "DELETE", target, "", 200));
    await_rest(world);
}

static void a_new_claim_and_a_new_volume_have_a_finalizer(void **state)
{
    create(*state, DEFAULT "persistentvolumeclaims", CLAIM_BODY);
    create(*state, "/api/v1/persistentvolumes", VOLUME_BODY);
    assert_shows(*state, CLAIM, "\"finalizers\":[\"kubernetes.io/pvc-protection\"]", true);
    assert_shows(*state, VOLUME, "\"finalizers\":[\"kubernetes.io/pv-protection\"]", true);
}

static void a_claim_that_nobody_uses_goes(void **state)
{
    create(*state, DEFAULT "persistentvolumeclaims", CLAIM_BODY);
    remove_object(*state, CLAIM);
    await_end(*state, CLAIM);
}

static void a_claim_stays_until_its_pod_is_gone(void **state)
{
    create(*state, DEFAULT "persistentvolumeclaims", CLAIM_BODY);
    create(*state, DEFAULT "pods", POD_BODY("\"nodeName\":\"n\","));
    remove_object(*state, CLAIM);
    assert_shows(*state, CLAIM, "\"deletionTimestamp\"", true);
    remove_object(*state, DEFAULT "pods/p?gracePeriodSeconds=0");
    await_end(*state, CLAIM);
}

static void a_pod_without_a_node_holds_no_claim(void **state)
{
    create(*state, DEFAULT "persistentvolumeclaims", CLAIM_BODY);
    create(*state, DEFAULT "pods", POD_BODY(""));
    remove_object(*state, CLAIM);
    await_end(*state, CLAIM);
}

static void a_claim_with_another_finalizer_stays(void **state)
{
    create(*state, DEFAULT "persistentvolumeclaims",
           "{\"metadata\":{\"name\":\"c\",\"finalizers\":[\"example.com/mine\"]},\"spec\":{"
           "\"accessModes\":[\"ReadWriteOnce\"],\"resources\":{\"requests\":{\"storage\":"
           "\"1Gi\"}}}}");
    assert_shows(*state, CLAIM,
                 "\"finalizers\":[\"example.com/mine\",\"kubernetes.io/pvc-protection\"]", true);
    remove_object(*state, CLAIM);
    assert_shows(*state, CLAIM, "\"finalizers\":[\"example.com/mine\"]", true);
}

static void a_bound_volume_stays_until_it_is_released(void **state)
{
    create(*state, "/api/v1/persistentvolumes", VOLUME_BODY);
    fake_http_free(send_as(*state, "PATCH", VOLUME "/status", MERGE_PATCH,
                           "{\"status\":{\"phase\":\"Bound\"}}", 200));
    remove_object(*state, VOLUME);
    assert_shows(*state, VOLUME, "\"deletionTimestamp\"", true);
    fake_http_free(send_as(*state, "PATCH", VOLUME "/status", MERGE_PATCH,
                           "{\"status\":{\"phase\":\"Released\"}}", 200));
    await_end(*state, VOLUME);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LIVED_TEST(a_new_claim_and_a_new_volume_have_a_finalizer),
        LIVED_TEST(a_claim_that_nobody_uses_goes),
        LIVED_TEST(a_claim_stays_until_its_pod_is_gone),
        LIVED_TEST(a_pod_without_a_node_holds_no_claim),
        LIVED_TEST(a_claim_with_another_finalizer_stays),
        LIVED_TEST(a_bound_volume_stays_until_it_is_released),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
