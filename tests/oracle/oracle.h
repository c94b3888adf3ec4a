/* SPDX-License-Identifier: Apache-2.0 */
/* oracle.h -- other people's JSON parsers, asked what they think of a document.
 *
 * Where a parser is known to differ from the standard, the document is first rewritten into what
 * the parser takes it for (retold.h), so that the verdicts must be equal without exception. */
#ifndef LW_TESTS_ORACLE_ORACLE_H
#define LW_TESTS_ORACLE_ORACLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* True when yajl, fed |chunk| bytes at a time, takes |bytes| for one JSON value. */
bool oracle_yajl_accepts(const char *bytes, size_t len, size_t chunk);

/* What a parser says of a list. */
typedef enum oracle_verdict {
    ORACLE_REFUSED,   /* it is not JSON */
    ORACLE_MISSHAPEN, /* JSON, but something in it has a type that it must not have */
    ORACLE_ACCEPTED,
} oracle_verdict;

/* A string that was found; |bytes| is NULL when it is absent or null. */
typedef struct oracle_text {
    const char *bytes; /* decoded */
    size_t len;
} oracle_text;

/* Takes what was found, one string after the other; a NULL |name| ends an object. */
typedef void (*oracle_text_fn)(const char *name, oracle_text text, void *arg);

typedef struct oracle_simdjson oracle_simdjson;

/* NULL when there is no memory.  Nests deeper than |max_depth| are refused, where the innermost
 * counts only if there is something in it. */
oracle_simdjson *oracle_simdjson_new(size_t max_depth);
void oracle_simdjson_free(oracle_simdjson *oracle);

bool oracle_simdjson_accepts(oracle_simdjson *oracle, const char *bytes, size_t len);

/* Reads a list: reports of each object apiVersion, kind, namespace, name, uid, resourceVersion and
 * its labels ("key" and "value" in turn), and at the end those of the list with its "remaining" as
 * decimal digits and "items", present when there were some or an empty array or null. */
oracle_verdict oracle_simdjson_list(oracle_simdjson *oracle, const char *bytes, size_t len,
                                    oracle_text_fn put, void *arg);

#ifdef __cplusplus
}
#endif

#endif
