/* SPDX-License-Identifier: Apache-2.0 */
/* mirror.c -- `listwatch mirror`: follows an API server and serves its objects until it gets a
 * signal. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <listwatch.h>
#include <listwatch/server.h>

#include "commands.h"
#include "descriptors.h"
#include "log_line.h"
#include "notify.h"
#include "options.h"
#include "quantity.h"
#include "signals.h"

enum {
    STOP_S = 10, /* default of --shutdown-timeout */
    STOP_S_MAX = 3600,
    STATE_SIZE = 512, /* of a message to the service manager */
    WAIT_S = 3600,    /* between calls that do nothing */
};

static const char usage[] =
    "usage: listwatch mirror [options]\n"
    "\n"
    "Follows a Kubernetes API server (the upstream) and serves its objects to any number of "
    "clients,\n"
    "with the resourceVersions of the upstream, until it gets SIGTERM or SIGINT.  Prints\n"
    "\"ready: URL [URL]\" once all resources have been read.  Reads of the mirrored resources are\n"
    "answered from memory; everything else is passed through to the upstream.\n"
    "\n"
    "      --kubeconfig FILE            where the upstream is and how to authenticate to it "
    "(default\n"
    "                                   $KUBECONFIG, ~/.kube/config, or the pod's service "
    "account)\n"
    "      --server URL[,URL]           addresses of the upstream, in place of that of the "
    "kubeconfig;\n"
    "                                   when one fails, the next one is used\n"
    "      --resources NAME[,NAME]      resources to mirror, e.g. pods,deployments.apps,\n"
    "                                   websites.example.com\n"
    "      --all                        mirror all resources that can be read, custom ones too\n"
    "      --namespace NAME             mirror only objects in this namespace\n"
    "      --label-selector SELECTOR    mirror only objects that it selects\n"
    "      --field-selector SELECTOR    mirror only objects that it selects\n"
    "      --views FILE                 pruned views of resources, served below /mirror/NAME\n"
    "      --listen ADDR:PORT           address for HTTPS (default 127.0.0.1:6443, or a free port "
    "if\n"
    "                                   --insecure-listen is given); port 0 picks a free port,\n"
    "                                   \"none\" disables HTTPS\n"
    "      --insecure-listen ADDR:PORT  also serve plain HTTP, where every client acts as the\n"
    "                                   mirror; only on 127.0.0.1 or [::1]\n"
    "      --data-dir DIR               directory for the mirrored objects, which are used after "
    "a\n"
    "                                   restart, certificates and the mirror's own kubeconfig\n"
    "                                   (default none: they are kept in memory)\n"
    "      --tls-cert FILE              server certificate and its chain, PEM (default generated)\n"
    "      --tls-key FILE               private key of the server certificate, PEM\n"
    "      --client-ca FILE             CA certificates that verify client certificates, PEM:\n"
    "                                   those of the upstream (default the mirror's own CA)\n"
    "      --max-lag TIME               answer reads with 503 when the upstream could not be\n"
    "                                   followed for longer (default never)\n"
    "      --history-size SIZE          size of the history for watches (default 64M)\n"
    "      --compact MODE               keep objects and past events compressed in memory: auto\n"
    "                                   (those of resources of 16M or more), on or off\n"
    "                                   (default auto)\n"
    "      --threads N                  threads that serve clients (default one per CPU, at most "
    "4)\n"
    "      --shutdown-timeout TIME      time to finish requests in progress (default 10s)\n"
    "  -v, --verbose                    log every request\n"
    "  -h, --help                       print this help\n";

/* Everything the command line says. */
typedef struct mirror_options {
    lw_server_options options;
    lw_server_mirror mirror;
    lw_logger logger;
    bool has_listen, is_all;
    int stop_s;
} mirror_options;

static int refuse(const char *what, const char *why)
{
    fprintf(stderr, "listwatch: %s: %s\n", what, why);
    return EXIT_USAGE;
}

