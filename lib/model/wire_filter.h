/* wire_filter.h: what a provider would be sent, and what its reply is read as, line by line and without
 * a network (world 10.8): --wire and --wire-reply. */
#ifndef WAI_MODEL_WIRE_FILTER_H
#define WAI_MODEL_WIRE_FILTER_H

#include "row/reader.h"
#include "row/writer.h"

/* replies: lines {provider, body, logprobs?} to normalised replies; else {spec, messages, …} to
 * {method, url, headers, body}. */
int wire_filter(bool replies, const struct row_options *options, struct row_writer *writer,
                struct error *error);

#endif
