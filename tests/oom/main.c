/* SPDX-License-Identifier: Apache-2.0 */
/* main.c -- checks the scenarios of one module (OOM_MODULE) and reports as TAP. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "oom/oom.h"
#include "support/sanitized.h"

#define JOIN_(a, b)    a##b
#define JOIN(a, b)     JOIN_(a, b)
#define SCENARIOS      JOIN(OOM_MODULE, _scenarios)
#define SCENARIO_COUNT JOIN(OOM_MODULE, _scenario_count)

/* Which scenario is running, for the crash handler. */
static char running[128];

/* The sanitizers report more about a crash than this program could. */
#if !IS_SANITIZED
static void on_crash(int number)
{
    (void)!write(STDOUT_FILENO, running, strlen(running));
    struct sigaction fallback = { .sa_handler = SIG_DFL };
    sigaction(number, &fallback, NULL);
    raise(number);
}

static void catch_crashes(void)
{
    const int numbers[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };
    struct sigaction action = { .sa_handler = on_crash };
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        sigaction(numbers[i], &action, NULL);
}
#else
static void catch_crashes(void) {}
#endif

static bool check_and_report(size_t number, const oom_scenario *scenario)
{
    oom_report report;
    snprintf(running, sizeof(running), "not ok %zu - %s # crashed\n", number, scenario->name);
    bool is_good = oom_check(scenario, &report);
    printf("%sok %zu - %s: %llu allocations", is_good ? "" : "not ", number, scenario->name,
           (unsigned long long)report.allocations);
    if (report.points < report.allocations && is_good)
        printf(", %llu of them failed in turn", (unsigned long long)report.points);
    if (report.tolerated > 0)
        printf(", %llu failures tolerated", (unsigned long long)report.tolerated);
    printf("\n");
    if (!is_good)
        printf("# %s\n", report.problem);
    fflush(stdout);
    return is_good;
}

int main(void)
{
    bool all_good = true;
    catch_crashes();
    printf("1..%zu\n", SCENARIO_COUNT);
    fflush(stdout);
    for (size_t i = 0; i < SCENARIO_COUNT; i++)
        all_good = check_and_report(i + 1, &SCENARIOS[i]) && all_good;
    return all_good ? 0 : 1;
}
