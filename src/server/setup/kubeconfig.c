/* SPDX-License-Identifier: Apache-2.0 */
/* kubeconfig.c -- writes the administrator's kubeconfig. */
#include "server/setup/kubeconfig.h"

#include <sys/stat.h>

#include "base/error.h"
#include "base/file/files.h"
#include "base/text/base64.h"

/* Writes a YAML string in double quotes.  The text is a URL, or a token from a file that a person
 * may have written. */
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

/* True if the file |path| contains |text| and only its owner can access it. */
static bool is_saved(const char *path, lw_str text)
{
    struct stat facts;
    lw_buf there;
    lw_buf_init(&there, LW_KUBECONFIG_MAX);
    bool is_same = stat(path, &facts) == 0 && (facts.st_mode & (S_IRWXG | S_IRWXO)) == 0 &&
                   lw_file_read(path, &there, NULL) == LW_OK &&
                   lw_str_equal(lw_buf_view(&there), text);
    lw_buf_done(&there);
    return is_same;
}

lw_status lw_kubeconfig_save(const lw_kubeconfig *config, const char *path, lw_error *err)
{
    lw_buf text;
    lw_status st = LW_OK;
    lw_buf_init(&text, LW_KUBECONFIG_MAX);
    lw_kubeconfig_write(config, &text);
    if (text.st < 0)
        st = lw_error_nomem(err);
    else if (!is_saved(path, lw_buf_view(&text)))
        st = lw_file_replace(path, lw_buf_view(&text), err);
    lw_buf_done(&text);
    return st;
}
