/* SPDX-License-Identifier: Apache-2.0 */
/* field.h -- typed access to the fields of an entry of a kubeconfig file.
 *
 * |in| is the body of the entry or an object in it; NULL means an empty one.  Absent, null and ""
 * are equivalent, as everywhere in kubeconfig.  Errors are LW_ERR_INVALID, with a message that
 * names file, entry and field, and LW_ERR_NOMEM.  Outputs are written only on success. */
#ifndef LW_KUBECONFIG_FIELD_H
#define LW_KUBECONFIG_FIELD_H

#include "kubeconfig/file.h"
#include "kubeconfig/secret.h"

/* Sets the error "file: user "jane": field problem" and returns LW_ERR_INVALID. */
lw_status lw_field_fail(const lw_kube_entry *entry, const char *field, lw_error *err,
                        const char *problem);

/* Gets a view of a string. */
lw_status lw_field_view(const lw_kube_entry *entry, const lw_node *in, const char *field,
                        lw_str *out, lw_error *err);

/* Gets a copy of a string, or NULL. */
lw_status lw_field_text(const lw_kube_entry *entry, const lw_node *in, const char *field,
                        char **out, lw_error *err);

/* Gets the path of a file, or NULL.  A relative path is relative to the directory of the kubeconfig
 * file. */
lw_status lw_field_file_path(const lw_kube_entry *entry, const lw_node *in, const char *field,
                             char **out, lw_error *err);

/* Appends a secret string to |out|. */
lw_status lw_field_secret(const lw_kube_entry *entry, const lw_node *in, const char *field,
                          lw_buf *out, lw_error *err);

/* Decodes base64 and appends the PEM text to |out|. */
lw_status lw_field_pem(const lw_kube_entry *entry, const lw_node *in, const char *field,
                       lw_buf *out, lw_error *err);

lw_status lw_field_bool(const lw_kube_entry *entry, const lw_node *in, const char *field, bool *out,
                        lw_error *err);

/* Get a list or an object, or NULL. */
lw_status lw_field_array(const lw_kube_entry *entry, const lw_node *in, const char *field,
                         const lw_node **out, lw_error *err);
lw_status lw_field_object(const lw_kube_entry *entry, const lw_node *in, const char *field,
                          const lw_node **out, lw_error *err);

/* Appends a list of strings. */
lw_status lw_field_strings(const lw_kube_entry *entry, const lw_node *in, const char *field,
                           lw_strings *out, lw_error *err);

/* Returns true if |pem| contains PEM data, so that it may replace a working certificate. */
bool lw_pem_is_there(lw_str pem);

#endif
