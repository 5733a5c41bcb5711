/* math_parse.h: what math_parse.c (structure) and math_atoms.c (commands) share. */
#ifndef WAI_GRADE_MATH_PARSE_H
#define WAI_GRADE_MATH_PARSE_H

#include "grade/math_tree.h"

struct math_parser {
    struct math *m;
    struct span s;
    size_t at;
    int depth;
    bool in_bars;  /* a `|` closes */
    bool in_list;  /* a comma separates, whatever digits stand around it */
    bool no_calls; /* the argument of a function: the next function is no part of it */
};

/* ---- reading ----------------------------------------------------------------------------------- */

bool math_at(struct math_parser *p, const char *word);   /* blanks passed; a command ends as one */
bool math_take(struct math_parser *p, const char *word); /* the same, and moves behind it */
bool math_end(struct math_parser *p);
void math_skip_blank(struct math_parser *p);
size_t math_digits_at(struct math_parser *p, size_t at); /* how many stand there */
struct span math_braces(struct math_parser *p); /* inside of {…}, moved behind; ptr NULL: none */

/* ---- parts; NULL when none stands there -------------------------------------------------------- */

struct math_node *math_members(struct math_parser *p); /* a, b, … up to what closes: LIST or one */
struct math_node *math_relation_of(struct math_parser *p);
struct math_node *math_sum_of(struct math_parser *p);
struct math_node *math_factor(struct math_parser *p); /* an atom with its powers and marks */
struct math_node *math_factors(struct math_parser *p, struct math_node *first); /* side by side */
struct math_node *math_argument(struct math_parser *p); /* {…} or one digit, letter, command */
struct math_node *math_inside(struct math_parser *p, struct span text); /* all of text */

struct math_node *math_number_at(struct math_parser *p); /* digits; NULL: none */
struct math_node *math_command(struct math_parser *p);   /* \name … */
struct math_node *math_word(struct math_parser *p);      /* letters */
struct math_node *math_call_of(struct math_parser *p, enum math_function f); /* behind its name */
bool math_function_named(struct span name, enum math_function *f);

#endif
