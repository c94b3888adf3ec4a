/* SPDX-License-Identifier: Apache-2.0 */
/* store_tools_test.c -- the store of a data directory, as programs use it. */
#include <listwatch/server_store.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "suite/store_place.h"

typedef struct fixture {
    char root[64];
    char data[80], other[80];
    int fd;
    lw_error err;
    lw_server_store_facts facts;
} fixture;

static int setup(void **state)
{
    static fixture f;
    f = (fixture){ .err = LW_ERROR_INIT };
    (void)snprintf(f.root, sizeof(f.root), "/tmp/lw-tools-XXXXXX");
    if (!mkdtemp(f.root))
        return -1;
    (void)snprintf(f.data, sizeof(f.data), "%s/data", f.root);
    (void)snprintf(f.other, sizeof(f.other), "%s/other", f.root);
    f.fd = open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    *state = &f;
    return 0;
}

static void remove_store(const char *data)
{
    static const char *const names[] = { "store/data.mdb", "store/data.mdb.damaged",
                                         "store/lock.mdb", "store/owner.lock",
                                         "store",          "" };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char path[120];
        (void)snprintf(path, sizeof(path), "%s/%s", data, names[i]);
        (void)remove(path);
    }
}

static int teardown(void **state)
{
    fixture *f = *state;
    remove_store(f->data);
    remove_store(f->other);
    (void)close(f->fd);
    return rmdir(f->root);
}

/* Lines in memory. */
typedef struct text {
    const char *at;
    char found[1000];
    size_t len;
} text;

static bool next(const char **line, size_t *len, void *arg)
{
    text *t = arg;
    if (!*t->at)
        return false;
    *line = t->at;
    *len = strcspn(t->at, "\n");
    t->at += *len + (t->at[*len] != '\0');
    return true;
}

static lw_status append(const char *line, size_t len, void *arg)
{
    text *t = arg;
    t->len +=
        (size_t)snprintf(t->found + t->len, sizeof(t->found) - t->len, "%.*s\n", (int)len, line);
    return LW_OK;
}

static lw_status import(fixture *f, const char *lines, lw_server_store_conflict conflict)
{
    text t = { .at = lines };
    return lw_server_store_import(f->data, conflict, next, &t, NULL, &f->facts, &f->err);
}

static void assert_export(fixture *f, const char *data, const char *prefix, const char *kind,
                          const char *expected)
{
    text t = { .len = 0 };
    const lw_server_store_selection selection = { prefix, kind };
    lw_status st = lw_server_store_export(data, &selection, append, &t, NULL, &f->facts, &f->err);
    if (st < 0)
        fail_msg("%s", f->err.message);
    assert_string_equal(t.found, expected);
}

#define A "{\"key\":\"/r/a/1\",\"value\":{\"kind\":\"A\"}}\n"
#define B "{\"key\":\"/r/b/1\",\"value\":{\"kind\":\"B\"}}\n"
#define C "{\"key\":\"/r/b/1\",\"value\":{\"kind\":\"C\"}}\n"

static void what_is_imported_is_exported(void **state)
{
    fixture *f = *state;
    assert_int_equal(import(f, B "\n" A, LW_SERVER_STORE_FAIL), LW_OK);
    assert_int_equal(f->facts.objects, 2);
    assert_export(f, f->data, NULL, NULL, A B);
    assert_export(f, f->data, "/r/b/", NULL, B);
    assert_export(f, f->data, NULL, "A", A);
    assert_export(f, f->data, "/x", NULL, "");
}

static void existing_objects_are_handled_by_the_policy(void **state)
{
    fixture *f = *state;
    assert_int_equal(import(f, A B, LW_SERVER_STORE_FAIL), LW_OK);
    assert_int_equal(import(f, A B, LW_SERVER_STORE_FAIL), LW_OK); /* the same */
    assert_int_equal(f->facts.skipped, 2);
    assert_int_equal(import(f, A C, LW_SERVER_STORE_FAIL), LW_ERR_EXISTS);
    assert_non_null(strstr(f->err.message, "line 2: /r/b/1"));
    assert_int_equal(import(f, A C, LW_SERVER_STORE_SKIP), LW_OK);
    assert_export(f, f->data, NULL, NULL, A B);
    assert_int_equal(import(f, A C, LW_SERVER_STORE_REPLACE), LW_OK);
    assert_export(f, f->data, NULL, NULL, A C);
    assert_int_equal(import(f, A "?\n", LW_SERVER_STORE_SKIP), LW_ERR_SYNTAX);
    assert_non_null(strstr(f->err.message, "line 2"));
}

