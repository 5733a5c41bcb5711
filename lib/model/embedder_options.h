/* embedder_options.h: the options of a tool that compares texts by vectors, and the embedder with its client
 * and its recording that they come to. */
#ifndef WAI_MODEL_EMBEDDER_OPTIONS_H
#define WAI_MODEL_EMBEDDER_OPTIONS_H

#include "base/options.h"
#include "model/embedder.h"

struct embedder_options {
    const char *spec, *model, *record, *replay, *replay_miss;
};

/* clang-format off */
#define EMBEDDER_OPTIONS(type, field, what) \
    {.kind = OPTION_TEXT, .name = "embedder", .offset = offsetof(type, field.spec), .arg = "SPEC",     \
     .help = what},                                                                                    \
    {.kind = OPTION_TEXT, .name = "embed-model", .offset = offsetof(type, field.model), .arg = "NAME", \
     .help = "the model, for an --embedder that is an address"},                                       \
    {.kind = OPTION_TEXT, .name = "record", .offset = offsetof(type, field.record), .arg = "FILE", .file = true, \
     .help = "append every exchange with the embedder's server to FILE, for --replay"},                \
    {.kind = OPTION_TEXT, .name = "replay", .offset = offsetof(type, field.replay), .arg = "FILE", .file = true, \
     .help = "take the vectors from FILE, a recording; nothing is sent"},                              \
    {.kind = OPTION_CHOICE, .name = "replay-miss", .offset = offsetof(type, field.replay_miss), .choices = "fail|live", \
     .help = "a request that --replay has no reply for fails, or is sent (fail)"}
/* clang-format on */

/* `struct embedder_access a = {0}` is empty: embedder_access_close may follow. */
struct embedder_access {
    struct http_client *http;
    struct cassette *cassette;
    struct embedder *embedder; /* NULL: none was asked for */
};

/* 0; ERROR_USAGE (the spec, or an option without its own), ERROR_INPUT (a file), ERROR_REMOTE (no key),
 * ERROR_SYSTEM. */
int embedder_access_open(struct embedder_access *access, const struct embedder_options *options,
                         struct error *error);

/* 0, or ERROR_SYSTEM: the recording is not whole. */
int embedder_access_close(struct embedder_access *access, struct error *error);

#endif
