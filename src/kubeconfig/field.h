/* SPDX-License-Identifier: Apache-2.0 */
/* field.h -- the fields of an entry of a kubeconfig file, with their types checked.
 *
 * |in| is the entry's body or a map inside of it; NULL is an empty one.  Absent, null and "" are
 * the same, as everywhere in kubeconfig.  Errors are LW_ERR_INVALID, with a message that names
 * file, entry and field, and LW_ERR_NOMEM.  Outputs are written on success only. */
#ifndef LW_KUBECONFIG_FIELD_H
#define LW_KUBECONFIG_FIELD_H

#include "kubeconfig/file.h"
#include "kubeconfig/strings.h"

/* Says that |field| of |entry| cannot be used: "file: user "jane": field problem". */
lw_status lw_field_fail(const lw_kube_entry *entry, const char *field, lw_error *err,
                        const char *problem);

/* A view of a string. */
lw_status lw_field_view(const lw_kube_entry *entry, const lw_node *in, const char *field,
                        lw_str *out, lw_error *err);

/* A copy of a string, or NULL. */
lw_status lw_field_text(const lw_kube_entry *entry, const lw_node *in, const char *field,
                        char **out, lw_error *err);

/* The path of a file, made absolute by the folder of the kubeconfig file; or NULL. */
lw_status lw_field_file_path(const lw_kube_entry *entry, const lw_node *in, const char *field,
                             char **out, lw_error *err);

/* Appends a secret string to |out|. */
lw_status lw_field_secret(const lw_kube_entry *entry, const lw_node *in, const char *field,
                          lw_buf *out, lw_error *err);

/* Appends the PEM text that is there as base64 to |out|. */
lw_status lw_field_pem(const lw_kube_entry *entry, const lw_node *in, const char *field,
                       lw_buf *out, lw_error *err);

lw_status lw_field_bool(const lw_kube_entry *entry, const lw_node *in, const char *field, bool *out,
                        lw_error *err);

/* The list or map there, or NULL. */
lw_status lw_field_array(const lw_kube_entry *entry, const lw_node *in, const char *field,
                         const lw_node **out, lw_error *err);
lw_status lw_field_object(const lw_kube_entry *entry, const lw_node *in, const char *field,
                          const lw_node **out, lw_error *err);

/* Appends a list of strings. */
lw_status lw_field_strings(const lw_kube_entry *entry, const lw_node *in, const char *field,
                           lw_strings *out, lw_error *err);

/* True when |pem| holds something in PEM: what may replace a certificate that works. */
bool lw_pem_is_there(lw_str pem);

#endif
