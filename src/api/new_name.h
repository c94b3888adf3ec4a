/* SPDX-License-Identifier: Apache-2.0 */
/* new_name.h -- names the server gives: uids, and what follows a generateName. */
#ifndef LW_API_NEW_NAME_H
#define LW_API_NEW_NAME_H

#include <listwatch/error.h>
#include <listwatch/str.h>

enum {
    LW_UID_SIZE = 37,            /* "581e9986-..." and its NUL */
    LW_GENERATED_NAME_SIZE = 64, /* a DNS label and its NUL */
    LW_GENERATED_BASE_MAX = 58,  /* bytes that are kept of a generateName */
};

/* A random uid (RFC 9562, version 4).  LW_ERR_IO: the system has no entropy to give. */
lw_status lw_uid_make(char uid[LW_UID_SIZE]);

/* |base| cut to fit and five letters and digits that spell no words.  LW_ERR_IO. */
lw_status lw_name_generate(char name[LW_GENERATED_NAME_SIZE], lw_str base);

#endif
