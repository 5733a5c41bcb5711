/* dispatch_complete.c: completion of `wai`. The first word is a tool; the rest is the tool's own
 * affair, whose script is asked for once (`wai NAME --completion SHELL`) and then called with the
 * words moved. */
#include "platform/dispatch.h"

/* A purpose inside '…'. Ours hold no apostrophe and no backslash. */
static const char *purpose(const struct command *tool)
{
    return tool->purpose ? tool->purpose : "";
}

static void names(const struct command *tools, struct buf *out)
{
    for (const struct command *t = tools; t->name; t++)
        buf_format(out, "%s%s", t == tools ? "" : " ", t->name);
}

static void bash(const struct command *tools, struct buf *out)
{
    buf_text(out, "# bash completion of wai; load it with: source <(wai --completion bash)\n"
                  "_wai() {\n"
                  "    local cur=\"${COMP_WORDS[COMP_CWORD]}\" tools='");
    names(tools, out);
    buf_text(out,
             "'\n"
             "    local name=\"${COMP_WORDS[1]}\"\n"
             "    COMPREPLY=()\n"
             "    if [ \"$COMP_CWORD\" -le 1 ]; then\n"
             "        COMPREPLY=($(compgen -W \"$tools help --help --version --completion\" -- "
             "\"$cur\"))\n"
             "        return\n"
             "    fi\n"
             "    case \"$name\" in\n"
             "    help) COMPREPLY=($(compgen -W \"$tools\" -- \"$cur\")); return ;;\n"
             "    --completion) COMPREPLY=($(compgen -W 'bash zsh fish' -- \"$cur\")); return ;;\n"
             "    esac\n"
             "    local complete=\"_wai_${name//-/_}\"\n"
             "    case \" $tools \" in\n"
             "    *\" $name \"*) ;;\n"
             "    *) return ;;\n"
             "    esac\n"
             "    if ! declare -F \"$complete\" > /dev/null; then\n"
             "        eval \"$(\"${COMP_WORDS[0]}\" \"$name\" --completion bash 2> /dev/null)\"\n"
             "        declare -F \"$complete\" > /dev/null || return\n"
             "    fi\n"
             "    COMP_WORDS=(\"wai-$name\" \"${COMP_WORDS[@]:2}\")\n"
             "    COMP_CWORD=$((COMP_CWORD - 1))\n"
             "    \"$complete\"\n"
             "}\n"
             "complete -o default -o bashdefault -F _wai wai\n");
}

static void zsh(const struct command *tools, struct buf *out)
{
    buf_text(out, "#compdef wai\n"
                  "# zsh completion of wai; load it with: source <(wai --completion zsh)\n"
                  "_wai() {\n"
                  "    local -a tools\n"
                  "    tools=(\n");
    for (const struct command *t = tools; t->name; t++) {
        buf_format(out, "        '%s:", t->name);
        for (const char *c = purpose(t); *c; c++)
            buf_format(out, *c == ':' ? "\\%c" : "%c", *c);
        buf_text(out, "'\n");
    }
    buf_text(out, "    )\n"
                  "    if (( CURRENT == 2 )); then\n"
                  "        _describe tool tools\n"
                  "        compadd -- help --help --version --completion\n"
                  "        return\n"
                  "    fi\n"
                  "    case \"$words[2]\" in\n"
                  "    help) _describe tool tools; return ;;\n"
                  "    --completion) compadd -- bash zsh fish; return ;;\n"
                  "    esac\n"
                  "    local name=\"$words[2]\" complete=\"_wai_${words[2]//-/_}\"\n"
                  "    if (( ! $+functions[$complete] )); then\n"
                  "        eval \"$(\"$words[1]\" \"$name\" --completion zsh 2> /dev/null)\"\n"
                  "        (( $+functions[$complete] )) || return 1\n"
                  "    fi\n"
                  "    shift words\n"
                  "    (( CURRENT-- ))\n"
                  "    words[1]=\"wai-$name\"\n"
                  "    \"$complete\"\n"
                  "}\n"
                  "if [ \"$funcstack[1]\" = \"_wai\" ]; then\n    _wai \"$@\"\nelse\n    compdef "
                  "_wai wai\nfi\n");
}

static void fish(const struct command *tools, struct buf *out)
{
    struct buf known = {0}; /* the tools */
    names(tools, &known);
    buf_cstr(&known);
    buf_text(out, "# fish completion of wai; load it with: wai --completion fish | source\n");
    buf_format(out,
               "function __wai_first\n"
               "    set -l words (commandline -opc)\n"
               "    not contains -- \"$words[2]\" help %s\n"
               "end\n"
               "function __wai_of_tool\n"
               "    set -l words (commandline -opc)\n"
               "    set -l tool $words[2]\n"
               "    contains -- $tool %s; or return\n"
               "    if not complete -c wai-$tool | string length -q\n"
               "        $words[1] $tool --completion fish 2> /dev/null | source\n"
               "    end\n"
               "    complete -C (string join ' ' -- wai-$tool (string escape -- $words[3..]) "
               "(commandline -ct))\n"
               "end\n",
               known.data, known.data);
    for (const struct command *t = tools; t->name; t++)
        buf_format(out,
                   "complete -c wai -n 'test (count (commandline -opc)) -lt 2' -f -a %s -d '%s'\n",
                   t->name, purpose(t));
    buf_format(
        out,
        "complete -c wai -n 'test (count (commandline -opc)) -lt 2' -f -a help -d 'the manual page "
        "of a tool'\n"
        "complete -c wai -n 'set -l w (commandline -opc); test \"$w[2]\" = help' -f -a '%s'\n"
        "complete -c wai -n __wai_first -l help -s h -d 'print what there is'\n"
        "complete -c wai -n __wai_first -l version -d 'print the name and the version'\n"
        "complete -c wai -n __wai_first -l completion -x -a 'bash zsh fish'\n"
        "complete -c wai -n 'not __wai_first' -f -a '(__wai_of_tool)'\n",
        known.data);
    buf_free(&known);
}

void dispatch_completion(const struct command *tools, const char *shell, struct buf *out)
{
    if (strcmp(shell, "bash") == 0)
        bash(tools, out);
    else if (strcmp(shell, "zsh") == 0)
        zsh(tools, out);
    else
        fish(tools, out);
}