enum {
    OPT_KUBECONFIG = 256,
    OPT_RESOURCES,
    OPT_ALL,
    OPT_NAMESPACE,
    OPT_LABELS,
    OPT_FIELDS,
    OPT_LISTEN,
    OPT_INSECURE,
    OPT_DATA_DIR,
    OPT_CERT,
    OPT_KEY,
    OPT_CLIENT_CA,
    OPT_MAX_LAG,
    OPT_HISTORY,
    OPT_COMPACT,
    OPT_THREADS,
    OPT_STOP,
    OPT_VIEWS,
    OPT_SERVER,
};

static const struct option known[] = {
    { "kubeconfig", required_argument, NULL, OPT_KUBECONFIG },
    { "resources", required_argument, NULL, OPT_RESOURCES },
    { "all", no_argument, NULL, OPT_ALL },
    { "namespace", required_argument, NULL, OPT_NAMESPACE },
    { "label-selector", required_argument, NULL, OPT_LABELS },
    { "field-selector", required_argument, NULL, OPT_FIELDS },
    { "listen", required_argument, NULL, OPT_LISTEN },
    { "insecure-listen", required_argument, NULL, OPT_INSECURE },
    { "data-dir", required_argument, NULL, OPT_DATA_DIR },
    { "tls-cert", required_argument, NULL, OPT_CERT },
    { "tls-key", required_argument, NULL, OPT_KEY },
    { "client-ca", required_argument, NULL, OPT_CLIENT_CA },
    { "max-lag", required_argument, NULL, OPT_MAX_LAG },
    { "history-size", required_argument, NULL, OPT_HISTORY },
    { "compact", required_argument, NULL, OPT_COMPACT },
    { "threads", required_argument, NULL, OPT_THREADS },
    { "shutdown-timeout", required_argument, NULL, OPT_STOP },
    { "views", required_argument, NULL, OPT_VIEWS },
    { "server", required_argument, NULL, OPT_SERVER },
    { "verbose", no_argument, NULL, 'v' },
    { "help", no_argument, NULL, 'h' },
    { NULL, 0, NULL, 0 },
};

static int take_threads(mirror_options *m, const char *value)
{
    if (!quantity_parse_count(value, &m->options.threads) || m->options.threads > 64)
        return refuse(value, "not a valid number of threads; use 1 to 64");
    return EXIT_OK;
}

static int take_stop(mirror_options *m, const char *value)
{
    int64_t seconds = 0;
    if (!quantity_parse_seconds(value, &seconds) || seconds < 1 || seconds > STOP_S_MAX)
        return refuse(value, "not a valid shutdown timeout; use 1s to 1h");
    m->stop_s = (int)seconds;
    return EXIT_OK;
}

static int take(mirror_options *m, int option, const char *value)
{
    switch (option) {
    case OPT_KUBECONFIG: m->mirror.kubeconfig = value; break;
    case OPT_RESOURCES: m->mirror.resources = value; break;
    case OPT_ALL: m->is_all = true; break;
    case OPT_NAMESPACE: m->mirror.ns = value; break;
    case OPT_LABELS: m->mirror.label_selector = value; break;
    case OPT_FIELDS: m->mirror.field_selector = value; break;
    case OPT_LISTEN:
        m->has_listen = true;
        m->options.listen = strcmp(value, "none") == 0 ? NULL : value;
        break;
    case OPT_INSECURE: m->options.insecure_listen = value; break;
    case OPT_DATA_DIR: m->options.data_dir = value; break;
    case OPT_CERT: m->options.tls_cert_file = value; break;
    case OPT_KEY: m->options.tls_key_file = value; break;
    case OPT_CLIENT_CA: m->options.client_ca_file = value; break;
    case OPT_MAX_LAG:
        if (!quantity_parse_seconds(value, &m->mirror.max_lag_s))
            return refuse(value, "not a valid duration; use for example 90s, 30m or 2h");
        break;
    case OPT_HISTORY:
        if (!quantity_parse_size(value, &m->options.history_bytes))
            return refuse(value, "not a valid size; use for example 512K, 64M or 2G");
        break;
    case OPT_COMPACT: m->options.compact = value; break;
    case OPT_VIEWS: m->mirror.views_file = value; break;
    case OPT_SERVER: m->mirror.servers = value; break;
    case OPT_THREADS: return take_threads(m, value);
    case OPT_STOP: return take_stop(m, value);
    case 'v': m->logger.level = LW_LOG_DEBUG; break;
    default: fputs("see listwatch mirror --help\n", stderr); return EXIT_USAGE;
    }
    return EXIT_OK;
}

