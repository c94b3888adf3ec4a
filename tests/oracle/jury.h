/* SPDX-License-Identifier: Apache-2.0 */
/* jury.h -- the scanner, yajl and simdjson, asked about the same documents.
 *
 * They must give the same verdict, and find the same metadata.  A difference fails the test that is
 * running and prints the document in hexadecimal. */
#ifndef LW_TESTS_ORACLE_JURY_H
#define LW_TESTS_ORACLE_JURY_H

#include "oracle/oracle.h"
#include "support/json_gen.h"
#include "support/sanitized.h"
#include "json/scan.h"

/* Everybody who is asked, and what they said last. */
typedef struct jury {
    json_gen gen;
    oracle_simdjson *simdjson;
    lw_scan *value_scan; /* any value */
    lw_scan *list_scan;  /* a list, nothing dropped */
    lw_str scanned;      /* by list_scan */
    lw_buf retold, ours, theirs;
    uint64_t asked, valid;
} jury;

/* For cmocka: *state is a jury.  The teardown says how many documents there were. */
int jury_setup(void **state);
int jury_teardown(void **state);

/* Fails the test with |what| and the document, unless |is_good|. */
void jury_check(bool is_good, const char *what, lw_str document);

/* Asks everybody whether |document| is valid; returns our verdict. */
lw_status jury_ask(jury *j, lw_str document);

/* Asks also what is in the list |document|; returns our verdict on whether it is valid. */
lw_status jury_ask_list(jury *j, lw_str document);

#endif
