/* SPDX-License-Identifier: Apache-2.0 */
/* faults_trial.h -- one seed: a faulty server and an informer of it, in one thread with one
 * clock. */
#ifndef LW_TESTS_SUITE_FAULTS_TRIAL_H
#define LW_TESTS_SUITE_FAULTS_TRIAL_H

#include <listwatch/factory.h>

#include "suite/faults_server.h"
#include "suite/faults_witness.h"

typedef struct faults_trial {
    lw_manual_clock *clock;
    lw_random random;
    faults_server server;
    lw_client *client;
    lw_factory *factory;
    lw_informer *informer;
    faults_witness prompt;  /* called in dispatch, from the beginning */
    faults_witness drained; /* drained at random times, so that changes are merged */
    faults_witness late;    /* called in dispatch, added during the trial */
    lw_registration *drain;
    bool is_late_in;
    int64_t recovery_ns; /* from the last fault until the cache equals the server's state */
} faults_trial;

void faults_trial_open(faults_trial *trial, uint64_t seed);
void faults_trial_close(faults_trial *trial);

/* Makes changes and faults. */
void faults_trial_play(faults_trial *trial);

/* Ends the faults, and runs on the trial's clock until nothing happens any more. */
void faults_trial_come_to_rest(faults_trial *trial);

/* Checks that the cache and the handlers have the server's state. */
void faults_trial_check(faults_trial *trial);

/* Checks that further changes need no list. */
void faults_trial_check_health(faults_trial *trial);

#endif
