/* options_complete.c: completion scripts for bash, zsh and fish, written from the table: every verb
 * and option, the choices of a value, files where a value is a file. The function in a script is
 * called _NAME with '-' as '_', so that `wai` can hand its words on to it (platform A). */
#include "base/options_table.h"

/* What a value can be completed with. */
struct candidates {
    struct buf words; /* separated by spaces */
    bool files;
};

static bool plain_word(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (!(text[i] >= 'a' && text[i] <= 'z') && !(text[i] >= '0' && text[i] <= '9') &&
            text[i] != '-' && text[i] != '_')
            return false;
    return len > 0 && text[0] >= 'a' && text[0] <= 'z';
}

/* The choices; of a grammar such as "stop|skip|FILE" the words that stand for themselves. */
static void candidates_of(const struct option *o, struct candidates *c)
{
    const char *at = o->choices ? o->choices : o->arg ? o->arg : "";
    bool grammar = o->choices || strchr(at, '|');
    buf_clear(&c->words);
    c->files = o->file;
    while (*at) {
        size_t len = strcspn(at, "|");
        if (grammar && (o->choices || plain_word(at, len))) {
            if (c->words.len)
                buf_byte(&c->words, ' ');
            buf_add(&c->words, at, len);
        } else if (len == 4 && memcmp(at, "FILE", 4) == 0) {
            c->files = true;
        }
        at += len;
        at += *at == '|';
    }
}

static void function_name(const struct command *command, struct buf *out)
{
    buf_byte(out, '_');
    for (const char *c = command->name; *c; c++)
        buf_byte(out, *c == '-' ? '_' : *c);
}

/* A text inside '…' of the shell. `special`: characters that get a backslash besides. */
static void quote(struct buf *out, const char *text, const char *special, const char *apostrophe)
{
    for (; *text; text++) {
        if (*text == '\'') {
            buf_text(out, apostrophe);
            continue;
        }
        if (strchr(special, *text))
            buf_byte(out, '\\');
        buf_byte(out, *text);
    }
}

/* What stands in front of any verb: the program's own options, and the default verb's. */
static struct command before_verb(const struct command *command)
{
    struct command before = *command;
    for (const struct command *v = command->verbs; v && v->name && command->default_verb; v++)
        if (strcmp(v->name, command->default_verb) == 0)
            before.options = v->options;
    return before;
}

/* ---- bash ---------------------------------------------------------------------------------------
 */

/* The arms of `case "$prev"` and the words of one command. */
static void bash_command(const struct command *command, const char *indent, struct buf *out)
{
    struct candidates c = {0};
    const struct option *o;
    buf_format(out, "%scase \"$prev\" in\n", indent);
    for (size_t i = 0; (o = options_at(command, i)); i++) {
        candidates_of(o, &c);
        /* A value that may be left out is never the next word. */
        if (!option_takes_value(o) || o->kind == OPTION_OPTIONAL || (!c.words.len && !c.files))
            continue;
        buf_text(out, indent);
        if (option_letter(command, o))
            buf_format(out, "-%c|", option_letter(command, o));
        buf_format(out, "--%s) words='%s' value=1 ;;\n", o->name, buf_cstr(&c.words));
    }
    buf_format(out, "%s*) words='", indent);
    for (size_t i = 0; (o = options_at(command, i)); i++)
        buf_format(out, "%s--%s", i ? " " : "", o->name);
    buf_format(out, "' ;;\n%sesac\n", indent);
    buf_free(&c.words);
}

