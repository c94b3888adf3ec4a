/* SPDX-License-Identifier: Apache-2.0 */
/* contest_yajl.c -- yajl's callbacks at the job: the fastest streaming parser that Debian has for
 * C.
 *
 * Where the parser stands is known from the depth and the last key at each of the few levels that
 * matter:  {1 "items":[2 {3 "metadata":{4 "labels":{5  */
#include "bench/contest.h"

#include <yajl/yajl_parse.h>

enum {
    LIST_DEPTH = 1,
    ITEM_DEPTH = 3,
    METADATA_DEPTH = 4,
    LABELS_DEPTH = 5,
};

typedef struct yajl_job {
    contest_answer *answer;
    contest_item item;
    unsigned depth;
    bool is_in_items;
    bool is_in_metadata;
    bool is_in_labels;
    uint64_t *wanted;   /* where the hash of the next string goes, or NULL */
    uint64_t label_key; /* hash of the key that a label's value follows */
    bool is_at_items, is_at_metadata, is_at_labels; /* the last key was this one */
} yajl_job;

static bool is_key(const unsigned char *key, size_t len, const char *name)
{
    return len == strlen(name) && memcmp(key, name, len) == 0;
}

static int on_map_key(void *arg, const unsigned char *key, size_t len)
{
    yajl_job *job = arg;
    job->wanted = NULL;
    if (job->is_in_labels && job->depth == LABELS_DEPTH) {
        job->label_key = contest_hash((const char *)key, len);
    } else if (job->is_in_metadata && job->depth == METADATA_DEPTH) {
        job->is_at_labels = is_key(key, len, "labels");
        if (is_key(key, len, "name"))
            job->wanted = &job->item.name;
        else if (is_key(key, len, "namespace"))
            job->wanted = &job->item.ns;
        else if (is_key(key, len, "uid"))
            job->wanted = &job->item.uid;
        else if (is_key(key, len, "resourceVersion"))
            job->wanted = &job->item.resource_version;
    } else if (job->is_in_items && job->depth == ITEM_DEPTH) {
        job->is_at_metadata = is_key(key, len, "metadata");
    } else if (job->depth == LIST_DEPTH) {
        job->is_at_items = is_key(key, len, "items");
    }
    return 1;
}

static int on_string(void *arg, const unsigned char *text, size_t len)
{
    yajl_job *job = arg;
    if (job->is_in_labels && job->depth == LABELS_DEPTH) {
        contest_add_label(&job->item, job->label_key, contest_hash((const char *)text, len));
    } else if (job->wanted) {
        *job->wanted = contest_hash((const char *)text, len);
        job->wanted = NULL;
    }
    return 1;
}

static int on_start_map(void *arg)
{
    yajl_job *job = arg;
    job->depth++;
    if (!job->is_in_items)
        return 1;
    if (job->depth == ITEM_DEPTH)
        job->item = (contest_item){ 0 };
    else if (job->depth == METADATA_DEPTH)
        job->is_in_metadata = job->is_at_metadata;
    else if (job->depth == LABELS_DEPTH)
        job->is_in_labels = job->is_in_metadata && job->is_at_labels;
    return 1;
}

static int on_end_map(void *arg)
{
    yajl_job *job = arg;
    if (job->is_in_items && job->depth == ITEM_DEPTH)
        contest_add_item(job->answer, &job->item);
    else if (job->depth == METADATA_DEPTH)
        job->is_in_metadata = false;
    else if (job->depth == LABELS_DEPTH)
        job->is_in_labels = false;
    job->depth--;
    return 1;
}

static int on_start_array(void *arg)
{
    yajl_job *job = arg;
    if (job->depth == LIST_DEPTH)
        job->is_in_items = job->is_at_items;
    job->depth++;
    return 1;
}

static int on_end_array(void *arg)
{
    yajl_job *job = arg;
    job->depth--;
    if (job->depth == LIST_DEPTH)
        job->is_in_items = false;
    return 1;
}

static bool parse_all(const contest_list *list, const yajl_callbacks *callbacks, yajl_job *job)
{
    yajl_handle parser = yajl_alloc(callbacks, NULL, job);
    if (!parser)
        return false;
    yajl_status st = yajl_status_ok;
    for (size_t at = 0; st == yajl_status_ok && at < list->len; at += list->chunk) {
        size_t rest = list->len - at;
        st = yajl_parse(parser, (const unsigned char *)list->bytes + at,
                        rest < list->chunk ? rest : list->chunk);
    }
    if (st == yajl_status_ok)
        st = yajl_complete_parse(parser);
    yajl_free(parser);
    return st == yajl_status_ok;
}

bool contest_yajl_split(const contest_list *list, contest_answer *answer)
{
    const yajl_callbacks callbacks = {
        .yajl_string = on_string,
        .yajl_start_map = on_start_map,
        .yajl_map_key = on_map_key,
        .yajl_end_map = on_end_map,
        .yajl_start_array = on_start_array,
        .yajl_end_array = on_end_array,
    };
    return parse_all(list, &callbacks, &(yajl_job){ .answer = answer });
}

bool contest_yajl_validate(const contest_list *list, contest_answer *answer)
{
    (void)answer;
    return parse_all(list, NULL, NULL);
}
