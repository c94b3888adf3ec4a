/* SPDX-License-Identifier: Apache-2.0 */
/* watch.c -- `listwatch watch`: shows the objects of a resource, or the keys of an etcd prefix, and
 * all their changes.
 *
 * Runs an informer in its own loop: one poll waits for the factory, for signals and for the next
 * redraw.  On a terminal it draws a table; otherwise it prints one line per event. */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <listwatch.h>

#include "commands.h"
#include "connection.h"
#include "cost.h"
#include "etcd.h"
#include "grid.h"
#include "log_line.h"
#include "message.h"
#include "output.h"
#include "targets.h"
#include "watch_live.h"

enum {
    SELECTOR_SIZE = 512,
    TITLE_SIZE = 1024,
    TYPE_SIZE = 256,
};

static const char usage[] =
    "usage: listwatch watch RESOURCE [NAME] [options]\n"
    "       listwatch watch --etcd URL[,URL...] --prefix PREFIX [options]\n"
    "\n"
    "Shows objects and all their changes.  On a terminal this is a table that is always up to "
    "date,\n"
    "otherwise one line per event, such as \"ADDED default/web 17\".  Reconnects if the connection "
    "is\n"
    "lost.  Press Ctrl-C to stop.  Keys of the table: q quits, / filters, s sorts by the next\n"
    "column, r reverses the order.\n"
    "\n"
    "  -n, --namespace NS        show objects of this namespace\n"
    "  -A, --all-namespaces      show objects of all namespaces\n"
    "  -l, --selector SELECTOR   show objects whose labels match, e.g. app=web,tier!=db\n"
    "      --field-selector S    show objects whose fields match, e.g. spec.nodeName=a\n"
    "  -o, --output FORMAT       format of each event: name, json, yaml, or wide (a table)\n"
    "      --once                exit after all existing objects have been shown, one per line\n"
    "  -q, --quiet               do not show objects\n"
    "  -v, --verbose             log connections, lists and errors to standard error\n"
    "      --stats json          print one line with objects, events, time and memory at the end\n"
    "      --etcd URL[,URL...]   watch keys of an etcd cluster instead of an API server\n"
    "      --prefix PREFIX       prefix of the etcd keys to watch, e.g. /my/config/\n"
    "      --etcd-ca FILE, --etcd-cert FILE, --etcd-key FILE, --etcd-user USER,\n"
    "      --etcd-password-file FILE\n"
    "                            CA certificates and credentials for etcd\n" //
    ARGUMENTS_SERVER_USAGE;

/* State of one run of the command. */
typedef struct watch {
    const arguments *args;
    connection conn;
    target target;
    char type[TYPE_SIZE];  /* the resource as it was typed */
    const char *resource;  /* |type|, or the etcd prefix */
    lw_provider *provider; /* for etcd; otherwise NULL */
    lw_factory *factory;
    lw_informer *informer;
    lw_registration *registration;
    bool is_live; /* draws a table on a terminal */
    bool is_quit; /* by a key */
    watch_live live;
    uint64_t event_count;
    lw_status shown_error; /* the last error that was reported */
    char selector[SELECTOR_SIZE];
} watch;

static volatile sig_atomic_t is_interrupted;

static void on_signal(int number)
{
    (void)number;
    is_interrupted = 1;
}

static const char *word_of(const lw_event *event)
{
    switch (event->type) {
    case LW_EVENT_ADD: return "ADDED";
    case LW_EVENT_UPDATE: return "MODIFIED";
    case LW_EVENT_DELETE: return "DELETED";
    }
    return "";
}

/* "ADDED default/web 17" */
static void print_event(const lw_event *event)
{
    const char *ns = lw_object_namespace(event->object);
    printf("%s ", word_of(event));
    print_plain(ns);
    if (ns[0])
        putchar('/');
    print_plain(lw_object_name(event->object));
    putchar(' ');
    print_plain(lw_object_resource_version(event->object));
    putchar('\n');
}

static void show(const lw_event *event, output_format format)
{
    lw_error err = LW_ERROR_INIT;
    switch (format) {
    case OUTPUT_TABLE:
    case OUTPUT_WIDE:
    case OUTPUT_JSONPATH:
    case OUTPUT_COLUMNS: print_event(event); break;
    case OUTPUT_NAME:
        output_name(event->object);
        putchar('\n');
        break;
    case OUTPUT_JSON:
        printf("{\"type\":\"%s\",\"object\":", word_of(event));
        (void)output_document(event->object, OUTPUT_JSON, &err);
        puts("}");
        break;
    case OUTPUT_YAML:
        printf("---\n# %s\n", word_of(event));
        (void)output_document(event->object, OUTPUT_YAML, &err);
        break;
    }
}

static void on_event(const lw_event *event, void *arg)
{
    watch *w = arg;
    w->event_count++;
    if (w->is_live)
        watch_live_note(&w->live);
    else if (!w->args->is_quiet && output_works())
        show(event, w->args->output.format);
}