static int check(mirror_options *m)
{
    lw_server_options *o = &m->options;
    if (m->is_all == (m->mirror.resources && m->mirror.resources[0]))
        return refuse("--resources", "name the resources to mirror, or use --all");
    if (!m->has_listen)
        o->listen = o->insecure_listen ? "127.0.0.1:0" : "127.0.0.1:6443";
    if (!o->listen && !o->insecure_listen)
        return refuse("--listen none", "no address to listen on; set --insecure-listen");
    o->logger = &m->logger;
    o->mirror = &m->mirror;
    return EXIT_OK;
}

static int parse(mirror_options *m, int argc, char **argv, bool *is_help)
{
    int option, code = EXIT_OK;
    while (code == EXIT_OK && (option = options_next(argc, argv, "vh", known)) >= 0) {
        *is_help = option == 'h';
        if (*is_help)
            return EXIT_OK;
        code = take(m, option, optarg);
    }
    if (code == EXIT_OK && optind < argc)
        return refuse(argv[optind], "unexpected argument");
    return code == EXIT_OK ? check(m) : code;
}

static bool print_ready(const lw_server *server)
{
    char state[STATE_SIZE];
    const char *url = lw_server_url(server), *insecure = lw_server_insecure_url(server);
    (void)snprintf(state, sizeof(state), "READY=1\nSTATUS=mirroring at %s", url ? url : insecure);
    printf("ready: %s%s%s\n", url ? url : "", url && insecure ? " " : "", insecure ? insecure : "");
    if (fflush(stdout) != 0) {
        fprintf(stderr, "listwatch: standard output: %s\n", strerror(errno));
        return false;
    }
    notify_send(state);
    return true;
}

static void do_nothing(void *arg)
{
    (void)arg;
}

static int run(mirror_options *m)
{
    lw_server *server = NULL;
    lw_error err = LW_ERROR_INIT;
    signals_block();
    if (!signals_watch("mirror", m->stop_s))
        return EXIT_FAILED;
    descriptors_raise();
    signals_doing("reading the upstream");
    if (lw_server_start(&server, &m->options, &err) < 0) {
        fprintf(stderr, "listwatch: %s\n", err.message);
        return EXIT_FAILED;
    }
    bool is_told = print_ready(server);
    if (is_told && lw_server_kubeconfig(server))
        fprintf(stderr, "export KUBECONFIG=%s\n", lw_server_kubeconfig(server));
    if (is_told) {
        signals_wait(WAIT_S, do_nothing, NULL);
        notify_send("STOPPING=1");
    }
    signals_doing("stopping the mirror");
    lw_server_stop(server, m->stop_s > 1 ? m->stop_s * 4 / 5 : 0);
    signals_doing("exiting");
    return is_told ? EXIT_OK : EXIT_FAILED;
}

int command_mirror(int argc, char **argv)
{
    mirror_options m = { .options = LW_SERVER_OPTIONS_INIT,
                         .mirror = LW_SERVER_MIRROR_INIT,
                         .stop_s = STOP_S,
                         .logger = { .level = LW_LOG_INFO, .fn = log_line_print } };
    bool is_help = false;
    int code = parse(&m, argc, argv, &is_help);
    if (is_help) {
        fputs(usage, stdout);
        return fflush(stdout) == 0 ? EXIT_OK : EXIT_FAILED;
    }
    return code == EXIT_OK ? run(&m) : code;
}
