/* SPDX-License-Identifier: Apache-2.0 */
/* completion.c -- `listwatch completion SHELL`: prints a script that completes command lines.
 *
 * The scripts ask the program itself: --help for commands and options, api-resources and get for
 * resources and names.  So they need no change when an option is added. */
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "message.h"
#include "output.h"

static const char usage[] =
    "usage: listwatch completion bash|zsh|fish\n"
    "\n"
    "Prints a script that completes commands, options, resources and names of objects:\n"
    "  bash   source <(listwatch completion bash)\n"
    "  zsh    source <(listwatch completion zsh)\n"
    "  fish   listwatch completion fish | source\n"
    "\n"
    "  -h, --help                print this help\n";

/* The words that may follow, one per line: the body of a function that bash and zsh share.
 * $1 is the word before, $2 the current word, $3... the words of the command line so far. */
#define CANDIDATES                                                                                 \
    "__listwatch_candidates() {\n"                                                                 \
    "    local before=$1 current=$2 command=$3 type=\n"                                            \
    "    shift 3 2>/dev/null || shift $#\n"                                                        \
    "    local server=() word next=\n"                                                             \
    "    for word in \"$@\"; do\n"                                                                 \
    "        if [ -n \"$next\" ]; then server+=(\"$next\" \"$word\"); next=; continue; fi\n"       \
    "        case $word in\n"                                                                      \
    "        --kubeconfig|--context|--server|-s|--token|-n|--namespace) next=$word ;;\n"           \
    "        --kubeconfig=*|--context=*|--server=*|--token=*|--namespace=*|-A)\n"                  \
    "            server+=(\"$word\") ;;\n"                                                         \
    "        -*) ;;\n"                                                                             \
    "        *) [ -n \"$type\" ] || type=$word ;;\n"                                               \
    "        esac\n"                                                                               \
    "    done\n"                                                                                   \
    "    if [ -z \"$command\" ]; then\n"                                                           \
    "        listwatch --help | sed -n 's/^  \\([a-z][a-z-]*\\)  .*/\\1/p'\n"                      \
    "        return\n"                                                                             \
    "    fi\n"                                                                                     \
    "    case $before in\n"                                                                        \
    "    -n|--namespace) listwatch get namespaces -o name \"${server[@]}\" 2>/dev/null |\n"        \
    "        sed 's,.*/,,'; return ;;\n"                                                           \
    "    -o|--output) printf '%s\\n' name json yaml wide jsonpath= custom-columns=; return ;;\n"   \
    "    -f|--filename|--kubeconfig|--certificate-authority|--data-dir) return ;;\n"               \
    "    esac\n"                                                                                   \
    "    case $current in\n"                                                                       \
    "    -*) listwatch \"$command\" --help 2>/dev/null | grep -o -e '--[a-z][a-z-]*'; return ;;\n" \
    "    esac\n"                                                                                   \
    "    case $command in\n"                                                                       \
    "    store) listwatch store --help | sed -n 's/^  \\([a-z][a-z-]*\\)  .*/\\1/p' ;;\n"          \
    "    completion) printf '%s\\n' bash zsh fish ;;\n"                                            \
    "    rollout) if [ -z \"$type\" ]; then echo status; else\n"                                   \
    "        listwatch get deployments,daemonsets,statefulsets -o name \"${server[@]}\" "          \
    "2>/dev/null\n"                                                                                \
    "        fi ;;\n"                                                                              \
    "    logs|exec|attach|port-forward) listwatch get pods -o name \"${server[@]}\" 2>/dev/null "  \
    "| sed 's,.*/,,' ;;\n"                                                                         \
    "    get|watch|describe|delete|scale|wait|explain)\n"                                          \
    "        case $current in\n"                                                                   \
    "        */*) listwatch get \"${current%%/*}\" -o name \"${server[@]}\" 2>/dev/null |\n"       \
    "            sed \"s,.*/,${current%%/*}/,\" ;;\n"                                              \
    "        *) if [ -z \"$type\" ]; then\n"                                                       \
    "                listwatch api-resources -o name \"${server[@]}\" 2>/dev/null\n"               \
    "            else\n"                                                                           \
    "                listwatch get \"$type\" -o name \"${server[@]}\" 2>/dev/null | "              \
    "sed 's,.*/,,'\n"                                                                              \
    "            fi ;;\n"                                                                          \
    "        esac ;;\n"                                                                            \
    "    esac\n"                                                                                   \
    "}\n"

