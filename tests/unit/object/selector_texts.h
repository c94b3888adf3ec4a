/* SPDX-License-Identifier: Apache-2.0 */
/* selector_texts.h -- Kubernetes' long sentences about names, and long names, for tables of cases.
 */
#ifndef LW_TESTS_UNIT_OBJECT_SELECTOR_TEXTS_H
#define LW_TESTS_UNIT_OBJECT_SELECTOR_TEXTS_H

/* clang-format off */
#define KEY_TEXT "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
#define VALUE_TEXT "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
#define SUBDOMAIN_TEXT "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
/* clang-format on */

#define K63  "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk"
#define V63  "vvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvv"
#define D23  "ddddddddddddddddddddddd"
#define D253 D23 D23 D23 D23 D23 D23 D23 D23 D23 D23 D23

#endif