static void objects_are_deleted_by_prefix(void **state)
{
    fixture *f = *state;
    assert_int_equal(import(f, A B, LW_SERVER_STORE_FAIL), LW_OK);
    assert_int_equal(lw_server_store_delete(f->data, "", NULL, &f->facts, &f->err), LW_ERR_INVALID);
    assert_int_equal(lw_server_store_delete(f->data, "/r/a/", NULL, &f->facts, &f->err), LW_OK);
    assert_int_equal(f->facts.objects, 1);
    assert_export(f, f->data, NULL, NULL, B);
    assert_int_equal(lw_server_store_compact(f->data, &f->facts, &f->err), LW_OK);
    assert_int_equal(f->facts.objects, 1);
    assert_int_equal(f->facts.records, 1); /* nothing is left of what was deleted */
    assert_int_equal(lw_server_store_check(f->data, NULL, &f->facts, &f->err), LW_OK);
    assert_export(f, f->data, NULL, NULL, B);
}

static void a_backup_is_restored_elsewhere(void **state)
{
    fixture *f = *state;
    assert_int_equal(import(f, A B, LW_SERVER_STORE_FAIL), LW_OK);
    assert_int_equal(lw_server_store_backup(f->data, f->fd, NULL, &f->facts, &f->err), LW_OK);
    assert_int_equal(lseek(f->fd, 0, SEEK_SET), 0);
    assert_int_equal(lw_server_store_check_backup(f->fd, &f->facts, &f->err), LW_OK);
    assert_int_equal(f->facts.objects, 2);
    assert_int_equal(lseek(f->fd, 0, SEEK_SET), 0);
    assert_int_equal(lw_server_store_restore(f->other, f->fd, &f->facts, &f->err), LW_OK);
    assert_int_equal(f->facts.revision, 2);
    assert_export(f, f->other, NULL, NULL, A B);
}

/* A file in |data|. */
static void touch(const char *data, const char *name)
{
    char path[160];
    (void)snprintf(path, sizeof(path), "%s/%s", data, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(close(fd), 0);
}

static void a_restore_forgets_the_copies_of_another_store(void **state)
{
    fixture *f = *state;
    char copies[120];
    assert_int_equal(import(f, A B, LW_SERVER_STORE_FAIL), LW_OK);
    assert_int_equal(lw_server_store_backup(f->data, f->fd, NULL, &f->facts, &f->err), LW_OK);
    assert_int_equal(lseek(f->fd, 0, SEEK_SET), 0);
    (void)snprintf(copies, sizeof(copies), "%s/cache", f->other);
    assert_int_equal(mkdir(f->other, 0700), 0);
    assert_int_equal(mkdir(copies, 0700), 0);
    touch(copies, "registry_things-01234567.state");
    touch(copies, "registry_others-01234567.state.new");
    touch(copies, "lock");
    assert_int_equal(lw_server_store_restore(f->other, f->fd, &f->facts, &f->err), LW_OK);
    assert_int_equal(access(copies, F_OK), -1);
}

static void a_directory_without_a_store_is_named(void **state)
{
    fixture *f = *state;
    assert_int_equal(lw_server_store_check(f->data, NULL, &f->facts, &f->err), LW_ERR_NOT_FOUND);
    assert_non_null(strstr(f->err.message, f->data));
    assert_int_equal(lw_server_store_backup(f->data, f->fd, NULL, &f->facts, &f->err),
                     LW_ERR_NOT_FOUND);
    assert_int_equal(lw_server_store_compact(f->data, &f->facts, &f->err), LW_ERR_NOT_FOUND);
    assert_int_equal(lw_server_store_delete(f->data, "/", NULL, &f->facts, &f->err),
                     LW_ERR_NOT_FOUND);
}

#define TOOLS_TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TOOLS_TEST(what_is_imported_is_exported),
        TOOLS_TEST(existing_objects_are_handled_by_the_policy),
        TOOLS_TEST(objects_are_deleted_by_prefix),
        TOOLS_TEST(a_backup_is_restored_elsewhere),
        TOOLS_TEST(a_restore_forgets_the_copies_of_another_store),
        TOOLS_TEST(a_directory_without_a_store_is_named),
    };
    return cmocka_run_group_tests_name("server/store_tools", tests, NULL, NULL);
}
