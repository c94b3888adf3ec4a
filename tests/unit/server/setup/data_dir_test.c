/* SPDX-License-Identifier: Apache-2.0 */
/* data_dir_test.c -- a data directory that other users can get at is refused. */
#include "server/setup/data_dir.h"

#include "base/str.h"
#include "unit/server/scratch_folder.h"

enum {
    SOMEBODY = 12345, /* another user */
};

/* A data directory as the server leaves it. */
static void set_up(scratch *s, char path[128])
{
    static const char *const keys[] = { "ca", "server", "admin" };
    char name[64];
    scratch_begin(s);
    (void)snprintf(path, 128, "%s/data", s->folder);
    assert_int_equal(lw_data_dir_open(path, NULL), LW_OK);
    assert_int_equal(mkdir(scratch_path(s, "data/pki"), 0700), 0);
    assert_int_equal(mkdir(scratch_path(s, "data/store"), 0700), 0);
    for (size_t i = 0; i < 3; i++) {
        (void)snprintf(name, sizeof(name), "data/pki/%s.key", keys[i]);
        scratch_write(s, name, "key");
        assert_int_equal(chmod(scratch_path(s, name), 0600), 0);
        (void)snprintf(name, sizeof(name), "data/pki/%s.crt", keys[i]);
        scratch_write(s, name, "certificate");
        assert_int_equal(chmod(scratch_path(s, name), 0644), 0);
    }
    assert_int_equal(lw_data_dir_open(path, NULL), LW_OK);
}

/* The directory is refused, the message has |text| and names the file. */
static void assert_refused(const char *path, const char *file, const char *text)
{
    lw_error err = LW_ERROR_INIT;
    assert_int_equal(lw_data_dir_open(path, &err), LW_ERR_IO);
    if (!strstr(err.message, text) || !strstr(err.message, file))
        fail_msg("\"%s\" does not say \"%s\" about %s", err.message, text, file);
}

static void a_new_directory_is_private(void **state)
{
    (void)state;
    scratch s;
    struct stat facts;
    char path[128];
    set_up(&s, path);
    assert_int_equal(stat(path, &facts), 0);
    assert_int_equal(facts.st_mode & 07777, 0700);
    scratch_end(&s);
}

static void what_others_can_write_to_is_refused(void **state)
{
    (void)state;
    static const char *const names[] = { "data", "data/pki", "data/store", "data/pki/ca.crt" };
    scratch s;
    char path[128], text[256];
    set_up(&s, path);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const char *file = scratch_path(&s, names[i]);
        struct stat facts;
        assert_int_equal(stat(file, &facts), 0);
        assert_int_equal(chmod(file, (facts.st_mode & 07777) | S_IWGRP), 0);
        (void)snprintf(text, sizeof(text), "run \"chmod go-w %s\"", file);
        assert_refused(path, file, text);
        assert_int_equal(chmod(file, facts.st_mode & 07777), 0);
    }
    assert_int_equal(lw_data_dir_open(path, NULL), LW_OK);
    scratch_end(&s);
}

static void keys_that_others_can_read_are_refused(void **state)
{
    (void)state;
    static const char *const names[] = { "data/pki/ca.key", "data/pki/server.key",
                                         "data/pki/admin.key" };
    scratch s;
    char path[128], text[256];
    set_up(&s, path);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const char *file = scratch_path(&s, names[i]);
        assert_int_equal(chmod(file, 0640), 0);
        (void)snprintf(text, sizeof(text), "(mode 0640): run \"chmod 600 %s\"", file);
        assert_refused(path, file, text);
        assert_int_equal(chmod(file, 0600), 0);
    }
    scratch_write(&s, "data/pki/admin.token", "token");
    assert_int_equal(chmod(scratch_path(&s, "data/pki/admin.token"), 0604), 0);
    assert_refused(path, "admin.token", "is secret");
    scratch_end(&s);
}

static void a_directory_that_others_can_read_is_accepted(void **state)
{
    (void)state;
    scratch s;
    char path[128];
    set_up(&s, path);
    assert_int_equal(chmod(path, 0755), 0);
    assert_int_equal(lw_data_dir_open(path, NULL), LW_OK);
    scratch_end(&s);
}

static void files_of_other_users_are_refused(void **state)
{
    (void)state;
    scratch s;
    char path[128];
    if (geteuid() != 0)
        skip(); /* only root gives files away */
    set_up(&s, path);
    assert_int_equal(chown(path, SOMEBODY, SOMEBODY), 0);
    assert_refused(path, path, "belongs to user 12345");
    assert_refused(path, path, "run \"chown -hR 0 ");
    assert_int_equal(chown(path, 0, 0), 0);
    const char *file = scratch_path(&s, "data/pki/ca.crt");
    assert_int_equal(chown(file, SOMEBODY, SOMEBODY), 0);
    assert_refused(path, file, "belongs to user 12345");
    scratch_end(&s);
}

static void symbolic_links_are_followed_and_checked(void **state)
{
    (void)state;
    scratch s;
    char path[128], link[128];
    set_up(&s, path);
    (void)snprintf(link, sizeof(link), "%s/link", s.folder);
    assert_int_equal(symlink(path, link), 0);
    assert_int_equal(lw_data_dir_open(link, NULL), LW_OK);
    assert_int_equal(chmod(path, 0777), 0);
    assert_refused(link, link, "other users can write to");
    assert_int_equal(chmod(path, 0700), 0);
    if (geteuid() == 0) {
        assert_int_equal(lchown(link, SOMEBODY, SOMEBODY), 0);
        assert_refused(link, link, "belongs to user 12345");
    }
    scratch_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_new_directory_is_private),
        TEST(what_others_can_write_to_is_refused),
        TEST(keys_that_others_can_read_are_refused),
        TEST(a_directory_that_others_can_read_is_accepted),
        TEST(files_of_other_users_are_refused),
        TEST(symbolic_links_are_followed_and_checked),
    };
    return cmocka_run_group_tests_name("data_dir", tests, NULL, NULL);
}
