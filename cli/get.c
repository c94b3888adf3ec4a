/* SPDX-License-Identifier: Apache-2.0 */
/* get.c -- `listwatch get -f FILE`: objects of a file, those that are asked for, as they come.
 *
 * A JSON list goes through one object at a time, so its size does not matter:
 *     kubectl get pods -A -o json | listwatch get -f - -l app=web */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <listwatch.h>

#include "commands.h"
#include "table.h"

enum {
    CHUNK_SIZE = 64 * 1024,
    MAX_FILES = 64,
};

typedef enum output {
    OUTPUT_TABLE,
    OUTPUT_WIDE,
    OUTPUT_NAME,
    OUTPUT_JSON,
    OUTPUT_YAML,
} output;

/* One run of the command. */
typedef struct get {
    const char *files[MAX_FILES];
    size_t file_count;
    const char *ns; /* NULL: all */
    lw_label_selector *labels;
    lw_field_selector *fields;
    output output;

    lw_manifest_reader *reader; /* of the file at hand */
    size_t seen_count;          /* objects read, asked for or not */
    bool has_list;              /* some file holds a list */
    table *table;
    lw_printer *printer; /* NULL until it is known whether it prints a List */
    lw_object *first;    /* held until then */
    int output_errno;    /* why standard output takes no more; 0: it does */
} get;

static const char usage[] =
    "usage: listwatch get -f FILE [options]\n"
    "\n"
    "Shows the objects in FILE (- is standard input): JSON or YAML, single objects or lists.\n"
    "\n"
    "  -f, --filename FILE       what to read; may be given several times\n"
    "  -n, --namespace NS        only objects of this namespace\n"
    "  -l, --selector SELECTOR   only objects with these labels, as app=web,tier!=db\n"
    "      --field-selector S    only objects with these fields, as spec.nodeName=a\n"
    "  -o, --output FORMAT       name, json, yaml or wide; a table without it\n"
    "  -h, --help                this text\n";

/* Remembers the first failure of standard output.  False: it takes no more. */
static bool output_works(get *g)
{
    if (g->output_errno == 0 && ferror(stdout))
        g->output_errno = errno ? errno : EIO;
    return g->output_errno == 0;
}

/* Writes to stdout for the printer. */
static lw_status write_stdout(const char *bytes, size_t len, void *arg, lw_error *err)
{
    (void)err;
    (void)fwrite(bytes, 1, len, stdout);
    return output_works(arg) ? LW_OK : LW_ERR_IO;
}

static bool is_wanted(const get *g, const lw_object *obj)
{
    return (!g->ns || strcmp(g->ns, lw_object_namespace(obj)) == 0) &&
           lw_label_selector_matches(g->labels, obj) &&
           lw_field_selector_matches_object(g->fields, obj);
}

/* "deployment.apps/web", as kubectl prints it. */
static void print_name(const lw_object *obj)
{
    const char *api_version = lw_object_api_version(obj);
    const char *slash = strchr(api_version, '/');
    for (const char *c = lw_object_kind(obj); *c; c++) {
        char lower[2] = { *c >= 'A' && *c <= 'Z' ? (char)(*c - 'A' + 'a') : *c, '\0' };
        print_plain(lower);
    }
    if (slash && slash != api_version) {
        putchar('.');
        for (const char *c = api_version; c < slash; c++)
            print_plain((const char[]){ *c, '\0' });
    }
    if (lw_object_kind(obj)[0])
        putchar('/');
    print_plain(lw_object_name(obj));
    putchar('\n');
}

static lw_status start_printer(get *g, bool as_list, lw_error *err)
{
    lw_printer_options options = {
        .format = g->output == OUTPUT_JSON ? LW_PRINT_JSON : LW_PRINT_YAML,
        .write = write_stdout,
        .arg = g,
        .as_list = as_list,
    };
    lw_status st = lw_printer_new(&g->printer, &options, err);
    if (st == LW_OK && g->first)
        st = lw_printer_object(g->printer, g->first, err);
    lw_object_unref(g->first);
    g->first = NULL;
    return st;
}

/* One object of a file that is no list is printed as itself; so the first one waits until it is
 * clear that there is another. */