/* If only names are shown, only the identifying fields of objects are kept. */
static bool needs_whole_objects(const arguments *args)
{
    return !args->is_quiet &&
           (args->output.format == OUTPUT_JSON || args->output.format == OUTPUT_YAML);
}

static lw_status make_informer(watch *w, lw_error *err)
{
    static const char *const nothing[] = { NULL };
    static const lw_logger logger = { LW_LOG_INFO, log_line_print, NULL };
    const arguments *args = w->args;
    const lw_handler handler = { .on_event = on_event, .arg = w };
    lw_factory_options options = {
        .size = sizeof(lw_factory_options),
        .client = w->conn.client,
        .provider = w->provider,
        .ns = w->target.ns,
        .label_selector = args->labels,
        .field_selector = args->fields,
    };
    if (args->is_verbose)
        options.logger = &logger;
    if (!needs_whole_objects(args))
        options.read.keep = nothing;
    if (w->target.name) {
        (void)snprintf(w->selector, sizeof(w->selector), "metadata.name=%s", w->target.name);
        options.field_selector = w->selector;
    }
    lw_status st = lw_factory_new(&w->factory, &options, err);
    if (st == LW_OK)
        st = lw_factory_informer(w->factory, w->resource, &w->informer, err);
    if (st == LW_OK)
        st = lw_informer_add_handler(w->informer, &handler, &w->registration, err);
    return st;
}

/* Returns false if the user has quit by a key. */
static bool draw(watch *w)
{
    char title[TITLE_SIZE];
    lw_error trouble = LW_ERROR_INIT;
    lw_status wrong = lw_informer_last_error(w->informer, &trouble);
    (void)snprintf(title, sizeof(title), "%s%s%s: %zu objects, %llu events%s%s", w->resource,
                   w->target.ns ? " in " : "", w->target.ns ? w->target.ns : "",
                   lw_lister_count(lw_informer_lister(w->informer)),
                   (unsigned long long)w->event_count, wrong < 0 ? "; retrying: " : "",
                   wrong < 0 ? trouble.message : "");
    return watch_live_turn(&w->live, wrong == LW_OK, title);
}

/* Reports a new error once.  Returns an error that cannot be fixed by retrying. */
static lw_status look_for_trouble(watch *w, lw_error *err)
{
    lw_error trouble = LW_ERROR_INIT;
    lw_status st = lw_informer_last_error(w->informer, &trouble);
    if (st == w->shown_error)
        return LW_OK;
    w->shown_error = st;
    w->live.is_dirty = true;
    bool is_lasting = st == LW_ERR_FORBIDDEN || st == LW_ERR_UNAUTHORIZED ||
                      st == LW_ERR_NOT_FOUND || st == LW_ERR_INVALID || st == LW_ERR_NOMEM;
    if (st < 0 && is_lasting && !lw_informer_is_synced(w->informer)) {
        *err = trouble;
        return st;
    }
    if (st < 0 && !w->is_live && !w->args->is_verbose) /* otherwise the log has it */
        message("%s; retrying", trouble.message);
    return LW_OK;
}

/* How long poll may wait: until the factory's timeout or the next redraw. */
static int poll_timeout_ms(const watch *w)
{
    int timeout = lw_factory_timeout_ms(w->factory);
    int redraw = w->is_live ? watch_live_timeout_ms(&w->live) : -1;
    return redraw >= 0 && (timeout < 0 || redraw < timeout) ? redraw : timeout;
}

/* Signals are unblocked only during the wait, so that none is missed between checking and
 * waiting. */
static void wait_for_work(const watch *w, const sigset_t *while_waiting)
{
    struct pollfd fds[] = { { .fd = lw_factory_fd(w->factory), .events = POLLIN },
                            { .fd = STDIN_FILENO, .events = POLLIN } }; /* keys */
    nfds_t count = w->is_live && w->live.table.has_keys ? 2 : 1;
    int timeout = poll_timeout_ms(w);
    struct timespec limit = { timeout / 1000, (long)(timeout % 1000) * 1000000 };
    (void)ppoll(fds, count, timeout < 0 ? NULL : &limit, while_waiting);
}

static bool is_done(const watch *w)
{
    return is_interrupted || w->is_quit ||
           (w->args->is_once && lw_informer_is_synced(w->informer) &&
            lw_registration_is_synced(w->registration));
}

static lw_status loop(watch *w, const sigset_t *while_waiting, lw_error *err)
{
    lw_status st = LW_OK;
    while (st == LW_OK && output_push() && !is_done(w)) {
        wait_for_work(w, while_waiting);
        st = lw_factory_dispatch(w->factory, err);
        if (st == LW_OK)
            st = look_for_trouble(w, err);
        if (st == LW_OK && w->is_live)
            w->is_quit = !draw(w);
    }
    return st;
}

