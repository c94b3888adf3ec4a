/* SPDX-License-Identifier: Apache-2.0 */
/* signals.h -- stops commands that run until they get a signal.
 *
 *     signals_block();                      before other threads are started
 *     signals_watch("serve", 10);
 *     signals_wait(0, NULL, NULL);          until SIGINT or SIGTERM
 *     signals_doing("stopping the server"); named in the log if it takes too long
 *
 * After the first signal the process ends within the timeout given to signals_watch: if the command
 * has not returned by then, the watchdog thread logs which threads are still running and exits with
 * EXIT_CUT.  A second SIGINT ends the process at once, and so does a second SIGTERM that arrives at
 * least one second after the first SIGTERM.  An earlier SIGTERM, or one after SIGINT, is ignored: a
 * supervisor may send it twice, or may forward a signal that the terminal has sent already. */
#ifndef LISTWATCH_CLI_SIGNALS_H
#define LISTWATCH_CLI_SIGNALS_H

#include <stdbool.h>

/* Blocks SIGINT and SIGTERM and ignores SIGPIPE, so that the watchdog thread receives every
 * signal. */
void signals_block(void);

/* Calls |fn| in signals_wait whenever the process gets SIGUSR1.  Call it after signals_block and
 * before signals_watch; without it, SIGUSR1 ends the process. */
void signals_on_user(void (*fn)(void *arg), void *arg);

/* Starts the watchdog thread, which receives signals from now on.  |component| appears in its log
 * lines.  False: the thread could not be started; an error was printed to standard error. */
bool signals_watch(const char *component, int timeout_s);

/* Waits for the first signal.  Calls |fn| (may be NULL) every |every_s| seconds until then. */
void signals_wait(int every_s, void (*fn)(void *arg), void *arg);

/* Sets what the program is doing now, for the log; |what| must be a string that is never freed. */
void signals_doing(const char *what);

#endif
