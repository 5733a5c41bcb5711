/* rubric.h: criteria that a judge answers one by one, and the reward that its answers come to
 * (grade 13). Hard rules gate, principles add up, pitfalls take off. */
#ifndef WAI_GRADE_RUBRIC_H
#define WAI_GRADE_RUBRIC_H

#include "base/arena.h"
#include "base/error.h"
#include "grade/verdict.h"
#include "json/edit.h"
#include "json/write.h"

enum rubric_kind { RUBRIC_HARD, RUBRIC_PRINCIPLE, RUBRIC_PITFALL };

struct criterion {
    struct span title, description; /* trimmed */
    struct span slug;               /* a-z, 0-9, _; unlike any other of the rubric */
    double weight;                  /* above 0 */
    enum rubric_kind kind;
};

enum { RUBRIC_VERSION = 12 }; /* hex digits */

/* `struct rubric r = {0}` is empty. Texts live in the arena. */
struct rubric {
    struct criterion *items;
    size_t count, cap;
    char version[RUBRIC_VERSION + 1]; /* of the content */
    struct arena arena;
};

/* Prose, which a judge reads as it is, or criteria: by the name's ending (.json, .yaml, .yml). */
bool rubric_is_criteria(const char *path);

/* A JSON or YAML file as JSON text: YAML by way of a tree, JSON as it is, so that numbers keep their
 * text. */
int rubric_file(const char *path, struct buf *text, struct error *error);

/* A file of criteria: a list, or an object with one under `criteria`. ERROR_INPUT names the item. */
int rubric_read(struct rubric *r, const char *path, struct error *error);

/* The same from a value; name is for messages. r is cleared. */
int rubric_of_value(struct rubric *r, struct json_value value, const char *name,
                    struct error *error);
void rubric_free(struct rubric *r);

/* After a change of its criteria. */
void rubric_renew_version(struct rubric *r);

/* Adds the change of the row's privileged.rubric to edit. keep: a row that has one keeps it. */
void rubric_attach(const struct row *row, struct span rubric, bool keep, struct json_edit *edit);

/* The name that a criterion's title comes to; out is cleared. */
void rubric_slug(struct span text, struct buf *out);

const char *rubric_kind_name(enum rubric_kind kind); /* "hard", "principle", "pitfall" */

/* The criteria as a JSON array of {title, description, weight, kind}. */
void rubric_write(const struct rubric *r, struct json_writer *w);

enum rubric_answer { RUBRIC_UNANSWERED, RUBRIC_NO, RUBRIC_YES };

/* Answers keyed by number, slug or a part of it, or a list of {title, met|value}, over those that
 * are there: answers has r->count places. An answer that is no truth value (null, an object) is
 * none. */
void rubric_answers(const struct rubric *r, struct json_value criteria,
                    enum rubric_answer *answers);
size_t rubric_unanswered(const struct rubric *r, const enum rubric_answer *answers);

/* The verdict of the answers: reward, markers, judge_meta. given: the answers as they came, for
 * judge_meta.criteria (an object; text.ptr NULL: none). miss: what was not answered is not met, else
 * it leaves the row unjudged. Reason and other metadata of v stay; a reason is made when it has
 * none. */
void rubric_score(const struct rubric *r, const enum rubric_answer *answers,
                  struct json_value given, bool miss, struct verdict *v);

/* The checklist for a judge, a line per criterion: `1. [Hard rule, weight 1] title: description`. With
 * `only` those whose answer is missing. */
void rubric_checklist(const struct rubric *r, const enum rubric_answer *only, struct buf *out);

#endif
