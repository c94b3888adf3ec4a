/* SPDX-License-Identifier: Apache-2.0 */
/* source_spec.c -- copies and compares the objects that informers select. */
#include "informer/source_spec.h"

#include <string.h>

#include <listwatch/field_selector.h>
#include <listwatch/label_selector.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"

/* A copy owns its strings although their type is const. */
static void free_text(const char *text)
{
    lw_free((char *)(uintptr_t)text);
}

static void free_paths(const char *const *paths)
{
    for (size_t i = 0; paths && paths[i]; i++)
        free_text(paths[i]);
    lw_free((void *)(uintptr_t)paths);
}

static size_t count_paths(const char *const *paths)
{
    size_t count = 0;
    while (paths && paths[count])
        count++;
    return count;
}

static const char **copy_paths(const char *const *paths)
{
    size_t count = count_paths(paths);
    const char **copy = lw_alloc_zero(count + 1, sizeof(*copy));
    for (size_t i = 0; copy && i < count; i++) {
        copy[i] = lw_str_dup(lw_str_of(paths[i]));
        if (!copy[i]) {
            free_paths(copy);
            return NULL;
        }
    }
    return copy;
}

lw_status lw_source_spec_copy(lw_source_spec *out, const lw_source_spec *spec)
{
    lw_source_spec copy = *spec;
    copy.resource = lw_str_dup(lw_str_of(spec->resource));
    copy.ns = lw_str_dup(lw_str_of(spec->ns));
    copy.label_selector = lw_str_dup(lw_str_of(spec->label_selector));
    copy.field_selector = lw_str_dup(lw_str_of(spec->field_selector));
    copy.read.drop = spec->read.drop ? copy_paths(spec->read.drop) : NULL;
    copy.read.keep = spec->read.keep ? copy_paths(spec->read.keep) : NULL;
    if (!copy.resource || !copy.ns || !copy.label_selector || !copy.field_selector ||
        (spec->read.drop && !copy.read.drop) || (spec->read.keep && !copy.read.keep)) {
        lw_source_spec_done(&copy);
        return LW_ERR_NOMEM;
    }
    *out = copy;
    return LW_OK;
}

void lw_source_spec_done(lw_source_spec *copy)
{
    free_text(copy->resource);
    free_text(copy->ns);
    free_text(copy->label_selector);
    free_text(copy->field_selector);
    free_paths(copy->read.drop);
    free_paths(copy->read.keep);
    *copy = (lw_source_spec){ 0 };
}

static bool is_text_equal(const char *a, const char *b)
{
    return lw_str_equal(lw_str_of(a), lw_str_of(b));
}

static bool are_paths_equal(const char *const *a, const char *const *b)
{
    size_t count = count_paths(a);
    if ((a == NULL) != (b == NULL) || count != count_paths(b))
        return false;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(a[i], b[i]) != 0)
            return false;
    }
    return true;
}

bool lw_source_spec_equal(const lw_source_spec *a, const lw_source_spec *b)
{
    return is_text_equal(a->resource, b->resource) && is_text_equal(a->ns, b->ns) &&
           is_text_equal(a->label_selector, b->label_selector) &&
           is_text_equal(a->field_selector, b->field_selector) &&
           a->is_metadata_only == b->is_metadata_only &&
           are_paths_equal(a->read.drop, b->read.drop) &&
           are_paths_equal(a->read.keep, b->read.keep) &&
           a->read.keeps_managed_fields == b->read.keeps_managed_fields &&
           a->read.trusts_input == b->read.trusts_input &&
           a->read.max_object_size == b->read.max_object_size;
}

static lw_status ignore_event(const lw_watch_event *event, void *arg, lw_error *err)
{
    (void)event;
    (void)arg;
    (void)err;
    return LW_OK;
}

/* A reader rejects invalid paths. */
static lw_status check_read_options(const lw_read_options *read, lw_error *err)
{
    const lw_event_reader_options options = { .read = *read, .on_event = ignore_event };
    lw_event_reader *reader = NULL;
    lw_status st = lw_event_reader_new(&reader, &options, err);
    lw_event_reader_free(reader);
    return st;
}

lw_status lw_source_spec_check(const lw_source_spec *spec, lw_error *err)
{
    lw_label_selector *labels = NULL;
    lw_field_selector *fields = NULL;
    if (lw_str_is_empty(lw_str_of(spec->resource)))
        return lw_error_set(err, LW_ERR_INVALID, "the resource of the informer is empty");
    lw_status st = lw_label_selector_parse(&labels, lw_str_of(spec->label_selector), err);
    if (st == LW_OK)
        st = lw_field_selector_parse(&fields, lw_str_of(spec->field_selector), err);
    if (st == LW_OK)
        st = check_read_options(&spec->read, err);
    lw_label_selector_free(labels);
    lw_field_selector_free(fields);
    return st;
}
