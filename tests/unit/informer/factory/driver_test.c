/* SPDX-License-Identifier: Apache-2.0 */
/* driver_test.c -- one descriptor that is readable when there is something to do. */
#include "informer/factory/driver.h"

#include <poll.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "unit/test.h"

static bool is_readable(const lw_driver *driver)
{
    struct pollfd wanted = { .fd = lw_driver_fd(driver), .events = POLLIN };
    return poll(&wanted, 1, 0) == 1;
}

static void a_wake_is_seen_until_it_is_cleared(void **state)
{
    (void)state;
    lw_driver driver;
    assert_int_equal(lw_driver_init(&driver, -1, NULL), LW_OK);
    assert_false(is_readable(&driver));
    for (int i = 0; i < 3; i++) {
        lw_driver_wake(&driver);
        lw_driver_wake(&driver);
        assert_true(is_readable(&driver));
        lw_driver_wait(&driver, -1); /* returns at once */
        lw_driver_clear(&driver);
        assert_false(is_readable(&driver));
    }
    lw_driver_done(&driver);
}

/* Another thread has raised the flag and not yet written. */
static void a_wake_that_is_on_its_way_is_cleared_when_it_comes(void **state)
{
    (void)state;
    lw_driver driver;
    uint64_t one = 1;
    assert_int_equal(lw_driver_init(&driver, -1, NULL), LW_OK);
    atomic_store(&driver.is_woken, true);
    lw_driver_clear(&driver);
    assert_int_equal(write(driver.wake_fd, &one, sizeof(one)), sizeof(one));
    assert_true(is_readable(&driver));
    lw_driver_clear(&driver);
    assert_false(is_readable(&driver));
    lw_driver_wake(&driver);
    assert_true(is_readable(&driver));
    lw_driver_done(&driver);
}

static void the_providers_descriptor_wakes_too(void **state)
{
    (void)state;
    lw_driver driver;
    uint64_t one = 1;
    int fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    assert_int_equal(lw_driver_init(&driver, fd, NULL), LW_OK);
    assert_false(is_readable(&driver));
    assert_int_equal(write(fd, &one, sizeof(one)), sizeof(one));
    assert_true(is_readable(&driver));
    lw_driver_clear(&driver); /* is the provider's business */
    assert_true(is_readable(&driver));
    lw_driver_done(&driver);
    close(fd);
}

static void a_descriptor_that_cannot_be_waited_for_is_refused(void **state)
{
    (void)state;
    lw_driver driver;
    lw_error err = LW_ERROR_INIT;
    assert_int_equal(lw_driver_init(&driver, 999999, &err), LW_ERR_IO);
    assert_int_equal(lw_driver_fd(&driver), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_wake_is_seen_until_it_is_cleared),
        TEST(a_wake_that_is_on_its_way_is_cleared_when_it_comes),
        TEST(the_providers_descriptor_wakes_too),
        TEST(a_descriptor_that_cannot_be_waited_for_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
