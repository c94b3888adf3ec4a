/* SPDX-License-Identifier: Apache-2.0 */
/* terminal.c -- raw mode, size and signals of the terminal. */
#include "terminal.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

static struct termios normal;
static bool is_raw;
static sigset_t normal_mask;
static volatile sig_atomic_t end_signal, is_resized;

bool terminal_is_input(void)
{
    return isatty(STDIN_FILENO);
}

void terminal_end(void)
{
    if (is_raw)
        (void)tcsetattr(STDIN_FILENO, TCSADRAIN, &normal);
    is_raw = false;
}

void terminal_begin(void)
{
    struct termios raw;
    if (tcgetattr(STDIN_FILENO, &normal) < 0)
        return;
    raw = normal;
    cfmakeraw(&raw);
    (void)atexit(terminal_end);
    is_raw = tcsetattr(STDIN_FILENO, TCSADRAIN, &raw) == 0;
}

bool terminal_size(unsigned *columns, unsigned *rows)
{
    struct winsize size;
    if (ioctl(STDIN_FILENO, TIOCGWINSZ, &size) < 0 || size.ws_col == 0 || size.ws_row == 0)
        return false;
    *columns = size.ws_col;
    *rows = size.ws_row;
    return true;
}

static void on_signal(int number)
{
    if (number == SIGWINCH)
        is_resized = 1;
    else
        end_signal = number;
}

void terminal_catch_signals(void)
{
    static const int caught[] = { SIGINT, SIGTERM, SIGHUP, SIGWINCH };
    struct sigaction action = { .sa_handler = on_signal };
    sigset_t blocked;
    (void)sigemptyset(&action.sa_mask);
    (void)sigemptyset(&blocked);
    for (size_t i = 0; i < sizeof(caught) / sizeof(caught[0]); i++) {
        (void)sigaddset(&blocked, caught[i]);
        (void)sigaction(caught[i], &action, NULL);
    }
    (void)sigprocmask(SIG_BLOCK, &blocked, &normal_mask);
    for (size_t i = 0; i < sizeof(caught) / sizeof(caught[0]); i++)
        (void)sigdelset(&normal_mask, caught[i]);
}

int terminal_poll(struct pollfd *set, nfds_t count, int timeout_ms)
{
    struct timespec left = { timeout_ms / 1000, timeout_ms % 1000 * 1000000L };
    return ppoll(set, count, timeout_ms < 0 ? NULL : &left, &normal_mask);
}

int terminal_end_signal(void)
{
    return end_signal;
}

bool terminal_is_resized(void)
{
    bool was_resized = is_resized != 0;
    is_resized = 0;
    return was_resized;
}
