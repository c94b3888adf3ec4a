/* SPDX-License-Identifier: Apache-2.0 */
/* notify.c -- one datagram to the service manager. */
#include "notify.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "message.h"

/* Sets |address| to the path or, if it begins with '@', to the abstract name.  0: not usable. */
static socklen_t address_of(const char *name, struct sockaddr_un *address)
{
    size_t len = strlen(name);
    memset(address, 0, sizeof(*address));
    address->sun_family = AF_UNIX;
    if ((name[0] != '/' && name[0] != '@') || len < 2 || len >= sizeof(address->sun_path)) {
        errno = EINVAL;
        return 0;
    }
    memcpy(address->sun_path, name, len);
    if (name[0] == '@')
        address->sun_path[0] = '\0';
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len);
}

void notify_send(const char *state)
{
    const char *name = getenv("NOTIFY_SOCKET");
    struct sockaddr_un address;
    if (!name || name[0] == '\0')
        return;
    socklen_t len = address_of(name, &address);
    int fd = len > 0 ? socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0) : -1;
    bool is_sent = fd >= 0 && sendto(fd, state, strlen(state), MSG_NOSIGNAL,
                                     (const struct sockaddr *)&address, len) >= 0;
    if (!is_sent)
        message("cannot notify the service manager at %s: %s", name, strerror(errno));
    if (fd >= 0)
        (void)close(fd);
}
