/* options.c: see options.h. Reads argv by the table. Help is in options_help.c, completion in
 * options_complete.c. */
#include "base/options.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"
#include "base/options_table.h"

const struct option OPTIONS_OWN[] = {
    [OPTION_OWN_HELP] = {.kind = OPTION_FLAG,
                         .letter = 'h',
                         .name = "help",
                         .help = "print this help"},
    [OPTION_OWN_VERSION] = {.kind = OPTION_FLAG,
                            .name = "version",
                            .help = "print the name and the version"},
    [OPTION_OWN_COMPLETION] = {.kind = OPTION_CHOICE,
                               .name = "completion",
                               .choices = "bash|zsh|fish",
                               .help = "print a completion script for that shell"},
    {0},
};

bool options_is_program(const struct command *command)
{
    return strncmp(command->name, "wai", 3) == 0;
}

size_t options_own_count(const struct command *command)
{
    return options_is_program(command) ? OPTION_OWN_COMPLETION + 1 : OPTION_OWN_COMPLETION;
}

const struct option *options_at(const struct command *command, size_t i)
{
    size_t n = 0;
    for (const struct option *o = command->options; o && o->kind != OPTION_END; o++, n++)
        if (n == i)
            return o;
    return i - n < options_own_count(command) ? &OPTIONS_OWN[i - n] : NULL;
}

bool option_takes_value(const struct option *option)
{
    return option->kind != OPTION_FLAG;
}

const char *option_argument(const struct option *option)
{
    static const char *const BY_KIND[] = {
        [OPTION_TEXT] = "TEXT", [OPTION_OPTIONAL] = "TEXT", [OPTION_LIST] = "TEXT",
        [OPTION_INT] = "N",     [OPTION_REAL] = "X",        [OPTION_SIZE] = "SIZE",
    };
    if (option->arg)
        return option->arg;
    return option->choices ? option->choices : BY_KIND[option->kind];
}

char option_letter(const struct command *command, const struct option *option)
{
    if (option != &OPTIONS_OWN[OPTION_OWN_HELP])
        return option->letter;
    for (const struct option *o = command->options; o && o->kind != OPTION_END; o++)
        if (o->letter == option->letter)
            return 0;
    return option->letter;
}

/* ---- numbers ------------------------------------------------------------------------------------
 */

static size_t digits_at(const char *text)
{
    return strspn(text, "0123456789");
}

int option_read_int(const char *text, int64_t *value)
{
    size_t sign = *text == '-' || *text == '+';
    size_t digits = digits_at(text + sign);
    if (digits == 0 || text[sign + digits])
        return -1;
    errno = 0;
    long long number = strtoll(text, NULL, 10);
    if (errno)
        return -1;
    *value = number;
    return 0;
}

int option_read_real(const char *text, double *value)
{
    const char *at = text + (*text == '-' || *text == '+');
    size_t whole = digits_at(at);
    at += whole;
    size_t part = 0;
    if (*at == '.') {
        part = digits_at(at + 1);
        at += 1 + part;
    }
    if (whole + part == 0)
        return -1;
    if (*at == 'e' || *at == 'E') {
        at++;
        at += *at == '-' || *at == '+';
        if (digits_at(at) == 0)
            return -1;
        at += digits_at(at);
    }
    if (*at)
        return -1;
    double number = strtod(text, NULL);
    if (!isfinite(number))
        return -1;
    *value = number;
    return 0;
}

int option_read_pair(const char *text, double *first, double *second)
{
    char head[64]; /* longer than any number that is meant */
    const char *comma = strchr(text, ',');
    size_t len = comma ? (size_t)(comma - text) : 0;
    if (!comma || len >= sizeof head)
        return -1;
    memcpy(head, text, len);
    head[len] = '\0';
    return option_read_real(head, first) || option_read_real(comma + 1, second) ? -1 : 0;
}

bool option_next_piece(const char **at, struct span *piece)
{
    if (!*at)
        return false;
    size_t len = strcspn(*at, ",");
    *piece = span_make(*at, len);
    *at = (*at)[len] ? *at + len + 1 : NULL;
    return true;
}

