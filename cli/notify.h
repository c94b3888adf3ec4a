/* SPDX-License-Identifier: Apache-2.0 */
/* notify.h -- tells a service manager what the program does (sd_notify(3), Type=notify).
 *
 * The manager names a socket in $NOTIFY_SOCKET; without it, nothing is sent. */
#ifndef LISTWATCH_CLI_NOTIFY_H
#define LISTWATCH_CLI_NOTIFY_H

/* Sends |state|, e.g. "READY=1" or "STOPPING=1"; several are separated by newlines.  A failure is
 * printed to standard error: the manager would wait in vain. */
void notify_send(const char *state);

#endif