static void print_stats(const watch *w)
{
    lw_informer_statistics stats;
    cost used = cost_now();
    lw_informer_stats(w->informer, &stats);
    printf("{\"objects\":%llu,\"bytes\":%llu,\"sync_ms\":%.1f,\"cpu_ms\":%.1f,\"peak_rss_kb\":%ld,"
           "\"rss_kb\":%ld,\"events\":%llu,\"lists\":%llu,\"relists\":%llu,\"watches\":%llu,"
           "\"bytes_received\":%llu,\"revision\":%llu,\"relist_reason\":\"%s\"}\n",
           (unsigned long long)stats.objects, (unsigned long long)stats.bytes,
           stats.sync_ns < 0 ? -1.0 : (double)stats.sync_ns / 1e6, used.cpu_ms, used.peak_rss_kb,
           used.rss_kb, (unsigned long long)w->event_count, (unsigned long long)stats.lists,
           (unsigned long long)stats.relists, (unsigned long long)stats.watches,
           (unsigned long long)stats.bytes_received, (unsigned long long)stats.revision,
           lw_relist_reason_name(stats.last_relist_reason));
}

/* From now on SIGINT and SIGTERM are delivered only in ppoll. */
static void catch_signals(sigset_t *while_waiting)
{
    const struct sigaction end = { .sa_handler = on_signal };
    sigset_t signals;
    (void)sigemptyset(&signals);
    (void)sigaddset(&signals, SIGINT);
    (void)sigaddset(&signals, SIGTERM);
    (void)sigprocmask(SIG_BLOCK, &signals, while_waiting);
    (void)sigdelset(while_waiting, SIGINT);
    (void)sigdelset(while_waiting, SIGTERM);
    (void)sigaction(SIGINT, &end, NULL);
    (void)sigaction(SIGTERM, &end, NULL);
}

static int run(watch *w)
{
    sigset_t while_waiting;
    lw_error err = LW_ERROR_INIT;
    const arguments *args = w->args;
    w->is_live = !args->is_quiet && !args->is_once && output_is_table(&args->output) &&
                 isatty(STDOUT_FILENO);
    lw_status st = make_informer(w, &err);
    if (st == LW_OK) {
        catch_signals(&while_waiting);
        w->live.conn = &w->conn;
        w->live.target = args->etcd ? NULL : &w->target;
        w->live.lister = lw_informer_lister(w->informer);
        if (w->is_live)
            watch_live_begin(&w->live);
        st = loop(w, &while_waiting, &err);
        if (w->is_live)
            watch_live_end(&w->live);
        if (args->has_stats)
            print_stats(w);
    }
    bool is_printed = output_flush();
    if (st < 0 && is_printed)
        connection_complain(&w->conn, st, &err);
    lw_factory_free(w->factory);
    return st == LW_OK && is_printed ? EXIT_OK : EXIT_FAILED;
}

static int watch_etcd(watch *w)
{
    const arguments *args = w->args;
    if (!args->prefix || !args->prefix[0])
        return arguments_refuse(args, "--etcd",
                                "requires --prefix, for example --prefix /my/config/");
    if (args->word_count > 0)
        return arguments_refuse(args, args->words[0],
                                "unexpected argument; with --etcd, --prefix selects the keys");
    if (!etcd_open(&w->provider, args))
        return EXIT_FAILED;
    w->conn.args = args;
    w->target.ns = args->ns;
    w->resource = args->prefix;
    return run(w);
}

static int watch_server(watch *w)
{
    const arguments *args = w->args;
    if (args->prefix)
        return arguments_refuse(args, "--prefix", "requires --etcd");
    if (args->word_count == 0)
        return arguments_refuse(args, "nothing to watch", "specify a resource, for example pods");
    if (args->word_count > 2)
        return arguments_refuse(args, args->words[2],
                                "unexpected argument; specify one name, or a selector with -l");
    if (!connection_open(&w->conn, args))
        return EXIT_FAILED;
    int code = targets_find_one(&w->target, &w->conn, args->words, args->word_count, false);
    (void)snprintf(w->type, sizeof(w->type), "%.*s", (int)strcspn(args->words[0], "/"),
                   args->words[0]);
    w->resource = w->type;
    if (code == EXIT_OK)
        code = run(w);
    connection_close(&w->conn);
    return code;
}

int command_watch(int argc, char **argv)
{
    arguments args = { .output = { .format = OUTPUT_TABLE } };
    watch w = { .args = &args };
    bool is_over = false;
    int code = arguments_parse(&args, argc, argv, COMMAND_WATCH, usage, &is_over);
    if (is_over)
        return code;
    if (args.output.expression)
        return arguments_refuse(&args, "-o", "use listwatch get -w for this format");
    return args.etcd ? watch_etcd(&w) : watch_server(&w);
}