int option_read_size(const char *text, uint64_t *value)
{
    static const char UNITS[] = "KMGT";
    size_t digits = digits_at(text);
    const char *unit = text + digits;
    unsigned shift = 0;
    if (digits == 0)
        return -1;
    if (*unit) {
        char upper = (char)(*unit >= 'a' && *unit <= 'z' ? *unit - 'a' + 'A' : *unit);
        const char *place = strchr(UNITS, upper);
        if (place) {
            shift = 10 * (unsigned)(place - UNITS + 1);
            unit++;
        }
        if (place && unit[0] == 'i' && unit[1] == 'B')
            unit += 2;
        else if (*unit == 'B')
            unit++;
        if (*unit)
            return -1;
    }
    errno = 0;
    unsigned long long number = strtoull(text, NULL, 10);
    if (errno || number > UINT64_MAX >> shift)
        return -1;
    *value = (uint64_t)number << shift;
    return 0;
}

/* ---- near misses --------------------------------------------------------------------------------
 */

enum { NEAREST_LENGTH = 48 }; /* bytes; a longer word is no typing error of an option's name */

/* Edits (insert, drop, replace, swap of neighbours) from one word to the other; case does not
 * count. */
static size_t edits(const char *a, size_t a_len, const char *b, size_t b_len)
{
    size_t rows[3][NEAREST_LENGTH + 1];
    for (size_t j = 0; j <= b_len; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= a_len; i++) {
        size_t *now = rows[i % 3];
        const size_t *before = rows[(i + 2) % 3], *earlier = rows[(i + 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= b_len; j++) {
            size_t best = before[j - 1] + ((a[i - 1] | 0x20) != (b[j - 1] | 0x20));
            if (before[j] + 1 < best)
                best = before[j] + 1;
            if (now[j - 1] + 1 < best)
                best = now[j - 1] + 1;
            bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped && earlier[j - 2] + 1 < best)
                best = earlier[j - 2] + 1;
            now[j] = best;
        }
    }
    return rows[a_len % 3][b_len];
}

const char *option_nearest(const char *typed, const char *const *names, size_t count)
{
    size_t typed_len = strlen(typed);
    const char *nearest = NULL;
    size_t best = SIZE_MAX;
    if (typed_len == 0 || typed_len > NEAREST_LENGTH)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        size_t len = strlen(names[i]);
        if (len == 0 || len > NEAREST_LENGTH)
            continue;
        size_t distance = edits(typed, typed_len, names[i], len);
        /* A third of the letters may be wrong, or what was typed is the beginning of a longer name.
         */
        bool beginning = typed_len >= 2 && strncmp(typed, names[i], typed_len) == 0;
        if (beginning && distance > 1)
            distance = 1;
        size_t longer = typed_len > len ? typed_len : len;
        size_t limit = (longer + 1) / 3;
        if (distance <= limit && distance < best) {
            best = distance;
            nearest = names[i];
        }
    }
    return nearest;
}

/* ---- one option ---------------------------------------------------------------------------------
 */

struct parse {
    const struct command *command;
    char *values; /* the caller's options struct */
    struct error *error;
};

/* How messages name the option: as it was typed. */
struct spelling {
    char text[NEAREST_LENGTH + 16];
};

static struct spelling spelling_long(const struct option *option)
{
    struct spelling s;
    snprintf(s.text, sizeof s.text, "--%s", option->name);
    return s;
}

static const char *program_of(const struct command *command, struct buf *scratch)
{
    buf_clear(scratch);
    if (!options_is_program(command))
        buf_format(scratch, "%s ", log_program());
    buf_text(scratch, command->name);
    return buf_cstr(scratch);
}

static int unknown_option(const struct parse *p, const char *typed, const char *name)
{
    const char *names[256];
    size_t count = 0;
    const struct option *o;
    for (size_t i = 0; count < sizeof names / sizeof *names && (o = options_at(p->command, i)); i++)
        names[count++] = o->name;
    const char *near = option_nearest(name, names, count);
    struct buf full = {0};
    int code = error_set(p->error, ERROR_USAGE, "%s is no option of %s%s%s%s (--help lists them)",
                         typed, program_of(p->command, &full), near ? "; did you mean --" : "",
                         near ? near : "", near ? "?" : "");
    buf_free(&full);
    return code;
}

