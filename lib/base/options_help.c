/* options_help.c: --help, written from the table: synopsis, purpose, options in two columns, verbs,
 * examples, exit status. Lines are at most 80 columns where words allow. */
#include "base/log.h"
#include "base/options_table.h"

enum {
    HELP_WIDTH = 80,       /* columns */
    HELP_COLUMN_MAX = 30,  /* columns; a longer left side gets a line of its own */
    HELP_GAP = 2,          /* columns between the sides */
    HELP_LETTER_WIDTH = 4, /* "-x, " */
};

static const char EXIT_STATUS[] = "0    done\n"
                                  "1    a check that was asked for is red\n"
                                  "2    bad usage\n"
                                  "3    bad input, named FILE:LINE\n"
                                  "4    a remote service or a child command failed\n"
                                  "5    the system failed (a full disk, memory)\n"
                                  "130  interrupted\n";

/* Columns of a text: its code points. */
static size_t columns(const char *text, size_t len)
{
    size_t n = 0;
    for (size_t i = 0; i < len; i++)
        n += ((unsigned char)text[i] & 0xc0) != 0x80;
    return n;
}

static void spaces(struct buf *out, size_t n)
{
    for (size_t i = 0; i < n; i++)
        buf_byte(out, ' ');
}

/* The words of text, wrapped; `at` is the column the first one starts in, `indent` that of the
 * rest. */
static void wrap(struct buf *out, const char *text, size_t at, size_t indent)
{
    size_t column = at;
    bool first = true;
    while (*text) {
        size_t len = strcspn(text, " ");
        size_t width = columns(text, len);
        if (!first && column + 1 + width > HELP_WIDTH) {
            buf_byte(out, '\n');
            spaces(out, indent);
            column = indent;
        } else if (!first) {
            buf_byte(out, ' ');
            column++;
        }
        buf_add(out, text, len);
        column += width;
        first = false;
        text += len;
        text += *text == ' ';
    }
    buf_byte(out, '\n');
}

/* "  LEFT  right side, wrapped" */
static void two_columns(struct buf *out, const char *left, const char *right, size_t column)
{
    size_t width = columns(left, strlen(left));
    spaces(out, HELP_GAP);
    buf_text(out, left);
    if (!*right) {
        buf_byte(out, '\n');
        return;
    }
    if (HELP_GAP + width + HELP_GAP > column) {
        buf_byte(out, '\n');
        spaces(out, column);
    } else {
        spaces(out, column - HELP_GAP - width);
    }
    wrap(out, right, column, column);
}

/* "-k, --repeats N", "    --quiet", "    --json[=FILE]" */
static void left_side(const struct command *command, const struct option *o, struct buf *out)
{
    char letter = option_letter(command, o);
    buf_clear(out);
    if (letter)
        buf_format(out, "-%c, ", letter);
    else
        spaces(out, HELP_LETTER_WIDTH);
    buf_format(out, "--%s", o->name);
    if (o->kind == OPTION_OPTIONAL)
        buf_format(out, "[=%s]", option_argument(o));
    else if (option_takes_value(o))
        buf_format(out, " %s", option_argument(o));
}

static void list_options(const struct command *command, struct buf *out)
{
    struct buf left = {0};
    size_t column = 0;
    const struct option *o;
    for (size_t i = 0; (o = options_at(command, i)); i++) {
        left_side(command, o, &left);
        size_t need = HELP_GAP + columns(left.data, left.len) + HELP_GAP;
        if (need <= HELP_COLUMN_MAX && need > column)
            column = need;
    }
    buf_text(out, "\nOptions:\n");
    for (size_t i = 0; (o = options_at(command, i)); i++) {
        left_side(command, o, &left);
        two_columns(out, buf_cstr(&left), o->help ? o->help : "", column);
    }
    buf_free(&left);
}

static void list_verbs(const struct command *command, struct buf *out)
{
    size_t column = 0;
    for (const struct command *v = command->verbs; v->name; v++) {
        size_t need = HELP_GAP + columns(v->name, strlen(v->name)) + HELP_GAP;
        if (need <= HELP_COLUMN_MAX && need > column)
            column = need;
    }
    if (command->verbs_heading)
        buf_format(out, "\n%s:\n", command->verbs_heading);
    else
        buf_format(out, "\nVerbs (%s VERB --help tells more%s%s):\n", command->name,
                   command->default_verb ? "; without one: " : "",
                   command->default_verb ? command->default_verb : "");
    for (const struct command *v = command->verbs; v->name; v++)
        two_columns(out, v->name, v->purpose ? v->purpose : "", column);
}

static void indented(struct buf *out, const char *lines)
{
    while (*lines) {
        size_t len = strcspn(lines, "\n");
        if (len)
            spaces(out, HELP_GAP);
        buf_add(out, lines, len);
        buf_byte(out, '\n');
        lines += len;
        lines += *lines == '\n';
    }
}

void options_help(const struct command *command, struct buf *out)
{
    buf_text(out, "usage: ");
    if (!options_is_program(command))
        buf_format(out, "%s ", log_program());
    buf_format(out, "%s %s\n", command->name, command->synopsis ? command->synopsis : "[OPTIONS]");
    if (command->purpose) {
        buf_byte(out, '\n');
        wrap(out, command->purpose, 0, 0);
    }
    if (command->verbs)
        list_verbs(command, out);
    list_options(command, out);
    if (command->examples) {
        buf_text(out, "\nExamples:\n");
        indented(out, command->examples);
    }
    buf_text(out, "\nExit status:\n");
    indented(out, EXIT_STATUS);
    if (command->exit_status)
        indented(out, command->exit_status);
}
