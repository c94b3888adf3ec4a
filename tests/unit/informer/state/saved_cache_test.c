/* SPDX-License-Identifier: Apache-2.0 */
/* saved_cache_test.c -- saved caches: what is written is read, and a file that is damaged anywhere
 * is refused. */
#include "informer/state/saved_cache.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/crc32c.h"
#include "base/file/files.h"
#include "base/str.h"
#include "schema/message/message.h"
#include "schema/proto/proto.h"
#include "state/state_dir.h"
#include "support/script_source.h"
#include "unit/test.h"

#define IDENTITY LW_STR("server: http://a\nresource: pods\n")

typedef struct place {
    char folder[32], path[64];
} place;

static void place_open(place *p)
{
    (void)snprintf(p->folder, sizeof(p->folder), "/tmp/lw-state-XXXXXX");
    assert_non_null(mkdtemp(p->folder));
    (void)snprintf(p->path, sizeof(p->path), "%s/pods.state", p->folder);
}

static void place_close(place *p)
{
    char other[80];
    (void)unlink(p->path);
    (void)snprintf(other, sizeof(other), "%s/lock", p->folder);
    (void)unlink(other);
    assert_int_equal(rmdir(p->folder), 0);
}

/* The objects n/o0 ... */
static lw_state_objects objects_of(unsigned count)
{
    lw_replacement *state = NULL;
    lw_snapshot *snapshot = NULL;
    assert_int_equal(lw_replacement_new(&state), LW_OK);
    for (unsigned i = 0; i < count; i++) {
        char key[16];
        (void)snprintf(key, sizeof(key), "n/o%u", i);
        lw_object *obj = script_object(key, i + 1, 1);
        assert_int_equal(lw_replacement_put(state, obj), LW_OK);
        lw_object_unref(obj);
    }
    lw_replacement_finish(state);
    assert_int_equal(lw_snapshot_new_empty(&snapshot), LW_OK);
    lw_snapshot_set_take(snapshot, state);
    return lw_saved_cache_objects_take(snapshot);
}

static void save(const place *p, unsigned count, const char *rv)
{
    lw_error err = LW_ERROR_INIT;
    const lw_state_objects objects = objects_of(count);
    const lw_state_facts facts = { .identity = IDENTITY,
                                   .resource_version = lw_str_of(rv),
                                   .cluster = LW_STR("c"),
                                   .saved_s = 1000 };
    if (lw_state_file_write(p->path, &facts, &objects, &err) < 0)
        fail_msg("%s", err.message);
    objects.free(objects.arg);
}

static lw_buf bytes_of(const place *p)
{
    lw_buf bytes;
    lw_buf_init(&bytes, 1 << 20);
    assert_int_equal(lw_file_read(p->path, &bytes, NULL), LW_OK);
    return bytes;
}

static void what_is_saved_is_read_again(void **state)
{
    (void)state;
    static const unsigned counts[] = { 0, 1, 3, 5000 };
    place p;
    place_open(&p);
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        lw_saved_cache read;
        lw_error err = LW_ERROR_INIT;
        save(&p, counts[i], "4711");
        if (lw_saved_cache_read(p.path, IDENTITY, LW_COMPACT_AUTO, &read, &err) < 0)
            fail_msg("%s", err.message);
        assert_string_equal(read.state.resource_version, "4711");
        assert_string_equal(read.state.cluster, "c");
        assert_int_equal(read.state.saved_s, 1000);
        assert_int_equal(lw_replacement_count(read.objects), counts[i]);
        for (unsigned n = 0; n < counts[i]; n++)
            assert_int_equal(lw_object_revision(lw_replacement_at(read.objects, n)), n + 1);
        lw_saved_cache_done(&read);
    }
    place_close(&p);
}

static const lw_object *object_at(void *arg, size_t index)
{
    return ((lw_object **)arg)[index];
}

static void free_nothing(void *arg)
{
    (void)arg;
}

