/* config_inside.h: what config*.c share. Not for other rooms. */
#ifndef WAI_EXPORT_CONFIG_INSIDE_H
#define WAI_EXPORT_CONFIG_INSIDE_H

#include <jansson.h>

#include "export/config.h"

/* A configuration in the making. */
struct config_work {
    const struct export_config_options *options;
    json_t *tree;      /* the file's keys, in order */
    json_t *honored;   /* our knob → where it stands */
    json_t *ignored;   /* KNOB=VALUE → why it has no home */
    struct buf *notes; /* warnings, a line each */
    const char *method;
    struct buf taskset; /* prime-rl: the environment's id */
    int64_t gpus_infer, gpus_train;
};

/* Puts value (its reference is taken) at a dotted path, making tables on the way. */
void config_put(json_t *tree, const char *path, json_t *value);
void config_honor(struct config_work *c, const char *knob, const char *where);
void config_ignore(struct config_work *c, const char *why, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The value of --learning-rate and the like, or the default where none was given (< 0). */
double config_real(double given, double otherwise);
int64_t config_int(int64_t given, int64_t otherwise);

/* "0.5,5.0": 0 < LO <= 1 <= HI. 0 or ERROR_USAGE. */
int config_ratio(const char *text, double *low, double *high, struct error *error);

/* The trainers. */
int config_prime(struct config_work *c, struct error *error);
int config_trl(struct config_work *c, struct error *error);

/* --set KEY=VALUE over the tree. prime: `source.` and its two kin are known. */
int config_overrides(struct config_work *c, bool prime, struct error *error);

/* The tree as a file's text. 0, or ERROR_USAGE for a value that the format has no form for. */
void config_toml(const json_t *tree, const char *const (*comments)[2], struct buf *out);
void config_toml_text(struct buf *out, const char *text, size_t len); /* a basic string */
void config_yaml(const json_t *tree, struct buf *out);

#endif
