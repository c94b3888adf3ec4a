/* SPDX-License-Identifier: Apache-2.0 */
/* kubeconfig.c -- how kubectl finds the server, and gets in. */
#include "server/kubeconfig.h"

#include "base/base64.h"

/* A YAML string in double quotes.  What stands here is a URL, or a token whose file a person may
 * have written. */
static void write_quoted(lw_buf *out, lw_str text)
{
    lw_buf_append_char(out, '"');
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        if (c == '"' || c == '\\')
            lw_buf_append_char(out, '\\');
        if (c < 0x20 || c == 0x7f)
            lw_buf_printf(out, "\\x%02x", c);
        else
            lw_buf_append_char(out, (char)c);
    }
    lw_buf_append_char(out, '"');
}

void lw_kubeconfig_write(const lw_kubeconfig *config, lw_buf *out)
{
    lw_buf_append_text(out, "apiVersion: v1\n"
                            "kind: Config\n"
                            "clusters:\n"
                            "- name: listwatch\n"
                            "  cluster:\n"
                            "    server: ");
    write_quoted(out, config->url);
    if (config->trust.len > 0) {
        lw_buf_append_text(out, "\n    certificate-authority-data: ");
        lw_base64_encode(out, config->trust);
    }
    lw_buf_append_text(out, "\n"
                            "users:\n"
                            "- name: admin\n"
                            "  user:");
    if (config->token.len > 0) {
        lw_buf_append_text(out, "\n    token: ");
        write_quoted(out, config->token);
    } else {
        lw_buf_append_text(out, " {}");
    }
    lw_buf_append_text(out, "\n"
                            "contexts:\n"
                            "- name: listwatch\n"
                            "  context:\n"
                            "    cluster: listwatch\n"
                            "    user: admin\n"
                            "    namespace: default\n"
                            "current-context: listwatch\n");
}
