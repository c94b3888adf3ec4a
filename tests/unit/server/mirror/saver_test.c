/* SPDX-License-Identifier: Apache-2.0 */
/* saver_test.c -- when a mirrored resource is saved, and what of it. */
#include "server/mirror/saver.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/str.h"
#include "unit/cache/rig.h"

typedef struct site {
    rig rig;
    char folder[40];
    lw_manual_clock *clock;
    lw_state_dir *dir;
    lw_mirror_saver saver;
} site;

static void open_saver(site *s, const char *path)
{
    const lw_mirror_saver_options options = { .dir = s->dir,
                                              .clock = lw_manual_clock_as_clock(s->clock),
                                              .resource = LW_STR("pods"),
                                              .upstream = LW_STR("http://a"),
                                              .path = lw_str_of(path) };
    s->saver = (lw_mirror_saver){ .dir = NULL };
    assert_int_equal(lw_mirror_saver_open(&s->saver, &options), LW_OK);
}

static void site_open(site *s)
{
    rig_init(&s->rig);
    rig_open_cache(&s->rig, 0);
    lw_feed_init(s->rig.pods);
    assert_int_equal(lw_cache_start(s->rig.cache, NULL), LW_OK);
    (void)snprintf(s->folder, sizeof(s->folder), "/tmp/lw-saver-XXXXXX");
    assert_non_null(mkdtemp(s->folder));
    assert_int_equal(lw_manual_clock_new(&s->clock, 0), LW_OK);
    assert_int_equal(lw_state_dir_open(&s->dir, s->folder, NULL), LW_OK);
    open_saver(s, "/api/v1/pods");
}

static void site_close(site *s)
{
    char lock[64];
    if (s->saver.path)
        (void)unlink(s->saver.path);
    lw_mirror_saver_done(&s->saver);
    lw_state_dir_close(s->dir);
    (void)snprintf(lock, sizeof(lock), "%s/lock", s->folder);
    (void)unlink(lock);
    assert_int_equal(rmdir(s->folder), 0);
    lw_manual_clock_free(s->clock);
    rig_done(&s->rig);
}

static lw_object *pod(const char *name, unsigned revision)
{
    char text[256];
    lw_object *obj = NULL;
    int len = snprintf(text, sizeof(text),
                       "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"%s\","
                       "\"namespace\":\"a\",\"uid\":\"u\",\"resourceVersion\":\"%u\"}}",
                       name, revision);
    assert_int_equal(lw_object_from_json(&obj, text, (size_t)len, NULL), LW_OK);
    return obj;
}

static void list(site *s, uint64_t revision)
{
    lw_object *obj = pod("first", 1);
    assert_int_equal(lw_feed_replace(s->rig.pods, &obj, 1, revision), LW_OK);
    lw_object_unref(obj);
    lw_mirror_saver_listed(&s->saver, s->rig.pods);
}

static void put(site *s, const char *name, unsigned revision)
{
    lw_object *obj = pod(name, revision);
    lw_feed_begin(s->rig.pods);
    assert_int_equal(lw_feed_put(s->rig.pods, obj), LW_OK);
    lw_feed_end(s->rig.pods, 0, 0);
    lw_object_unref(obj);
}

static void bookmark(site *s, uint64_t revision)
{
    lw_feed_begin(s->rig.pods);
    lw_feed_end(s->rig.pods, revision, 0);
}

/* A minute later. */
static void tick(site *s)
{
    lw_state_dir_wait(s->dir, &s->saver.slot);
    lw_manual_clock_advance(s->clock, (LW_MIRROR_SAVE_S + 1) * LW_NS_PER_S);
    lw_mirror_saver_tick(&s->saver, s->rig.pods);
    lw_state_dir_wait(s->dir, &s->saver.slot);
}

static lw_status count_object(const lw_object *obj, void *arg, lw_error *err)
{
    (void)obj;
    (void)err;
    ++*(unsigned *)arg;
    return LW_OK;
}

/* Checks what the file has; revision 0: there is none. */
static void assert_saved(site *s, uint64_t revision, unsigned objects)
{
    uint64_t found = 0, before = s->saver.saved_revision;
    unsigned count = 0;
    lw_compact *packer = NULL;
    const lw_saved_sink sink = { .on_object = count_object, .arg = &count };
    lw_state_dir_wait(s->dir, &s->saver.slot);
    assert_int_equal(lw_mirror_saver_load(&s->saver, &sink, &found, &packer), revision > 0);
    lw_compact_close(packer);
    assert_int_equal(found, revision);
    assert_int_equal(count, objects);
    s->saver.saved_revision = before;
}

static void a_list_is_saved_at_once(void **state)
{
    (void)state;
    site s;
    site_open(&s);
    assert_saved(&s, 0, 0);
    list(&s, 10);
    assert_saved(&s, 10, 1);
    site_close(&s);
}

/* So that a mirror that was killed has a history for clients that are behind. */
static void what_is_saved_is_a_minute_old(void **state)
{
    (void)state;
    site s;
    site_open(&s);
    list(&s, 10);
    put(&s, "b", 11);
    tick(&s);
    assert_saved(&s, 10, 1);
    put(&s, "c", 12);
    tick(&s);
    assert_saved(&s, 11, 2);
    tick(&s);
    assert_saved(&s, 12, 3);
    site_close(&s);
}

static void when_the_mirror_stops_the_newest_state_is_saved(void **state)
{
    (void)state;
    site s;
    site_open(&s);
    list(&s, 10);
    put(&s, "b", 11);
    bookmark(&s, 15);
    lw_mirror_saver_finish(&s.saver, s.rig.pods);
    assert_saved(&s, 15, 2);
    site_close(&s);
}

static void without_changes_a_file_is_written_less_often(void **state)
{
    (void)state;
    site s;
    site_open(&s);
    list(&s, 10);
    bookmark(&s, 20);
    for (int i = 0; i < 8; i++)
        tick(&s);
    assert_saved(&s, 10, 1);
    for (int i = 0; i < 3; i++)
        tick(&s);
    assert_saved(&s, 20, 1);
    site_close(&s);
}

static void a_resource_that_was_never_read_is_not_saved(void **state)
{
    (void)state;
    site s;
    site_open(&s);
    tick(&s);
    lw_mirror_saver_finish(&s.saver, s.rig.pods);
    assert_saved(&s, 0, 0);
    site_close(&s);
}

static void other_selectors_have_another_file(void **state)
{
    (void)state;
    site s;
    site_open(&s);
    list(&s, 10);
    lw_state_dir_wait(s.dir, &s.saver.slot);
    char path[128];
    (void)snprintf(path, sizeof(path), "%s", s.saver.path);
    lw_mirror_saver_done(&s.saver);
    open_saver(&s, "/api/v1/pods?labelSelector=a");
    assert_saved(&s, 0, 0);
    (void)unlink(path);
    site_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_list_is_saved_at_once),
        TEST(what_is_saved_is_a_minute_old),
        TEST(when_the_mirror_stops_the_newest_state_is_saved),
        TEST(without_changes_a_file_is_written_less_often),
        TEST(a_resource_that_was_never_read_is_not_saved),
        TEST(other_selectors_have_another_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