/* An object of protobuf or JSON that is large enough to be packed. */
static lw_object *large_object(bool is_message)
{
    char json[1024];
    lw_object *obj = NULL;
    lw_buf bytes;
    const lw_read_options options = LW_READ_OPTIONS_INIT;
    int len =
        snprintf(json, sizeof(json),
                 "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\","
                 "\"namespace\":\"n\",\"resourceVersion\":\"5\"},\"data\":{\"k\":\"%0600d\"}}",
                 0);
    lw_buf_init(&bytes, sizeof(json));
    if (is_message) {
        assert_int_equal(lw_proto_write_document(lw_str_make(json, (size_t)len), &bytes, NULL),
                         LW_OK);
        assert_int_equal(lw_message_object(&obj, lw_buf_view(&bytes), &options, NULL), LW_OK);
    } else {
        assert_int_equal(lw_object_from_json(&obj, json, (size_t)len, NULL), LW_OK);
    }
    lw_buf_done(&bytes);
    return obj;
}

/* Reads |path| with |mode|: the object is packed or not, and the same. */
static void assert_read_as(const char *path, lw_compact_mode mode, bool is_packed,
                           const lw_object *expected)
{
    lw_saved_cache read;
    assert_int_equal(lw_saved_cache_read(path, IDENTITY, mode, &read, NULL), LW_OK);
    const lw_object *found = lw_replacement_at(read.objects, 0);
    assert_int_equal(lw_compact_is_packed(found), is_packed);
    assert_true(lw_str_equal(lw_object_json(found), lw_object_json(expected)));
    lw_saved_cache_done(&read);
}

static void packed_objects_are_unpacked_only_if_packing_is_off(void **state)
{
    (void)state;
    static const lw_compact_options options = { .keeps_open = false };
    const lw_state_facts facts = { .identity = IDENTITY,
                                   .resource_version = LW_STR("9"),
                                   .cluster = LW_STR("c"),
                                   .saved_s = 1000 };
    place p;
    place_open(&p);
    for (int is_message = 0; is_message < 2; is_message++) {
        lw_compact *compact = NULL;
        lw_object *whole = large_object(is_message > 0);
        assert_int_equal(lw_compact_new(&compact, &options), LW_OK);
        lw_object *packed = lw_compact_pack(compact, whole);
        assert_true(lw_compact_is_packed(packed));
        const lw_state_objects objects = {
            .count = 1, .at = object_at, .free = free_nothing, .arg = &packed
        };
        assert_int_equal(lw_state_file_write(p.path, &facts, &objects, NULL), LW_OK);
        assert_read_as(p.path, LW_COMPACT_AUTO, true, whole);
        assert_read_as(p.path, LW_COMPACT_ON, true, whole);
        assert_read_as(p.path, LW_COMPACT_OFF, false, whole);
        lw_object_unref(packed);
        lw_object_unref(whole);
        lw_compact_close(compact);
    }
    place_close(&p);
}

/* Items of a list have no apiVersion and kind: a list with a type gives them theirs again. */
static void the_type_of_objects_is_kept(void **state)
{
    (void)state;
    place p;
    lw_saved_cache read;
    lw_object *obj = NULL;
    place_open(&p);
    save(&p, 1, "1");
    assert_int_equal(lw_saved_cache_read(p.path, IDENTITY, LW_COMPACT_AUTO, &read, NULL), LW_OK);
    obj = script_object("n/o0", 1, 1);
    const lw_object *kept = lw_replacement_at(read.objects, 0);
    assert_string_equal(lw_object_kind(kept), lw_object_kind(obj));
    assert_string_equal(lw_object_api_version(kept), lw_object_api_version(obj));
    lw_object_unref(obj);
    lw_saved_cache_done(&read);
    place_close(&p);
}

static void a_file_that_is_damaged_at_any_byte_is_refused(void **state)
{
    (void)state;
    place p;
    lw_saved_cache read;
    place_open(&p);
    save(&p, 3, "4711");
    lw_buf bytes = bytes_of(&p);
    for (size_t at = 0; at < bytes.len; at++) {
        for (int bit = 0; bit < 8; bit++) {
            lw_error err = LW_ERROR_INIT;
            bytes.data[at] = (char)(bytes.data[at] ^ (1 << bit));
            assert_int_equal(lw_saved_cache_parse(lw_buf_view(&bytes), IDENTITY, LW_COMPACT_AUTO,
                                                  &read, &err),
                             LW_ERR_INVALID);
            assert_true(err.message[0] != '\0');
            bytes.data[at] = (char)(bytes.data[at] ^ (1 << bit));
        }
    }
    assert_int_equal(lw_saved_cache_parse(lw_buf_view(&bytes), IDENTITY, LW_COMPACT_AUTO, &read,
                                          NULL),
                     LW_OK);
    lw_saved_cache_done(&read);
    lw_buf_done(&bytes);
    place_close(&p);
}

