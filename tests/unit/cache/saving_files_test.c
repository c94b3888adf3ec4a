/* SPDX-License-Identifier: Apache-2.0 */
/* saving_files_test.c -- damaged copies, copies that cannot be written, and which must not be. */
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "support/sanitized.h"
#include "unit/cache/fake_store.h"
#include "unit/cache/saving_rig.h"

enum {
    FEW = 12,
};

static lw_buf read_file(const char *path)
{
    lw_buf bytes;
    char part[4096];
    lw_buf_init(&bytes, DUMP);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    for (ssize_t len; (len = read(fd, part, sizeof(part))) > 0;)
        lw_buf_append(&bytes, part, (size_t)len);
    assert_int_equal(close(fd), 0);
    return bytes;
}

static void write_file(const char *path, lw_str bytes)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes.ptr, bytes.len), bytes.len);
    assert_int_equal(close(fd), 0);
}

/* Starts with |bytes| as the copy: it must be refused, with one line. */
static void assert_refused(scene *s, lw_str bytes, const lw_buf *wanted)
{
    lw_buf found;
    close_cache(s);
    write_file(s->file, bytes);
    s->warnings = 0;
    open_cache(s, s->copies, LW_COMPACT_ON);
    assert_int_equal(s->things->saving.copied, 0);
    assert_int_equal(s->warnings, 1);
    assert_non_null(strstr(s->warning, "is not used"));
    dump(s, &found);
    assert_string_equal(found.data, wanted->data);
    lw_buf_done(&found);
}

static void a_damaged_copy_is_not_used(void **state)
{
    scene *s = *state;
    lw_buf wanted;
    fill(s, 3, 1);
    save(s);
    compact(s);
    dump(s, &wanted);
    lw_buf bytes = read_file(s->file);
    const size_t step_size = IS_SANITIZED ? 29 : 1;
    for (size_t i = 0; i < bytes.len; i += step_size) {
        bytes.data[i] = (char)(bytes.data[i] ^ (1 << (i % 8)));
        assert_refused(s, lw_buf_view(&bytes), &wanted);
        bytes.data[i] = (char)(bytes.data[i] ^ (1 << (i % 8)));
    }
    for (size_t len = 0; len < bytes.len; len += 7 * step_size)
        assert_refused(s, lw_str_make(bytes.data, len), &wanted);
    lw_buf_done(&bytes);
    lw_buf_done(&wanted);
}

/* The identity names the resource. */
static void a_copy_of_another_resource_is_not_used(void **state)
{
    scene *s = *state;
    lw_cache_resource *others = NULL;
    lw_buf wanted;
    char path[STORE_PLACE_SIZE];
    fill(s, 3, 1);
    compact(s);
    dump(s, &wanted);
    assert_int_equal(lw_cache_add(s->cache, LW_STR("/registry/others/"), true, &others, NULL),
                     LW_OK);
    assert_int_equal(lw_cache_saving_write(others, NULL), LW_OK);
    lw_copy_name name;
    assert_true(lw_copy_name_of(others, &name));
    (void)snprintf(path, sizeof(path), "%s", name.path);
    lw_copy_name_done(&name);
    lw_buf bytes = read_file(path);
    assert_refused(s, lw_buf_view(&bytes), &wanted);
    lw_buf_done(&bytes);
    lw_buf_done(&wanted);
}

static void others_can_neither_read_nor_write_it(void **state)
{
    scene *s = *state;
    struct stat facts;
    fill(s, FEW, 1);
    save(s);
    assert_int_equal(stat(s->file, &facts), 0);
    assert_int_equal(facts.st_mode & 07777, 0600);
    assert_int_equal(stat(s->copies, &facts), 0);
    assert_int_equal(facts.st_mode & 07777, 0700);
}

/* A killed server leaves a part of the new file. */
static void a_half_written_copy_is_removed(void **state)
{
    scene *s = *state;
    char fresh[STORE_PLACE_SIZE + 8];
    fill(s, FEW, 1);
    save(s);
    compact(s);
    close_cache(s);
    lw_buf bytes = read_file(s->file);
    (void)snprintf(fresh, sizeof(fresh), "%s.new", s->file);
    write_file(fresh, lw_str_make(bytes.data, bytes.len / 2));
    lw_buf_done(&bytes);
    open_cache(s, s->copies, LW_COMPACT_ON);
    assert_int_equal(access(fresh, F_OK), -1);
    assert_int_equal(s->things->saving.copied, FEW);
}

static void a_failure_to_save_keeps_the_old_copy(void **state)
{
    scene *s = *state;
    lw_error err = LW_ERROR_INIT;
    char fresh[STORE_PLACE_SIZE + 8];
    fill(s, FEW, 1);
    save(s);
    put(s, 3, 2);
    (void)snprintf(fresh, sizeof(fresh), "%s.new", s->file);
    assert_int_equal(mkdir(fresh, 0700), 0);
    size_t unsaved = s->things->saving.unsaved_bytes;
    assert_true(unsaved > 0);
    assert_int_equal(lw_cache_saving_write(s->things, &err), LW_ERR_IO);
    assert_int_equal(s->things->saving.unsaved_bytes, unsaved);
    assert_int_equal(rmdir(fresh), 0);
    compact(s);
    restart(s);
    assert_int_equal(s->things->saving.copied, FEW - 1);
    assert_same_without(s);
}

