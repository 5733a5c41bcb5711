/* model_options.h: what every tool that asks models has in common: the options for recordings and
 * money, and the client, cassette, budget and roles that they come to. A tool adds its own options
 * for which model and how it is asked. */
#ifndef WAI_MODEL_MODEL_OPTIONS_H
#define WAI_MODEL_MODEL_OPTIONS_H

#include "base/options.h"
#include "model/chat.h"

struct model_options {
    const char *record, *replay, *replay_miss, *price;
    double max_cost;
    bool max_cost_given;
};

/* clang-format off */
#define MODEL_OPTIONS(type, field) \
    {.kind = OPTION_TEXT, .name = "record", .offset = offsetof(type, field.record), .arg = "FILE", .file = true, \
     .help = "append every exchange with a model to FILE, for --replay"},                           \
    {.kind = OPTION_TEXT, .name = "replay", .offset = offsetof(type, field.replay), .arg = "FILE", .file = true, \
     .help = "take the models' replies from FILE, a recording; nothing is sent"},                   \
    {.kind = OPTION_CHOICE, .name = "replay-miss", .offset = offsetof(type, field.replay_miss), .choices = "fail|live", \
     .help = "a request that --replay has no reply for fails, or is sent (fail)"},                  \
    {.kind = OPTION_TEXT, .name = "price", .offset = offsetof(type, field.price), .arg = "IN,OUT",  \
     .help = "money per million tokens of input and of output; the report gets a cost"},            \
    {.kind = OPTION_REAL, .name = "max-cost", .offset = offsetof(type, field.max_cost), .arg = "MONEY", .min = 0, .max = 1e12, \
     .seen = offsetof(type, field.max_cost_given),                                                  \
     .help = "calls that would bring the cost over MONEY are not made (needs --price)"}
/* clang-format on */

/* What the options come to. `struct model_access a = {0}` is empty: model_access_close may follow. */
struct model_access {
    struct http_client *http; /* NULL: nothing may be sent */
    struct cassette *cassette;
    struct budget *budget; /* never NULL once open: it counts without a price, too */
    struct model_roles roles;
    bool priced;
};

/* in_flight: the most calls at one time. 0; ERROR_USAGE (a price that is none, options without
 * theirs), ERROR_INPUT (wai.yaml, the recording), ERROR_SYSTEM. */
int model_access_open(struct model_access *access, const struct model_options *options,
                      int in_flight, struct error *error);

/* Settings for model_open: the tool fills in what is its own. */
struct model_settings model_access_settings(const struct model_access *access);

/* 0, or ERROR_SYSTEM: the recording is not whole. */
int model_access_close(struct model_access *access, struct error *error);

/* Members for a report's object: `usage` {calls, input_tokens, output_tokens, calls_without_usage},
 * and `cost` with a price. */
void model_access_report(const struct model_access *access, struct json_writer *w);

#endif
