/* SPDX-License-Identifier: Apache-2.0 */
/* process_test.c -- the real etcd that other tests use can be started, paused, killed and
 * restarted. */
#include <signal.h>
#include <stdio.h>

#include "support/etcd_process.h"
#include "unit/test.h"

static void one_member_starts_and_stops(void **state)
{
    etcd_cluster cluster;
    (void)state;
    assert_true(etcd_cluster_start(&cluster, NULL));
    pid_t pid = cluster.members[0].pid;
    assert_int_equal(kill(pid, 0), 0);
    assert_string_equal(cluster.endpoints, cluster.members[0].endpoint);
    etcd_cluster_stop(&cluster);
    assert_int_equal(kill(pid, 0), -1);
}

static void three_members_with_tls_start_and_one_comes_back(void **state)
{
    etcd_cluster cluster;
    const etcd_cluster_options options = { .members = 3,
                                           .is_tls = true,
                                           .wants_client_cert = true };
    (void)state;
    assert_true(etcd_cluster_start(&cluster, &options));
    etcd_member_pause(&cluster, 1);
    etcd_member_kill(&cluster, 2);
    assert_int_equal(cluster.members[2].pid, 0);
    etcd_member_resume(&cluster, 1);
    assert_true(etcd_member_start(&cluster, 2));
    etcd_cluster_stop(&cluster);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(one_member_starts_and_stops),
        TEST(three_members_with_tls_start_and_one_comes_back),
    };
    if (!etcd_is_installed()) {
        printf("1..0 # SKIP there is no etcd here\n");
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