static bool in_range(const struct option *o, double value)
{
    bool any = o->min == 0 && o->max == 0;
    return any || (value >= o->min && (o->max < o->min || value <= o->max));
}

static int out_of_range(const struct parse *p, const struct option *o, const char *spelling,
                        const char *text)
{
    bool open =
        o->max < o->min || o->max >= 1e15; /* beyond what anyone types: a limit in name only */
    if (open)
        return error_set(p->error, ERROR_USAGE, "%s is %s; it must be at least %.12g", spelling,
                         text, o->min);
    return error_set(p->error, ERROR_USAGE, "%s is %s; it must be from %.12g to %.12g", spelling,
                     text, o->min, o->max);
}

static int bad_choice(const struct parse *p, const struct option *o, const char *spelling,
                      const char *text)
{
    struct buf list = {0}, copy = {0};
    const char *names[64];
    size_t count = 0;
    buf_text(&copy, o->choices);
    buf_cstr(&copy);
    char *save = NULL;
    for (char *name = strtok_r(copy.data, "|", &save); name && count < sizeof names / sizeof *names;
         name = strtok_r(NULL, "|", &save)) {
        names[count++] = name;
        buf_format(&list, "%s%s", list.len ? ", " : "", name);
    }
    const char *near = option_nearest(text, names, count);
    int code = error_set(p->error, ERROR_USAGE, "%s is \"%s\", not one of %s%s%s%s", spelling, text,
                         buf_cstr(&list), near ? "; did you mean " : "", near ? near : "",
                         near ? "?" : "");
    buf_free(&list);
    buf_free(&copy);
    return code;
}

static bool is_choice(const char *choices, const char *text)
{
    size_t len = strlen(text);
    for (const char *at = choices; *at; at += *at == '|') {
        size_t span = strcspn(at, "|");
        if (span == len && memcmp(at, text, len) == 0)
            return true;
        at += span;
    }
    return false;
}

static int store_number(const struct parse *p, const struct option *o, const char *spelling,
                        const char *text)
{
    void *place = p->values + o->offset;
    int64_t whole = 0;
    double real = 0;
    if (o->kind == OPTION_INT) {
        if (option_read_int(text, &whole) != 0)
            return error_set(p->error, ERROR_USAGE, "%s is \"%s\", not a whole number", spelling,
                             text);
        if (!in_range(o, (double)whole))
            return out_of_range(p, o, spelling, text);
        memcpy(place, &whole, sizeof whole);
        return 0;
    }
    if (option_read_real(text, &real) != 0)
        return error_set(p->error, ERROR_USAGE, "%s is \"%s\", not a number", spelling, text);
    if (!in_range(o, real))
        return out_of_range(p, o, spelling, text);
    memcpy(place, &real, sizeof real);
    return 0;
}

/* text is NULL for an option without a value. */
static int store(const struct parse *p, const struct option *o, const char *spelling,
                 const char *text)
{
    void *place = p->values + o->offset;
    switch (o->kind) {
    case OPTION_FLAG: *(bool *)place = !o->negative; break;
    case OPTION_CHOICE:
        if (!is_choice(o->choices, text))
            return bad_choice(p, o, spelling, text);
        *(const char **)place = text;
        break;
    case OPTION_TEXT:
    case OPTION_OPTIONAL: *(const char **)place = text ? text : ""; break;
    case OPTION_LIST: {
        struct option_list *list = place;
        list->items = mem_grow(list->items, &list->cap, list->count + 1, sizeof *list->items);
        list->items[list->count++] = text;
        break;
    }
    case OPTION_SIZE: {
        uint64_t size;
        if (option_read_size(text, &size) != 0)
            return error_set(p->error, ERROR_USAGE,
                             "%s is \"%s\", not a size; write bytes, or a number with K, M, G or T",
                             spelling, text);
        if (!in_range(o, (double)size))
            return out_of_range(p, o, spelling, text);
        memcpy(place, &size, sizeof size);
        break;
    }
    case OPTION_INT:
    case OPTION_REAL: {
        int code = store_number(p, o, spelling, text);
        if (code != 0)
            return code;
        break;
    }
    case OPTION_END: break;
    }
    if (o->seen)
        *(bool *)(p->values + o->seen) = true;
    return 0;
}

/* ---- the answers that every command gives -------------------------------------------------------
 */

