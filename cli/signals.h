/* SPDX-License-Identifier: Apache-2.0 */
/* signals.h -- the end of commands that go on until they are told to stop.
 *
 *     signals_block();                      before there are other threads
 *     signals_watch("serve", 10);
 *     signals_wait(0, NULL, NULL);          until SIGINT or SIGTERM
 *     signals_doing("stopping the server"); what the log names if it takes too long
 *
 * After the first signal the process ends within the seconds that signals_watch was given: if the
 * command has not returned by then, a thread of its own logs what is still running and exits with
 * EXIT_CUT.  A further SIGINT ends the process at once, and so does a SIGTERM that comes a second
 * or more after a first SIGTERM.  (Not an earlier one, and none after SIGINT: who runs us may send
 * it twice, or pass on what the terminal has sent already.) */
#ifndef LISTWATCH_CLI_SIGNALS_H
#define LISTWATCH_CLI_SIGNALS_H

#include <stdbool.h>

/* Blocks SIGINT and SIGTERM and ignores SIGPIPE, so that no signal is lost and none goes
 * elsewhere. */
void signals_block(void);

/* Takes signals from now on, in a thread.  |component| is whose log lines they are.  False: the
 * thread could not be started, which was said on standard error. */
bool signals_watch(const char *component, int timeout_s);

/* Waits for the first signal.  Calls |fn| (may be NULL) every |every_s| seconds until then. */
void signals_wait(int every_s, void (*fn)(void *arg), void *arg);

/* What the program does now; a text that is never freed. */
void signals_doing(const char *what);

#endif
