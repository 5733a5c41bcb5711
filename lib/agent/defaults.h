/* defaults.h: numbers of the agents, with unit and source. */
#ifndef WAI_AGENT_DEFAULTS_H
#define WAI_AGENT_DEFAULTS_H

#define AGENT_SEEDED_RATE 0.35 /* share of rollouts with a planted behaviour (world 1.1) */
#define AGENT_SEEDED_SEED 0

#endif
