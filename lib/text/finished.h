/* finished.h: does a reply reach its end, or was it cut (grade 2.8). */
#ifndef WAI_TEXT_FINISHED_H
#define WAI_TEXT_FINISHED_H

#include "base/span.h"

/* Ends in a terminal mark, a closed code fence, an answer line or a sign-off. An empty text does
 * not. */
bool text_finished(struct span text);

#endif
