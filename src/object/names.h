/* SPDX-License-Identifier: Apache-2.0 */
/* names.h -- validates names like Kubernetes.
 *
 * The messages are exactly those of k8s.io/apimachinery, because they are part of error
 * responses. */
#ifndef LW_OBJECT_NAMES_H
#define LW_OBJECT_NAMES_H

#include <stddef.h>

#include <listwatch/str.h>

enum {
    LW_NAME_LABEL_MAX = 63,      /* bytes of a DNS label, a label value, the name part of a key */
    LW_NAME_SUBDOMAIN_MAX = 253, /* bytes of a DNS subdomain */
    LW_NAME_PORT_MAX = 15,       /* bytes of the name of a port */
    LW_NAME_PROBLEMS_MAX = 5,    /* maximum number of messages for one name */
};

/* The problems of a name, in the order of Kubernetes.  The texts are constants. */
typedef struct lw_name_problems {
    size_t count;
    const char *text[LW_NAME_PROBLEMS_MAX];
} lw_name_problems;

/* Each function returns true if |name| has the form, and always sets |problems| (may be NULL). */

/* "my-name": lower case letters, digits and '-'; begins and ends with a letter or digit. */
bool lw_name_is_dns1123_label(lw_str name, lw_name_problems *problems);

/* "example.com": such labels separated by dots. */
bool lw_name_is_dns1123_subdomain(lw_str name, lw_name_problems *problems);

/* "my-name" that begins with a letter. */
bool lw_name_is_dns1035_label(lw_str name, lw_name_problems *problems);

/* "example.com/MyName" or "MyName": the key of a label, an annotation or a finalizer. */
bool lw_name_is_qualified(lw_str name, lw_name_problems *problems);

/* "http", "8080-tcp": the name of a port (RFC 6335). */
bool lw_name_is_port(lw_str name, lw_name_problems *problems);

/* What fits in one segment of a path: neither "." nor "..", without '/' and '%'. */
bool lw_name_is_path_segment(lw_str name, lw_name_problems *problems);

/* "", "MyValue", "1.2_3": the value of a label. */
bool lw_name_is_label_value(lw_str value, lw_name_problems *problems);

#endif
