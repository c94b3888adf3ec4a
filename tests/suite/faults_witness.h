/* SPDX-License-Identifier: Apache-2.0 */
/* faults_witness.h -- a handler that knows the true history, and fails the test if its events are
 * out of order, duplicated or wrong. */
#ifndef LW_TESTS_SUITE_FAULTS_WITNESS_H
#define LW_TESTS_SUITE_FAULTS_WITNESS_H

#include <listwatch/event.h>

#include "support/model_history.h"

/* What the handler knows of one name. */
typedef struct faults_told {
    model_object obj; /* rv 0: no object */
    uint64_t last_rv; /* of the last event, including deletions */
} faults_told;

typedef struct faults_witness {
    const char *name; /* for messages */
    const model_history *past;
    bool is_told_all; /* receives every change that a watch showed: changes of an object are not
                         merged */
    bool is_resynced; /* also receives unchanged objects if the cause is a resync */
    faults_told told[MODEL_NAMES];
    unsigned adds, updates, deletes, relisted, resyncs;
} faults_witness;

/* The function of an lw_handler; |arg| is the witness. */
void faults_witness_hear(const lw_event *event, void *arg);

/* Checks that its events add up to the server's state. */
void faults_witness_check(const faults_witness *witness);

#endif