static lw_status print_document(get *g, const lw_object *obj, lw_error *err)
{
    if (!g->printer && g->seen_count == 1 && !lw_manifest_reader_has_list(g->reader)) {
        g->first = lw_object_ref(obj);
        return LW_OK;
    }
    lw_status st = g->printer ? LW_OK : start_printer(g, true, err);
    return st < 0 ? st : lw_printer_object(g->printer, obj, err);
}

static lw_status show(const lw_object *obj, void *arg, lw_error *err)
{
    get *g = arg;
    lw_status st = LW_OK;
    g->seen_count++;
    if (!is_wanted(g, obj))
        return LW_OK;
    switch (g->output) {
    case OUTPUT_TABLE:
    case OUTPUT_WIDE: st = table_add(g->table, obj); break;
    case OUTPUT_NAME: print_name(obj); break;
    case OUTPUT_JSON:
    case OUTPUT_YAML: st = print_document(g, obj, err); break;
    }
    return st == LW_OK && !output_works(g) ? LW_ERR_IO : st;
}

static lw_status finish_output(get *g, lw_error *err)
{
    lw_status st = LW_OK;
    if (g->output == OUTPUT_JSON || g->output == OUTPUT_YAML) {
        if (!g->printer)
            st = start_printer(g, g->has_list || g->seen_count != 1 || !g->first, err);
        if (st == LW_OK)
            st = lw_printer_finish(g->printer, err);
    } else if (g->table && table_finish(g->table) == 0) {
        fputs("No objects found.\n", stderr);
    }
    return st;
}

static void complain(const char *file, const lw_error *err, lw_status st)
{
    const char *message = err->message[0] ? err->message : lw_status_name(st);
    fprintf(stderr, "listwatch get: %s: ", strcmp(file, "-") == 0 ? "standard input" : file);
    if (err->offset != LW_NO_OFFSET)
        fprintf(stderr, "byte %llu: ", (unsigned long long)err->offset);
    fprintf(stderr, "%s\n", message);
}

static void set_read_error(lw_error *err)
{
    err->code = LW_ERR_IO;
    (void)snprintf(err->message, sizeof(err->message), "%s", strerror(errno));
}

static lw_status feed_file(get *g, int fd, lw_error *err)
{
    static char chunk[CHUNK_SIZE];
    lw_status st = LW_OK;
    while (st == LW_OK) {
        ssize_t len = read(fd, chunk, sizeof(chunk));
        if (len < 0 && errno == EINTR)
            continue;
        if (len < 0) {
            set_read_error(err);
            return LW_ERR_IO;
        }
        if (len == 0)
            return lw_manifest_reader_finish(g->reader, err);
        st = lw_manifest_reader_feed(g->reader, chunk, (size_t)len, err);
    }
    return st;
}

static lw_status read_file(get *g, const char *file, lw_error *err)
{
    lw_manifest_reader_options options = { .on_object = show, .arg = g };
    bool is_stdin = strcmp(file, "-") == 0;
    int fd = is_stdin ? STDIN_FILENO : open(file, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        set_read_error(err);
        return LW_ERR_IO;
    }
    lw_status st = lw_manifest_reader_new(&g->reader, &options, err);
    if (st == LW_OK)
        st = feed_file(g, fd, err);
    if (st == LW_OK)
        g->has_list = g->has_list || lw_manifest_reader_has_list(g->reader);
    lw_manifest_reader_free(g->reader);
    g->reader = NULL;
    if (!is_stdin)
        (void)close(fd);
    return st;
}

/* True when everything that was printed has left.  A closed pipe ends the command without a word:
 * whoever reads has seen enough. */
static bool flush_output(get *g)
{
    (void)fflush(stdout);
    if (output_works(g))
        return true;
    if (g->output_errno != EPIPE)
        fprintf(stderr, "listwatch get: standard output: %s\n", strerror(g->output_errno));
    return false;
}

