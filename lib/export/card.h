/* card.h: the data card beside an exported file: a page for people that says what went in, what
 * each gate dropped, and the hash of both (after "Data Cards", Pushkarna
 * et al. 2022, arXiv:2204.01075, as far as a program knows).
 *
 * The hash of what went in is the SHA-256 of the rows as read, a newline behind each: for plain
 * files whose lines are all good, `cat FILE... | sha256sum`. That of what came out is the file's. */
#ifndef WAI_EXPORT_CARD_H
#define WAI_EXPORT_CARD_H

#include "base/options.h"
#include "row/filter.h"
#include "text/digest.h"
#include "json/scan.h"

/* What is counted while rows are read. */
struct export_card_input {
    struct digest_stream digest;
    uint64_t rows, bytes;
};

void export_card_start(struct export_card_input *input);
void export_card_row(struct export_card_input *input, const struct row *row);

struct export_card {
    const char *output;         /* the file */
    const char *path;           /* where the card goes; NULL: output + ".card.md" */
    const char *const *sources; /* operands as named; none: standard input */
    size_t n_sources;
    uint64_t bad; /* lines that on_bad left out */
    struct export_card_input *input;
    struct span report; /* the export's own report, a JSON object */
    struct span steps;  /* export_card_steps; may be empty */
};

/* The part on earlier steps, from the reports they wrote: ERROR_INPUT when one is no JSON object. */
int export_card_steps(const struct option_list *reports, struct buf *out, struct error *error);

/* Writes the card. Nothing is written when output is no regular file (/dev/null, a pipe). */
int export_card_write(const struct export_card *card, struct error *error);

#endif