static int print_answer(const struct command *command, enum option_own what, const char *shell,
                        struct error *error)
{
    struct buf out = {0};
    int code = 0;
    if (what == OPTION_OWN_HELP)
        options_help(command, &out);
    else if (what == OPTION_OWN_VERSION)
        buf_format(&out, "%s %s\n", options_is_program(command) ? command->name : log_program(),
                   WAI_VERSION);
    else
        code = options_completion(command, shell, &out, error);
    if (code == 0)
        code = file_write_all(STDOUT_FILENO, "standard output", buf_span(&out), error);
    buf_free(&out);
    return code == 0 ? OPTIONS_DONE : code;
}

static enum option_own own_of(const struct option *o)
{
    for (int i = 0; OPTIONS_OWN[i].kind != OPTION_END; i++)
        if (o == &OPTIONS_OWN[i])
            return (enum option_own)i;
    return OPTION_OWN_NONE;
}

/* Stores the value, or answers. OPTIONS_RUN, OPTIONS_DONE or a negative code. */
static int apply(const struct parse *p, const struct option *o, const char *spelling,
                 const char *text)
{
    enum option_own own = own_of(o);
    if (own == OPTION_OWN_NONE)
        return store(p, o, spelling, text);
    if (own == OPTION_OWN_COMPLETION && !is_choice(o->choices, text))
        return bad_choice(p, o, spelling, text);
    return print_answer(p->command, own, text, p->error);
}

/* ---- words --------------------------------------------------------------------------------------
 */

static int needs_value(const struct parse *p, const struct option *o, const char *spelling)
{
    return error_set(p->error, ERROR_USAGE, "%s needs a value: %s %s", spelling, spelling,
                     option_argument(o));
}

/* --name, --name=VALUE or --name VALUE at argv[*at]. */
static int parse_long(const struct parse *p, int argc, char **argv, int *at)
{
    const char *word = argv[*at] + 2;
    size_t len = strcspn(word, "=");
    const char *value = word[len] ? word + len + 1 : NULL;
    const struct option *o = NULL;
    for (size_t i = 0; (o = options_at(p->command, i)); i++)
        if (strlen(o->name) == len && memcmp(o->name, word, len) == 0)
            break;
    if (!o) {
        struct buf typed = {0};
        buf_format(&typed, "--%.*s", (int)(len > 200 ? 200 : len), word);
        int code = unknown_option(p, buf_cstr(&typed), typed.data + 2);
        buf_free(&typed);
        return code;
    }
    struct spelling spelling = spelling_long(o);
    if (!option_takes_value(o) && value)
        return error_set(p->error, ERROR_USAGE, "%s takes no value; write it alone", spelling.text);
    if (option_takes_value(o) && o->kind != OPTION_OPTIONAL && !value) {
        if (*at + 1 >= argc)
            return needs_value(p, o, spelling.text);
        value = argv[++*at];
    }
    return apply(p, o, spelling.text, value);
}

static const struct option *find_letter(const struct command *command, char letter)
{
    const struct option *o;
    for (size_t i = 0; (o = options_at(command, i)); i++)
        if (option_letter(command, o) == letter)
            return o;
    return NULL;
}

/* -q, -qv, -k4, -k 4 at argv[*at]. */
static int parse_short(const struct parse *p, int argc, char **argv, int *at)
{
    const char *word = argv[*at] + 1;
    for (const char *c = word; *c; c++) {
        const struct option *o = find_letter(p->command, *c);
        char spelling[8];
        int sequence = 1; /* bytes of the character */
        while (sequence < 4 && ((unsigned char)c[sequence] & 0xc0) == 0x80)
            sequence++;
        snprintf(spelling, sizeof spelling, "-%.*s", sequence, c);
        if (!o)
            return unknown_option(p, spelling, word);
        const char *value = NULL;
        if (option_takes_value(o)) {
            value = c[1] ? c + 1 : NULL;
            if (!value && o->kind != OPTION_OPTIONAL) {
                if (*at + 1 >= argc)
                    return needs_value(p, o, spelling);
                value = argv[++*at];
            }
        }
        int code = apply(p, o, spelling, value);
        if (code != OPTIONS_RUN || option_takes_value(o))
            return code;
    }
    return OPTIONS_RUN;
}

