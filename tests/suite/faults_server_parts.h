/* SPDX-License-Identifier: Apache-2.0 */
/* faults_server_parts.h -- shared by the files of the faulty server. */
#ifndef LW_TESTS_SUITE_FAULTS_SERVER_PARTS_H
#define LW_TESTS_SUITE_FAULTS_SERVER_PARTS_H

#include "suite/faults_server.h"

/* faults_server.c */

uint64_t faults_draw(faults_server *server, uint64_t bound);
bool faults_is_unlucky(faults_server *server);
void faults_note(faults_server *server, faults_kind fault);
faults_stream *faults_stream_of(faults_server *server, const faults_line *line);
/* Finds the value of a parameter of the request |target|; false, and "": it has none. */
bool faults_parameter(const char *target, const char *name, char value[FAULTS_VALUE_SIZE]);

/* faults_reply.c */

/* Writes the reply to the request |head| to |line->out|. */
void faults_reply(faults_server *server, faults_line *line, const char *head);
/* Writes an error reply with this HTTP status. */
void faults_reply_status(faults_server *server, faults_line *line, int code);
/* Appends one chunk; |loses_digit|: its size is wrong. */
void faults_append_chunk(faults_server *server, faults_line *line, lw_str bytes, bool loses_digit);

/* True if |head| requests a revision that the server has compacted and refuses to serve. */
bool faults_is_forgotten(const faults_server *server, const char *head);

/* faults_stream.c */

/* Starts the watch that |head| requests. */
void faults_stream_begin(faults_server *server, faults_line *line, const char *head);
/* Writes the next frame; false: there is none. */
bool faults_stream_turn(faults_server *server, faults_line *line);

#endif
