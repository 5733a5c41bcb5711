/* graded.h: what a grading run tells people at its end: the pass rate with its interval, what was scored,
 * why rows failed, what makes the numbers doubtful, whether the judge agrees with people (grade 14.9, 19). */
#ifndef WAI_GUARD_GRADED_H
#define WAI_GUARD_GRADED_H

#include "grade/run.h"
#include "guard/label_trust.h"

struct graded;

/* trust: hold the verdicts against people's labels. */
struct graded *graded_new(bool trust);
void graded_free(struct graded *g);

void graded_row(struct graded *g, const struct row *row); /* as it leaves */

/* One screen, line by line; scorer NULL: none. checklist: say whether outcomes were checked. */
struct graded_lines {
    void (*note)(const char *text); /* NULL: nobody wants notes */
    void (*warning)(const char *text);
};
void graded_tell(const struct graded *g, const struct grade_run *run, const struct scorer *scorer,
                 bool checklist, const struct graded_lines *lines);

/* The report's member `trust`, when it is held. */
void graded_report(const struct graded *g, struct json_writer *w);

/* Why the judge is not to be trusted; false: it is, or that was not asked. out is cleared. */
bool graded_doubt(const struct graded *g, struct buf *out);

#endif
