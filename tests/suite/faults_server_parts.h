/* SPDX-License-Identifier: Apache-2.0 */
/* faults_server_parts.h -- what the files of the server with a bad temper share. */
#ifndef LW_TESTS_SUITE_FAULTS_SERVER_PARTS_H
#define LW_TESTS_SUITE_FAULTS_SERVER_PARTS_H

#include "suite/faults_server.h"

/* faults_server.c */

uint64_t faults_draw(faults_server *server, uint64_t bound);
bool faults_is_unlucky(faults_server *server);
void faults_note(faults_server *server, faults_mischief mischief);
faults_stream *faults_stream_of(faults_server *server, const faults_line *line);
/* The value of a parameter of the request |target|; false, and "": it has none. */
bool faults_parameter(const char *target, const char *name, char value[FAULTS_VALUE_SIZE]);

/* faults_reply.c */

/* Answers the request |head| into |line->out|. */
void faults_reply(faults_server *server, faults_line *line, const char *head);
/* A refusal with this HTTP status. */
void faults_reply_status(faults_server *server, faults_line *line, int code);
/* One chunk; |loses_digit|: its size is not quite right. */
void faults_append_chunk(faults_server *server, faults_line *line, lw_str bytes, bool loses_digit);

/* Whether |head| asks for a state no older than one that the server does not know any more. */
bool faults_is_forgotten(const faults_server *server, const char *head);

/* faults_stream.c */

/* Begins the watch that |head| asks for. */
void faults_stream_begin(faults_server *server, faults_line *line, const char *head);
/* The next frame, or none; false: there is none. */
bool faults_stream_turn(faults_server *server, faults_line *line);

#endif
