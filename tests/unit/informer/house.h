/* SPDX-License-Identifier: Apache-2.0 */
/* house.h -- a factory on an API server in memory, with a manual clock, dispatched by the test.
 *
 * Each event of a handler is recorded as a word: "+a/x.i" is the ADD of an initial object a/x;
 * "~" and "-" are updates and deletes, ".w", ".r" and ".s" mean watch, relist and resync, "!" a
 * changed uid, "?" an unknown final state. */
#ifndef LW_TESTS_UNIT_INFORMER_HOUSE_H
#define LW_TESTS_UNIT_INFORMER_HOUSE_H

#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>

#include <listwatch/factory.h>

#include "base/clock.h"
#include "support/fake_provider.h"
#include "unit/test.h"

typedef struct house {
    fake_provider *fake;
    lw_manual_clock *clock;
    lw_factory *factory;
    lw_informer *pods;
} house;

/* The events that one handler received. */
typedef struct notebook {
    char text[4096];
    size_t len;
    atomic_size_t count;
    void (*also)(const lw_event *event, void *arg); /* called with each event, after it is noted */
    void *arg;
} notebook;

static inline void notebook_take(const lw_event *event, void *arg)
{
    static const char types[] = { ' ', '+', '~', '-' };
    static const char causes[] = { ' ', 'i', 'w', 'r', 's' };
    notebook *book = arg;
    char key[128];
    (void)lw_key_print(lw_object_key(event->object), key, sizeof(key));
    int len = snprintf(book->text + book->len, sizeof(book->text) - book->len, "%s%c%s.%c%s%s",
                       book->len ? " " : "", types[event->type], key, causes[event->cause],
                       event->is_uid_changed ? "!" : "", event->is_final_state_unknown ? "?" : "");
    if (len > 0 && book->len + (size_t)len < sizeof(book->text))
        book->len += (size_t)len;
    atomic_fetch_add(&book->count, 1);
    if (book->also)
        book->also(event, book->arg);
}

/* Returns the events since the last call. */
#define assert_told(book, expected)                                                                \
    do {                                                                                           \
        assert_string_equal((book)->text, (expected));                                             \
        (book)->len = 0;                                                                           \
        (book)->text[0] = '\0';                                                                    \
    } while (0)

static inline lw_handler notebook_handler(notebook *book)
{
    return (lw_handler){ .on_event = notebook_take, .arg = book };
}

/* The options that house_open completes: lists, no streams, so that objects come in their order. */
static inline lw_factory_options house_options(void)
{
    return (lw_factory_options){ .size = sizeof(lw_factory_options), .lists_only = true };
}

static inline void house_open_with(house *h, const lw_factory_options *options)
{
    *h = (house){ .fake = fake_provider_new() };
    assert_non_null(h->fake);
    assert_int_equal(lw_manual_clock_new(&h->clock, 0), LW_OK);
    lw_factory_options all = *options;
    all.provider = fake_provider_as_provider(h->fake);
    all.clock = lw_manual_clock_as_clock(h->clock);
    assert_int_equal(lw_factory_new(&h->factory, &all, NULL), LW_OK);
    assert_int_equal(lw_factory_informer(h->factory, "pods", &h->pods, NULL), LW_OK);
}

static inline void house_open(house *h)
{
    const lw_factory_options options = house_options();
    house_open_with(h, &options);
}

/* Nothing is left of the factory at its provider. */
static inline void house_close(house *h)
{
    lw_factory_free(h->factory);
    fake_provider_counts counts = fake_provider_look(h->fake);
    assert_int_equal(counts.open_calls, 0);
    assert_int_equal(counts.open_sources, 0);
    assert_true(counts.is_freed);
    fake_provider_free(h->fake);
    lw_manual_clock_free(h->clock);
}

/* Dispatches while there is anything to do. */
static inline void house_run_until_idle(house *h)
{
    struct pollfd wanted = { .fd = lw_factory_fd(h->factory), .events = POLLIN };
    for (int i = 0; lw_factory_timeout_ms(h->factory) == 0 || poll(&wanted, 1, 0) > 0; i++) {
        assert_true(i < 1000); /* it must become idle */
        assert_int_equal(lw_factory_dispatch(h->factory, NULL), LW_OK);
    }
}

static inline void house_advance(house *h, int64_t ns)
{
    lw_manual_clock_advance(h->clock, ns);
    house_run_until_idle(h);
}

static inline uint64_t house_put(house *h, const char *key)
{
    uint64_t revision = fake_provider_put(h->fake, "pods", key, NULL, NULL);
    assert_true(revision > 0);
    return revision;
}

static inline void house_delete(house *h, const char *key)
{
    assert_true(fake_provider_delete(h->fake, "pods", key) > 0);
}

static inline lw_registration *house_add(house *h, const lw_handler *handler)
{
    lw_registration *registration = NULL;
    assert_int_equal(lw_informer_add_handler(h->pods, handler, &registration, NULL), LW_OK);
    return registration;
}

/* The watches break, what is written during |write| is missed, and a relist finds it. */
static inline void house_miss(house *h, void (*write)(house *h))
{
    fake_provider_set_lossy(h->fake, true);
    write(h);
    fake_provider_set_lossy(h->fake, false);
    lw_error gone = fake_error(LW_ERR_EXPIRED, 410, "too old resource version");
    fake_provider_end_watches(h->fake, &gone);
    house_run_until_idle(h);
    house_advance(h, 60 * LW_NS_PER_S); /* longer than any backoff */
}

#endif
