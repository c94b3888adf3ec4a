/* SPDX-License-Identifier: Apache-2.0 */
/* hook_path.h -- the path of a webhook's URL as kube-apiserver sends it. */
#ifndef LW_SERVER_WEBHOOK_HOOK_PATH_H
#define LW_SERVER_WEBHOOK_HOOK_PATH_H

#include <listwatch/str.h>

/* Returns |path| (with its query) without empty parts, "." and "..": "//a/./b/../c/" is "/a/c".
 * Web servers answer other paths with a redirect, which is no reply to a review.  lw_free it; NULL:
 * there is no memory. */
char *lw_hook_path_clean(lw_str path);

#endif