static void a_file_that_is_truncated_or_longer_is_refused(void **state)
{
    (void)state;
    place p;
    lw_saved_cache read;
    place_open(&p);
    save(&p, 3, "4711");
    lw_buf bytes = bytes_of(&p);
    for (size_t len = 0; len < bytes.len; len++)
        assert_int_equal(lw_saved_cache_parse(lw_str_make(bytes.data, len), IDENTITY,
                                              LW_COMPACT_AUTO, &read, NULL),
                         LW_ERR_INVALID);
    lw_buf_append_char(&bytes, '\n');
    assert_int_equal(lw_saved_cache_parse(lw_buf_view(&bytes), IDENTITY, LW_COMPACT_AUTO, &read,
                                          NULL),
                     LW_ERR_INVALID);
    lw_buf_done(&bytes);
    place_close(&p);
}

/* Puts a number into the head, and the right checksum. */
static void forge(lw_buf *bytes, size_t at, char value)
{
    bytes->data[at] = value;
    uint32_t sum = lw_crc32c(0, bytes->data + LW_STATE_HEAD, bytes->len - LW_STATE_HEAD);
    sum = lw_crc32c(sum, bytes->data + 16, LW_STATE_HEAD - 16);
    for (int i = 0; i < 4; i++)
        bytes->data[12 + i] = (char)(unsigned char)(sum >> (8 * i));
}

static void the_reason_is_told(void **state)
{
    (void)state;
    static const struct {
        size_t at; /* of a byte of the head */
        const char *reason;
    } cases[] = {
        { 0, "not a saved cache" }, { 8, "format version" }, { 24, "objects are missing" },
        { 32, "lengths" },          { 40, "lengths" },       { 48, "lengths" },
        { 56, "lengths" },          { 39, "lengths" },       { LW_STATE_HEAD, "another server" },
    };
    place p;
    place_open(&p);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        lw_saved_cache read;
        lw_error err = LW_ERROR_INIT;
        save(&p, 3, "4711");
        lw_buf bytes = bytes_of(&p);
        forge(&bytes, cases[i].at, (char)0x7f);
        assert_int_equal(lw_saved_cache_parse(lw_buf_view(&bytes), IDENTITY, LW_COMPACT_AUTO, &read,
                                              &err),
                         LW_ERR_INVALID);
        if (!strstr(err.message, cases[i].reason))
            fail_msg("byte %zu: %s", cases[i].at, err.message);
        lw_buf_done(&bytes);
    }
    place_close(&p);
}

static void a_file_of_another_identity_is_refused(void **state)
{
    (void)state;
    place p;
    lw_saved_cache read;
    place_open(&p);
    save(&p, 1, "1");
    assert_int_equal(lw_saved_cache_read(p.path, LW_STR("server: http://b"), LW_COMPACT_AUTO, &read,
                                         NULL),
                     LW_ERR_INVALID);
    place_close(&p);
}

static void only_the_owner_can_read_a_file_and_others_are_refused(void **state)
{
    (void)state;
    place p;
    lw_saved_cache read;
    struct stat facts;
    place_open(&p);
    save(&p, 1, "1");
    assert_int_equal(stat(p.path, &facts), 0);
    assert_int_equal(facts.st_mode & 0777, 0600);
    assert_int_equal(chmod(p.path, 0644), 0);
    assert_int_equal(lw_saved_cache_read(p.path, IDENTITY, LW_COMPACT_AUTO, &read, NULL),
                     LW_ERR_INVALID);
    assert_int_equal(unlink(p.path), 0);
    assert_int_equal(lw_saved_cache_read(p.path, IDENTITY, LW_COMPACT_AUTO, &read, NULL),
                     LW_ERR_NOT_FOUND);
    assert_int_equal(symlink("/dev/zero", p.path), 0);
    assert_int_equal(lw_saved_cache_read(p.path, IDENTITY, LW_COMPACT_AUTO, &read, NULL),
                     LW_ERR_IO);
    place_close(&p);
}