static void bash_script(const struct command *command, struct buf *out)
{
    struct buf name = {0};
    struct command before = before_verb(command);
    function_name(command, &name);
    buf_format(out,
               "# bash completion of %s; load it with: source <(%s --completion bash)\n"
               "%s() {\n"
               "    local cur=\"${COMP_WORDS[COMP_CWORD]}\" prev=\"\" words=\"\" value=0\n"
               "    [ \"$COMP_CWORD\" -ge 1 ] && prev=\"${COMP_WORDS[COMP_CWORD-1]}\"\n"
               "    if [ \"$cur\" = \"=\" ]; then\n"
               "        cur=\"\"\n"
               "    elif [ \"$prev\" = \"=\" ] && [ \"$COMP_CWORD\" -ge 2 ]; then\n"
               "        prev=\"${COMP_WORDS[COMP_CWORD-2]}\"\n"
               "    fi\n"
               "    COMPREPLY=()\n",
               command->name, command->name, buf_cstr(&name));
    if (command->verbs) {
        buf_text(out,
                 "    local verb=\"\"\n    [ \"$COMP_CWORD\" -ge 2 ] && verb=\"${COMP_WORDS[1]}\"\n"
                 "    case \"$verb\" in\n");
        for (const struct command *v = command->verbs; v->name; v++) {
            buf_format(out, "    %s)\n", v->name);
            bash_command(v, "        ", out);
            buf_text(out, "        ;;\n");
        }
        buf_text(out, "    *)\n");
        bash_command(&before, "        ", out);
        buf_text(out, "        if [ \"$COMP_CWORD\" -eq 1 ]; then words=\"$words");
        for (const struct command *v = command->verbs; v->name; v++)
            buf_format(out, " %s", v->name);
        buf_text(out, "\"; value=1; fi\n        ;;\n    esac\n");
    } else {
        bash_command(command, "    ", out);
    }
    /* An empty answer makes readline offer files (-o default); operands are files. */
    buf_format(out,
               "    case \"$value$cur\" in\n"
               "    0-*|1*) COMPREPLY=($(compgen -W \"$words\" -- \"$cur\")) ;;\n"
               "    esac\n"
               "}\n"
               "complete -o default -o bashdefault -F %s %s\n",
               buf_cstr(&name), command->name);
    buf_free(&name);
}

/* ---- zsh ----------------------------------------------------------------------------------------
 */

static void zsh_action(const struct option *o, struct candidates *c, struct buf *out)
{
    candidates_of(o, c);
    buf_byte(out, ':');
    quote(out, option_argument(o), ":\\", "'\\''");
    buf_byte(out, ':');
    if (c->words.len && c->files)
        buf_format(out, "{compadd -- %s; _files}", buf_cstr(&c->words));
    else if (c->words.len)
        buf_format(out, "(%s)", buf_cstr(&c->words));
    else
        buf_text(out, c->files ? "_files" : " ");
}

/* '(-k --k)'{-k+,--k=}'[help]:N: ' */
static void zsh_option(const struct command *command, const struct option *o, struct candidates *c,
                       struct buf *out)
{
    char letter = option_letter(command, o);
    bool value = option_takes_value(o), optional = o->kind == OPTION_OPTIONAL;
    const char *end = optional ? "=-" : value ? "=" : "";
    buf_text(out, " \\\n        ");
    if (o->kind == OPTION_LIST)
        buf_text(out, "'*'");
    else if (letter)
        buf_format(out, "'(-%c --%s)'", letter, o->name);
    if (letter)
        buf_format(out, "{-%c%s,--%s%s}", letter, optional ? "-" : value ? "+" : "", o->name, end);
    else
        buf_format(out, "--%s%s", o->name, end);
    buf_text(out, "'[");
    quote(out, o->help ? o->help : "", "[]:\\", "'\\''");
    buf_byte(out, ']');
    if (optional)
        buf_byte(out, ':');
    if (value)
        zsh_action(o, c, out);
    buf_byte(out, '\'');
}

static void zsh_arguments(const struct command *command, struct buf *out)
{
    struct candidates c = {0};
    const struct option *o;
    buf_text(out, "_arguments -s -S");
    for (size_t i = 0; (o = options_at(command, i)); i++)
        zsh_option(command, o, &c, out);
    buf_text(out, " \\\n        '*:file:_files'\n");
    buf_free(&c.words);
}

