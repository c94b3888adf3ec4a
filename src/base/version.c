/* SPDX-License-Identifier: Apache-2.0 */
/* version.c -- the version compiled into the library. */
#include <listwatch/version.h>

const char *lw_version(void)
{
    return LW_VERSION;
}