static int run(get *g)
{
    const char *file = "";
    lw_error err = LW_ERROR_INIT;
    lw_status st = LW_OK;
    if (g->output == OUTPUT_TABLE || g->output == OUTPUT_WIDE) {
        g->table = table_new(g->output == OUTPUT_WIDE);
        if (!g->table)
            st = LW_ERR_NOMEM;
    }
    for (size_t i = 0; st == LW_OK && i < g->file_count; i++) {
        file = g->files[i];
        st = read_file(g, file, &err);
    }
    if (st == LW_OK)
        st = finish_output(g, &err);
    else if (g->table)
        (void)table_finish(g->table); /* what came before the fault is still of use */
    bool is_printed = flush_output(g);
    if (st < 0 && is_printed) /* else reading stopped because nobody takes it */
        complain(file, &err, st);
    return is_printed && st == LW_OK ? EXIT_OK : EXIT_FAILED;
}

static bool parse_output(const char *name, output *out)
{
    static const char *const names[] = { [OUTPUT_WIDE] = "wide",
                                         [OUTPUT_NAME] = "name",
                                         [OUTPUT_JSON] = "json",
                                         [OUTPUT_YAML] = "yaml" };
    for (int i = OUTPUT_WIDE; i <= OUTPUT_YAML; i++) {
        if (strcmp(name, names[i]) == 0) {
            *out = (output)i;
            return true;
        }
    }
    return false;
}

static int refuse(const char *what, const char *why)
{
    fprintf(stderr, "listwatch get: %s: %s\n", what, why);
    return EXIT_USAGE;
}

static int add_file(get *g, const char *file)
{
    if (g->file_count == MAX_FILES)
        return refuse(file, "too many files");
    g->files[g->file_count++] = file;
    return EXIT_OK;
}

static int take_labels(get *g, const char *text)
{
    lw_error err = LW_ERROR_INIT;
    lw_label_selector_free(g->labels);
    g->labels = NULL;
    if (lw_label_selector_parse(&g->labels, lw_str_of(text), &err) < 0)
        return refuse("selector", err.message);
    return EXIT_OK;
}

static int take_fields(get *g, const char *text)
{
    lw_error err = LW_ERROR_INIT;
    lw_field_selector_free(g->fields);
    g->fields = NULL;
    if (lw_field_selector_parse(&g->fields, lw_str_of(text), &err) < 0)
        return refuse("field selector", err.message);
    return EXIT_OK;
}

static int take_option(get *g, int option, const char *value)
{
    switch (option) {
    case 'f': return add_file(g, value);
    case 'n': g->ns = value; return EXIT_OK;
    case 'l': return take_labels(g, value);
    case 'F': return take_fields(g, value);
    case 'o':
        return parse_output(value, &g->output)
                   ? EXIT_OK
                   : refuse(value, "not an output format; name, json, yaml or wide");
    default: fputs("see listwatch get --help\n", stderr); return EXIT_USAGE;
    }
}

/* Reads the arguments.  EXIT_OK: go on; with |*is_help|, show the help instead. */
static int parse_arguments(get *g, int argc, char **argv, bool *is_help)
{
    static const struct option options[] = {
        { "filename", required_argument, NULL, 'f' },
        { "namespace", required_argument, NULL, 'n' },
        { "selector", required_argument, NULL, 'l' },
        { "field-selector", required_argument, NULL, 'F' },
        { "output", required_argument, NULL, 'o' },
        { "help", no_argument, NULL, 'h' },
        { NULL, 0, NULL, 0 },
    };
    int option, code = EXIT_OK;
    while (code == EXIT_OK && (option = getopt_long(argc, argv, "f:n:l:o:h", options, NULL)) >= 0) {
        *is_help = option == 'h';
        if (*is_help)
            return EXIT_OK;
        code = take_option(g, option, optarg);
    }
    if (code == EXIT_OK && optind < argc)
        return refuse(argv[optind], "unexpected argument; files are given with -f");
    if (code == EXIT_OK && g->file_count == 0)
        return refuse("nothing to read", "give a file with -f, or -f - for standard input");
    return code;
}

int command_get(int argc, char **argv)
{
    get g = { .output = OUTPUT_TABLE };
    bool is_help = false;
    int code = parse_arguments(&g, argc, argv, &is_help);
    if (is_help) {
        fputs(usage, stdout);
        code = flush_output(&g) ? EXIT_OK : EXIT_FAILED;
    } else if (code == EXIT_OK) {
        code = run(&g);
    }
    lw_object_unref(g.first);
    lw_printer_free(g.printer);
    table_free(g.table);
    lw_label_selector_free(g.labels);
    lw_field_selector_free(g.fields);
    return code;
}