static void add_operand(struct operands *operands, const char *word)
{
    operands->items =
        mem_grow(operands->items, &operands->cap, operands->count + 1, sizeof *operands->items);
    operands->items[operands->count++] = word;
}

int options_parse(const struct command *command, int argc, char **argv, void *values,
                  struct operands *operands, struct error *error)
{
    struct parse p = {command, values, error};
    bool options_end = false;
    for (int at = 1; at < argc; at++) {
        const char *word = argv[at];
        int code = OPTIONS_RUN;
        if (options_end || word[0] != '-' || word[1] == '\0')
            add_operand(operands, word);
        else if (strcmp(word, "--") == 0)
            options_end = true;
        else if (word[1] == '-')
            code = parse_long(&p, argc, argv, &at);
        else
            code = parse_short(&p, argc, argv, &at);
        if (code != OPTIONS_RUN)
            return code;
    }
    return OPTIONS_RUN;
}

/* ---- verbs --------------------------------------------------------------------------------------
 */

static const struct command *find_verb(const struct command *command, const char *name)
{
    for (const struct command *v = command->verbs; v->name; v++)
        if (strcmp(v->name, name) == 0)
            return v;
    return NULL;
}

static int unknown_verb(const struct command *command, const char *typed, struct error *error)
{
    const char *names[64];
    size_t count = 0;
    struct buf list = {0};
    for (const struct command *v = command->verbs; v->name && count < sizeof names / sizeof *names;
         v++) {
        names[count++] = v->name;
        buf_format(&list, "%s%s", list.len ? ", " : "", v->name);
    }
    int code;
    const char *near = typed ? option_nearest(typed, names, count) : NULL;
    if (!typed)
        code =
            error_set(error, ERROR_USAGE, "say what to do: %s VERB, one of %s (--help tells more)",
                      command->name, buf_cstr(&list));
    else if (typed[0] == '-')
        code = error_set(error, ERROR_USAGE,
                         "%s stands before the verb; write %s VERB %s, VERB one of %s", typed,
                         command->name, typed, buf_cstr(&list));
    else if (near)
        code = error_set(error, ERROR_USAGE,
                         "%s is no verb of %s; did you mean %s? (--help lists them)", typed,
                         command->name, near);
    else
        code = error_set(error, ERROR_USAGE, "%s is no verb of %s; it is one of %s", typed,
                         command->name, buf_cstr(&list));
    buf_free(&list);
    return code;
}

/* A bare --help, --version, --completion SHELL in front of any verb. */
static int own_answer(const struct command *command, int argc, char **argv, struct error *error)
{
    struct command bare = *command;
    struct parse p = {&bare, NULL, error};
    const char *word = argv[1];
    int at = 1;
    if (strcmp(word, "-h") == 0)
        return print_answer(command, OPTION_OWN_HELP, NULL, error);
    for (size_t i = 0; OPTIONS_OWN[i].kind != OPTION_END; i++) {
        size_t len = strlen(OPTIONS_OWN[i].name);
        if (strncmp(word, "--", 2) == 0 && strncmp(word + 2, OPTIONS_OWN[i].name, len) == 0 &&
            (word[2 + len] == '\0' || word[2 + len] == '='))
            return parse_long(&p, argc, argv, &at);
    }
    return OPTIONS_RUN;
}

int options_verb(const struct command *command, int *argc, char ***argv,
                 const struct command **verb, struct error *error)
{
    const char *word = *argc > 1 ? (*argv)[1] : NULL;
    if (word && word[0] == '-') {
        int code = own_answer(command, *argc, *argv, error);
        if (code != OPTIONS_RUN)
            return code;
    }
    *verb = word ? find_verb(command, word) : NULL;
    if (*verb) {
        --*argc;
        ++*argv;
        return OPTIONS_RUN;
    }
    *verb = command->default_verb ? find_verb(command, command->default_verb)
            : command->options    ? command
                                  : NULL;
    return *verb ? OPTIONS_RUN : unknown_verb(command, word, error);
}

void option_list_free(struct option_list *list)
{
    free(list->items);
    *list = (struct option_list){0};
}

void operands_free(struct operands *operands)
{
    free(operands->items);
    *operands = (struct operands){0};
}
