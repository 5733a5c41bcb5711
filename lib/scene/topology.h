/* topology.h: how many situations, wordings and rollouts a mode means (situations 4). */
#ifndef WAI_SCENE_TOPOLOGY_H
#define WAI_SCENE_TOPOLOGY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/span.h"

enum run_mode { MODE_EXPLORE, MODE_SFT, MODE_RL, MODE_ADAPTIVE };
enum repeat_policy { REPEAT_NONE, REPEAT_ADAPTIVE, REPEAT_SUCCESSIVE, REPEAT_FIXED };

/* What the user said; absent numbers are 0 with has_ false. */
struct topology_wish {
    const char *mode;   /* NULL or empty: explore */
    const char *policy; /* NULL or empty: the mode's */
    bool unique;
    bool has_phrasings, has_repeats, has_fault_rate;
    int64_t phrasings, repeats;
    double fault_rate;
    int64_t probe;
    double time_budget; /* seconds; 0: none */
    bool saturation;    /* --until saturation */
};

struct topology {
    enum run_mode mode;
    enum repeat_policy policy; /* as resolved; first_batch says what is done in mode sft */
    int64_t phrasings, repeats;
    bool unique;
    bool immediate; /* all repeats of a prompt at once */
    int64_t probe;  /* size of a first batch under the successive policy */
    double fault_rate;
    bool fixed_instead; /* mode sft without a policy of the user's: every prompt gets all its
                           repeats */
};

int topology_resolve(const struct topology_wish *wish, struct topology *out, struct error *error);
const char *run_mode_name(enum run_mode mode);
const char *repeat_policy_name(enum repeat_policy policy);

/* First rollouts of a new prompt. */
int64_t topology_first_batch(const struct topology *t);

/* Does a fault cell keep its plan? key is the scenario's id, so that wording does not move faults
 * (situations 16). */
bool scene_keeps_fault(int64_t seed, struct span key, double rate);

#endif
