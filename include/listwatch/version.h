/* SPDX-License-Identifier: Apache-2.0 */
/* version.h -- the version of listwatch, at compile time and at run time. */
#ifndef LISTWATCH_VERSION_H
#define LISTWATCH_VERSION_H

#include <listwatch/api.h>

LW_BEGIN_DECLS

#define LW_VERSION_MAJOR 0
#define LW_VERSION_MINOR 1
#define LW_VERSION_PATCH 0
#define LW_VERSION       "0.1.0"

/* True if the headers are of this version or of a later one; for #if. */
#define LW_VERSION_AT_LEAST(major, minor, patch)                                                   \
    (LW_VERSION_MAJOR > (major) ||                                                                 \
     (LW_VERSION_MAJOR == (major) &&                                                               \
      (LW_VERSION_MINOR > (minor) ||                                                               \
       (LW_VERSION_MINOR == (minor) && LW_VERSION_PATCH >= (patch)))))

/* Returns the version of the library that the program is linked with, e.g. "0.1.0". */
LW_API const char *lw_version(void);

LW_END_DECLS

#endif