static void a_failed_write_leaves_the_old_file(void **state)
{
    (void)state;
    place p;
    lw_saved_cache read;
    char fresh[80];
    place_open(&p);
    save(&p, 1, "1");
    (void)snprintf(fresh, sizeof(fresh), "%s.new", p.path);
    assert_int_equal(mkdir(fresh, 0700), 0); /* the temporary file cannot be created */
    const lw_state_objects objects = objects_of(2);
    const lw_state_facts facts = { .identity = IDENTITY,
                                   .resource_version = LW_STR("2"),
                                   .cluster = LW_STR("c"),
                                   .saved_s = 1000 };
    assert_int_equal(lw_state_file_write(p.path, &facts, &objects, NULL), LW_ERR_IO);
    objects.free(objects.arg);
    assert_int_equal(lw_saved_cache_read(p.path, IDENTITY, LW_COMPACT_AUTO, &read, NULL), LW_OK);
    assert_string_equal(read.state.resource_version, "1");
    lw_saved_cache_done(&read);
    assert_int_equal(rmdir(fresh), 0);
    place_close(&p);
}

static void a_directory_has_one_user_at_a_time(void **state)
{
    (void)state;
    place p;
    lw_state_dir *first = NULL, *second = NULL;
    lw_error err = LW_ERROR_INIT;
    place_open(&p);
    assert_int_equal(lw_state_dir_open(&first, p.folder, NULL), LW_OK);
    assert_int_equal(lw_state_dir_open(&second, p.folder, &err), LW_ERR_EXISTS);
    assert_non_null(strstr(err.message, "in use by another"));
    lw_state_dir_close(first);
    assert_int_equal(lw_state_dir_open(&second, p.folder, NULL), LW_OK);
    lw_state_dir_close(second);
    assert_int_equal(chmod(p.folder, 0777), 0);
    assert_int_equal(lw_state_dir_open(&second, p.folder, NULL), LW_ERR_INVALID);
    place_close(&p);
}

static void a_save_runs_in_a_thread_and_reports_once(void **state)
{
    (void)state;
    place p;
    lw_state_dir *dir = NULL;
    lw_state_slot slot = { .is_busy = false };
    lw_status st = LW_ERR_IO;
    lw_error err = LW_ERROR_INIT;
    int64_t took_ns = -1;
    lw_saved_cache read;
    place_open(&p);
    assert_int_equal(lw_state_dir_open(&dir, p.folder, NULL), LW_OK);
    const lw_state_facts facts = { .identity = IDENTITY,
                                   .resource_version = LW_STR("9"),
                                   .cluster = LW_STR("c"),
                                   .saved_s = 1000 };
    const lw_state_objects objects = objects_of(10);
    assert_int_equal(lw_state_dir_save_take(dir, &slot, p.path, &facts, &objects, NULL), LW_OK);
    lw_state_dir_wait(dir, &slot);
    assert_false(lw_state_dir_is_busy(dir, &slot));
    assert_true(lw_state_dir_result(dir, &slot, &st, &err, &took_ns));
    assert_int_equal(st, LW_OK);
    assert_true(took_ns >= 0);
    assert_false(lw_state_dir_result(dir, &slot, &st, &err, &took_ns));
    lw_state_dir_close(dir);
    assert_int_equal(lw_saved_cache_read(p.path, IDENTITY, LW_COMPACT_AUTO, &read, NULL), LW_OK);
    assert_int_equal(lw_replacement_count(read.objects), 10);
    lw_saved_cache_done(&read);
    place_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_is_saved_is_read_again),
        TEST(packed_objects_are_unpacked_only_if_packing_is_off),
        TEST(the_type_of_objects_is_kept),
        TEST(a_file_that_is_damaged_at_any_byte_is_refused),
        TEST(a_file_that_is_truncated_or_longer_is_refused),
        TEST(the_reason_is_told),
        TEST(a_file_of_another_identity_is_refused),
        TEST(only_the_owner_can_read_a_file_and_others_are_refused),
        TEST(a_failed_write_leaves_the_old_file),
        TEST(a_directory_has_one_user_at_a_time),
        TEST(a_save_runs_in_a_thread_and_reports_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