static const char bash[] = "# bash completion of listwatch\n" //
    CANDIDATES "__listwatch() {\n"
                           "    local words\n"
                           "    words=$(__listwatch_candidates \"${COMP_WORDS[COMP_CWORD-1]}\" "
                           "\"${COMP_WORDS[COMP_CWORD]}\" \\\n"
                           "        \"${COMP_WORDS[@]:1:COMP_CWORD-1}\")\n"
                           "    COMPREPLY=()\n"
                           "    while IFS= read -r word; do\n"
                           "        [ -n \"$word\" ] && COMPREPLY+=(\"$word\")\n"
                           "    done < <(compgen -W \"$words\" -- \"${COMP_WORDS[COMP_CWORD]}\")\n"
                           "}\n"
                           "complete -o default -F __listwatch listwatch\n";

static const char zsh[] =
    "#compdef listwatch\n"
    "# zsh completion of listwatch\n" //
    CANDIDATES "_listwatch() {\n"
    "    local -a found\n"
    "    found=(\"${(@f)$(__listwatch_candidates \"${words[CURRENT-1]}\" \"${words[CURRENT]}\" \\\n"
    "        \"${(@)words[2,CURRENT-1]}\")}\")\n"
    "    if [[ -n ${found[1]} ]]; then compadd -- \"${found[@]}\"; else _files; fi\n"
    "}\n"
    /* In a file that zsh loads on first use, this text is the body of _listwatch. */
    "if [ \"$funcstack[1]\" = _listwatch ]; then _listwatch; "
    "else compdef _listwatch listwatch; fi\n";

static const char fish[] =
    "# fish completion of listwatch\n"
    "function __listwatch_candidates\n"
    "    set -l words (commandline -opc)\n"
    "    set -l current (commandline -ct)\n"
    "    set -l command $words[2]\n"
    "    set -l plain\n"
    "    for word in $words[3..-1]\n"
    "        string match -q -- '-*' $word; or set -a plain $word\n"
    "    end\n"
    "    if test (count $words) -lt 2\n"
    "        listwatch --help | string match -rg '^  ([a-z][a-z-]*)  '\n"
    "        return\n"
    "    end\n"
    "    if string match -q -- '-*' $current\n"
    "        listwatch $command --help 2>/dev/null | string match -ra -- '--[a-z][a-z-]*'\n"
    "        return\n"
    "    end\n"
    "    switch $words[-1]\n"
    "        case -n --namespace\n"
    "            listwatch get namespaces -o name 2>/dev/null | string replace -r '.*/' ''\n"
    "            return\n"
    "        case -o --output\n"
    "            printf '%s\\n' name json yaml wide jsonpath= custom-columns=\n"
    "            return\n"
    "        case -f --filename --kubeconfig --certificate-authority --data-dir\n"
    "            __fish_complete_path $current\n"
    "            return\n"
    "    end\n"
    "    switch $command\n"
    "        case store\n"
    "            listwatch store --help | string match -rg '^  ([a-z][a-z-]*)  '\n"
    "        case completion\n"
    "            printf '%s\\n' bash zsh fish\n"
    "        case rollout\n"
    "            test (count $plain) -eq 0; and echo status; and return\n"
    "            listwatch get deployments,daemonsets,statefulsets -o name 2>/dev/null\n"
    "        case logs exec attach port-forward\n"
    "            listwatch get pods -o name 2>/dev/null | string replace -r '.*/' ''\n"
    "        case get watch describe delete scale wait explain\n"
    "            if test (count $plain) -eq 0\n"
    "                listwatch api-resources -o name 2>/dev/null\n"
    "            else\n"
    "                listwatch get $plain[1] -o name 2>/dev/null | string replace -r '.*/' ''\n"
    "            end\n"
    "    end\n"
    "end\n"
    "complete -c listwatch -f -a '(__listwatch_candidates)'\n";

int command_completion(int argc, char **argv)
{
    static const struct {
        const char *shell, *script;
    } scripts[] = { { "bash", bash }, { "zsh", zsh }, { "fish", fish } };
    const char *shell = argc == 2 ? argv[1] : "";
    if (strcmp(shell, "--help") == 0 || strcmp(shell, "-h") == 0) {
        fputs(usage, stdout);
        return output_flush() ? EXIT_OK : EXIT_FAILED;
    }
    for (size_t i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++) {
        if (strcmp(shell, scripts[i].shell) == 0) {
            fputs(scripts[i].script, stdout);
            return output_flush() ? EXIT_OK : EXIT_FAILED;
        }
    }
    message("specify the shell: bash, zsh or fish");
    return EXIT_USAGE;
}
