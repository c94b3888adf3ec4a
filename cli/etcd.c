/* SPDX-License-Identifier: Apache-2.0 */
/* etcd.c -- connects to the etcd cluster of a command line. */
#include "etcd.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "connection.h"
#include "message.h"

enum {
    PASSWORD_SIZE = 4096,
};

/* Reads the first line of the file.  Returns false after it has printed an error. */
static bool read_password(const arguments *args, char *password, size_t size)
{
    const char *name = args->etcd_password_file;
    FILE *file = fopen(name, "re");
    bool is_read = file && fgets(password, (int)size, file);
    if (!file)
        message("%s: %s", name, strerror(errno));
    else if (!is_read)
        message("%s: the first line must be the password", name);
    if (is_read)
        password[strcspn(password, "\r\n")] = '\0';
    if (file)
        (void)fclose(file);
    return is_read;
}

bool etcd_open(lw_provider **out, const arguments *args)
{
    char password[PASSWORD_SIZE] = "";
    lw_error err = LW_ERROR_INIT;
    const lw_etcd_provider_options options = {
        .endpoints = args->etcd,
        .ca_file = args->etcd_ca_file,
        .cert_file = args->etcd_cert_file,
        .key_file = args->etcd_key_file,
        .user = args->etcd_user,
        .password = args->etcd_password_file ? password : NULL,
    };
    if (args->etcd_password_file && !read_password(args, password, sizeof(password)))
        return false;
    connection_ignore_hangups();
    lw_status st = lw_etcd_provider_new(out, &options, &err);
    explicit_bzero(password, sizeof(password));
    if (st < 0)
        message("%s", err.message);
    return st == LW_OK;
}
