/* defaults.h: the numbers of export, each with its unit and its source. */
#ifndef WAI_EXPORT_DEFAULTS_H
#define WAI_EXPORT_DEFAULTS_H

#define EXPORT_DECODES        3 /* times JSON text inside JSON text is decoded (select 13.1) */
#define EXPORT_HASH_HEX       12 /* characters of a SHA-1 that name a group or a prompt (select 13.1) */
#define EXPORT_PASS           0.5 /* reward; a row at or above it counts as passing (select 13.3) */
#define EXPORT_BAD_ROWS_SHOWN 20  /* rows with broken calls that a report names (select 13.3) */
#define EXPORT_LEAKS_SHOWN    20  /* leaked rows that a report names (select 2.1) */
#define EXPORT_LONGER_SHARE \
    0.75 /* share of pairs with the longer side chosen: a confound (select 5.1) */
#define EXPORT_LONGER_PAIRS     8 /* pairs from which that share says something */
#define EXPORT_LONGER_PAIRS_ALL 3 /* pairs, when it is all of them */

#define EXPORT_REPORT_MAX ((size_t)16 << 20) /* bytes of an earlier step's report */
#define EXPORT_HASH_BLOCK (1 << 16)          /* bytes read at once when a file is hashed */

#endif