static void zsh_script(const struct command *command, struct buf *out)
{
    struct buf name = {0};
    struct command before = before_verb(command);
    function_name(command, &name);
    buf_format(out,
               "#compdef %s\n# zsh completion of %s; load it with: source <(%s --completion "
               "zsh)\n%s() {\n",
               command->name, command->name, command->name, buf_cstr(&name));
    if (command->verbs) {
        buf_text(out, "    if (( CURRENT == 2 )); then\n        local -a verbs\n        verbs=(\n");
        for (const struct command *v = command->verbs; v->name; v++) {
            buf_format(out, "            '%s:", v->name);
            quote(out, v->purpose ? v->purpose : "", ":\\", "'\\''");
            buf_text(out, "'\n");
        }
        buf_text(out,
                 "        )\n        _describe verb verbs\n    fi\n    case \"$words[2]\" in\n");
        for (const struct command *v = command->verbs; v->name; v++) {
            buf_format(out, "    %s)\n        shift words\n        (( CURRENT-- ))\n        ",
                       v->name);
            zsh_arguments(v, out);
            buf_text(out, "        ;;\n");
        }
        buf_text(out, "    *)\n        ");
        zsh_arguments(&before, out);
        buf_text(out, "        ;;\n    esac\n");
    } else {
        buf_text(out, "    ");
        zsh_arguments(command, out);
    }
    buf_format(
        out,
        "}\n"
        "if [ \"$funcstack[1]\" = \"%s\" ]; then\n    %s \"$@\"\nelse\n    compdef %s %s\nfi\n",
        buf_cstr(&name), buf_cstr(&name), buf_cstr(&name), command->name);
    buf_free(&name);
}

/* ---- fish ---------------------------------------------------------------------------------------
 */

static void fish_options(const struct command *program, const struct command *command,
                         const char *condition, struct buf *out)
{
    struct candidates c = {0};
    const struct option *o;
    for (size_t i = 0; (o = options_at(command, i)); i++) {
        candidates_of(o, &c);
        buf_format(out, "complete -c %s", program->name);
        if (condition)
            buf_format(out, " -n '%s'", condition);
        if (option_letter(command, o))
            buf_format(out, " -s %c", option_letter(command, o));
        buf_format(out, " -l %s", o->name);
        /* A value that may be left out never is the next word, so it is not offered as one. */
        if (option_takes_value(o) && o->kind != OPTION_OPTIONAL)
            buf_text(out, c.files ? " -r -F" : " -x");
        if (option_takes_value(o) && c.words.len)
            buf_format(out, " -a '%s'", buf_cstr(&c.words));
        buf_text(out, " -d '");
        quote(out, o->help ? o->help : "", "\\", "\\'");
        buf_text(out, "'\n");
    }
    buf_free(&c.words);
}

static void fish_script(const struct command *command, struct buf *out)
{
    struct buf condition = {0};
    buf_format(out, "# fish completion of %s; load it with: %s --completion fish | source\n",
               command->name, command->name);
    if (!command->verbs) {
        fish_options(command, command, NULL, out);
        return;
    }
    struct command before = before_verb(command);
    buf_text(&condition, "set -l w (commandline -opc); not contains -- \"$w[2]\"");
    for (const struct command *v = command->verbs; v->name; v++)
        buf_format(&condition, " %s", v->name);
    fish_options(command, &before, buf_cstr(&condition), out);
    for (const struct command *v = command->verbs; v->name; v++) {
        buf_format(out, "complete -c %s -n 'test (count (commandline -opc)) -lt 2' -f -a %s -d '",
                   command->name, v->name);
        quote(out, v->purpose ? v->purpose : "", "\\", "\\'");
        buf_text(out, "'\n");
        buf_clear(&condition);
        buf_format(&condition, "set -l w (commandline -opc); test \"$w[2]\" = %s", v->name);
        fish_options(command, v, buf_cstr(&condition), out);
    }
    buf_free(&condition);
}

int options_completion(const struct command *command, const char *shell, struct buf *out,
                       struct error *error)
{
    if (strcmp(shell, "bash") == 0)
        bash_script(command, out);
    else if (strcmp(shell, "zsh") == 0)
        zsh_script(command, out);
    else if (strcmp(shell, "fish") == 0)
        fish_script(command, out);
    else
        return error_set(error, ERROR_USAGE,
                         "no completion for the shell \"%s\"; it is bash, zsh or fish", shell);
    return 0;
}