static void limit_file_size(rlim_t bytes)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes == RLIM_INFINITY ? limit.rlim_max : bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void a_full_disk_keeps_the_old_copy_and_leaves_nothing(void **state)
{
    scene *s = *state;
    lw_error err = LW_ERROR_INIT;
    char fresh[STORE_PLACE_SIZE + 8];
    fill(s, FEW, 1);
    save(s);
    put(s, 3, 2);
    compact(s);
    const struct sigaction ignore = { .sa_handler = SIG_IGN };
    assert_int_equal(sigaction(SIGXFSZ, &ignore, NULL), 0);
    limit_file_size(1000);
    lw_status st = lw_cache_saving_write(s->things, &err);
    limit_file_size(RLIM_INFINITY);
    assert_int_equal(st, LW_ERR_IO);
    (void)snprintf(fresh, sizeof(fresh), "%s.new", s->file);
    assert_int_equal(access(fresh, F_OK), -1);
    restart(s);
    assert_int_equal(s->things->saving.copied, FEW - 1);
    assert_same_without(s);
}

static void a_server_that_stops_gives_up_saving(void **state)
{
    scene *s = *state;
    char fresh[STORE_PLACE_SIZE + 8];
    fill(s, FEW, 1);
    atomic_store(&s->cache->saving.is_stopping, true);
    assert_int_equal(lw_cache_saving_write(s->things, NULL), LW_ERR_STOPPED);
    atomic_store(&s->cache->saving.is_stopping, false);
    (void)snprintf(fresh, sizeof(fresh), "%s.new", s->file);
    assert_int_equal(access(fresh, F_OK), -1);
    assert_int_equal(access(s->file, F_OK), -1);
}

static void the_folder_is_created_for_the_first_copy(void **state)
{
    scene *s = *state;
    close_cache(s);
    lw_state_dir_remove(s->copies);
    open_cache(s, s->copies, LW_COMPACT_ON);
    assert_int_equal(access(s->copies, F_OK), -1);
    fill(s, FEW, 1);
    save(s);
    assert_int_equal(access(s->file, F_OK), 0);
}

static void a_folder_that_cannot_be_used_is_told_once(void **state)
{
    scene *s = *state;
    close_cache(s);
    lw_state_dir_remove(s->copies);
    write_file(s->copies, LW_STR("in the way"));
    open_cache(s, s->copies, LW_COMPACT_ON);
    fill(s, FEW, 1);
    assert_int_equal(lw_cache_saving_write(s->things, NULL), LW_ERR_UNAVAILABLE);
    assert_int_equal(s->warnings, 1);
    assert_non_null(strstr(s->warning, "no copies of large resources are saved"));
    close_cache(s);
    assert_int_equal(unlink(s->copies), 0);
    open_cache(s, s->copies, LW_COMPACT_ON);
}

static void a_small_resource_has_no_copy(void **state)
{
    scene *s = *state;
    fill(s, FEW, 1);
    save(s);
    compact(s);
    close_cache(s);
    const lw_cache_options options = { .store = s->store, .saved_folder = s->copies };
    assert_int_equal(lw_cache_new(&s->cache, &options, NULL), LW_OK);
    assert_int_equal(lw_cache_add(s->cache, LW_STR("/registry/things/"), true, &s->things, NULL),
                     LW_OK);
    assert_int_equal(lw_cache_start(s->cache, NULL), LW_OK);
    assert_int_equal(access(s->file, F_OK), -1);
}

static void a_removed_resource_has_no_copy(void **state)
{
    scene *s = *state;
    fill(s, FEW, 1);
    save(s);
    lw_cache_remove(s->things);
    assert_int_equal(access(s->file, F_OK), -1);
}

/* Without packing. */
static void with_packing_off_the_copies_are_removed(void **state)
{
    scene *s = *state;
    fill(s, FEW, 1);
    save(s);
    close_cache(s);
    open_cache(s, s->copies, LW_COMPACT_OFF);
    assert_int_equal(access(s->copies, F_OK), -1);
    assert_int_equal(lw_cache_saving_write(s->things, NULL), LW_ERR_UNAVAILABLE);
}

/* An encrypted store has none: what it keeps secret must not be in a file. */
static void with_a_store_without_checksums_the_copies_are_removed(void **state)
{
    scene *s = *state;
    fake_store fake;
    lw_cache *cache = NULL;
    fill(s, FEW, 1);
    save(s);
    close_cache(s);
    fake_init(&fake);
    const lw_cache_options options = { .store = &fake.base,
                                       .compact = LW_COMPACT_ON,
                                       .saved_folder = s->copies,
                                       .saved_min_bytes = 1 };
    assert_int_equal(lw_cache_new(&cache, &options, NULL), LW_OK);
    assert_int_equal(access(s->copies, F_OK), -1);
    assert_null(cache->saving.folder);
    lw_cache_free(cache);
    fake_done(&fake);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCENE_TEST(a_damaged_copy_is_not_used),
        SCENE_TEST(a_copy_of_another_resource_is_not_used),
        SCENE_TEST(others_can_neither_read_nor_write_it),
        SCENE_TEST(a_half_written_copy_is_removed),
        SCENE_TEST(a_failure_to_save_keeps_the_old_copy),
        SCENE_TEST(a_full_disk_keeps_the_old_copy_and_leaves_nothing),
        SCENE_TEST(a_server_that_stops_gives_up_saving),
        SCENE_TEST(the_folder_is_created_for_the_first_copy),
        SCENE_TEST(a_folder_that_cannot_be_used_is_told_once),
        SCENE_TEST(a_small_resource_has_no_copy),
        SCENE_TEST(a_removed_resource_has_no_copy),
        SCENE_TEST(with_packing_off_the_copies_are_removed),
        SCENE_TEST(with_a_store_without_checksums_the_copies_are_removed),
    };
    return cmocka_run_group_tests_name("saving_files", tests, NULL, NULL);
}
