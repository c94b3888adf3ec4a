/* SPDX-License-Identifier: Apache-2.0 */
/* contest.h -- parsers that do the same job on the same list, and the answer that proves it.
 *
 * The job: split a list into its objects and find namespace, name, uid, resourceVersion and labels
 * of each.  Every contestant boils what it found down to one answer; they must all be equal. */
#ifndef LW_TESTS_BENCH_CONTEST_H
#define LW_TESTS_BENCH_CONTEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct contest_answer {
    uint64_t items;
    uint64_t labels;
    uint64_t hash; /* of all metadata, in order */
} contest_answer;

/* What was found of one object so far: a hash of each string, 0 where there was none. */
typedef struct contest_item {
    uint64_t ns, name, uid, resource_version;
    uint64_t label_hash;
    uint64_t label_count;
} contest_item;

static inline uint64_t contest_mix(uint64_t a, uint64_t b)
{
    a = (a ^ b) * 0x9E3779B97F4A7C15U;
    return a ^ (a >> 32);
}

/* True while answers are compared, false while time is taken: then a string found counts by its
 * length, for what is measured is the parser and not the hash. */
extern bool contest_is_hashing;

/* A hash of |len| bytes. */
static inline uint64_t contest_hash(const char *bytes, size_t len)
{
    uint64_t hash = len + 1;
    if (!contest_is_hashing)
        return hash;
    uint64_t word;
    for (; len >= sizeof(word); bytes += sizeof(word), len -= sizeof(word)) {
        memcpy(&word, bytes, sizeof(word));
        hash = contest_mix(hash, word);
    }
    word = 0;
    if (len > 0)
        memcpy(&word, bytes, len);
    return contest_mix(hash, word);
}

static inline void contest_add_label(contest_item *item, uint64_t key, uint64_t value)
{
    item->label_hash = contest_mix(contest_mix(item->label_hash, key), value);
    item->label_count++;
}

static inline void contest_add_item(contest_answer *answer, const contest_item *item)
{
    uint64_t hash = contest_mix(answer->hash, item->ns);
    hash = contest_mix(hash, item->name);
    hash = contest_mix(hash, item->uid);
    hash = contest_mix(hash, item->resource_version);
    answer->hash = contest_mix(hash, item->label_hash);
    answer->labels += item->label_count;
    answer->items++;
}

/* The list in memory, with room behind it for parsers that read ahead. */
typedef struct contest_list {
    const char *bytes;
    size_t len;
    size_t chunk; /* bytes to be fed at a time */
} contest_list;

enum {
    CONTEST_PADDING = 64,
};

/* Reads the list once; false when the parser refuses it.  |answer| starts out zeroed. */
typedef bool (*contest_run)(const contest_list *list, contest_answer *answer);

bool contest_listwatch_split(const contest_list *list, contest_answer *answer);

/* The same by one kind of code ("scalar", "sse2", ...), and whether it is here. */
bool contest_listwatch_split_by(const contest_list *list, contest_answer *answer, const char *simd);
bool contest_listwatch_has(const char *simd);

bool contest_listwatch_trusting(const contest_list *list, contest_answer *answer);
bool contest_listwatch_validate(const contest_list *list, contest_answer *answer);
bool contest_yajl_split(const contest_list *list, contest_answer *answer);
bool contest_yajl_validate(const contest_list *list, contest_answer *answer);
bool contest_simdjson_split(const contest_list *list, contest_answer *answer); /* ignores |chunk| */

#ifdef __cplusplus
}
#endif

#endif
