/* groups.c: see groups.h. */
#include "scene/groups.h"

#include <stdio.h>
#include <stdlib.h>

void succession_open(struct succession *s, int64_t k, int64_t probe, double smoothing)
{
    *s = (struct succession){.k = k, .probe = probe < k ? probe : k, .smoothing = smoothing};
    s->seen = mem_zero((size_t)k + 1, sizeof *s->seen);
    s->split = mem_zero((size_t)k + 1, sizeof *s->split);
}

void succession_close(struct succession *s)
{
    free(s->seen);
    free(s->split);
}

/* Without a pseudo-count nothing is known yet: half. */
static double smoothed(double hits, double tries, double smoothing)
{
    double all = tries + 2 * smoothing;
    return all > 0 ? (hits + smoothing) / all : 0.5;
}

double succession_rate(const struct succession *s)
{
    return smoothed((double)s->mixed, (double)s->probed, s->smoothing);
}

double succession_hazard(const struct succession *s, int64_t n)
{
    double prior = smoothed(0, (double)n, s->smoothing);
    return ((double)s->split[n] + prior) / ((double)s->seen[n] + 1);
}

int64_t succession_landed(struct succession *s, struct group *g, const char *label, bool truncated,
                          bool fresh)
{
    bool unanimous = g->labels >= 1 && !g->mixed;
    int64_t before = g->labels;
    if (truncated) {
        g->truncated++;
    } else if (g->labels++ == 0) {
        snprintf(g->first_label, sizeof g->first_label, "%s", label);
    } else if (strcmp(label, g->first_label) != 0 && !g->mixed) {
        g->mixed = true;
        s->mixed++;
    }
    int64_t n = g->labels + g->truncated;
    if (unanimous && before >= s->probe && !truncated) {
        s->seen[before]++;
        s->split[before] += g->mixed;
    }
    if (n == s->probe)
        s->probed++;
    if (g->mixed) {
        g->state = n >= s->k ? GROUP_COMPLETE : GROUP_MIXED;
        return s->k - g->scheduled;
    }
    if (g->scheduled >= s->k) {
        if (n >= s->k)
            g->state = GROUP_COMPLETE;
        return g->queued;
    }
    if (n < g->scheduled)
        return g->queued;
    if (!fresh || succession_hazard(s, n) > succession_rate(s) / (double)s->probe) {
        g->state = GROUP_PROBING;
        return 1;
    }
    g->state = GROUP_STOPPED;
    return 0;
}

/* What a group is in the report (situations 8.6). */
static enum group_state outcome(const struct group *g, int64_t k)
{
    if (g->mixed)
        return g->landed >= k ? GROUP_MIXED : GROUP_OPEN;
    if (g->state == GROUP_STOPPED)
        return GROUP_STOPPED;
    return g->landed >= k ? GROUP_COMPLETE : GROUP_OPEN;
}

bool group_is_cut(const struct group *g, int64_t k)
{
    return outcome(g, k) == GROUP_OPEN;
}

void group_counts_add(struct group_counts *c, const struct group *g, int64_t k)
{
    if (g->landed == 0)
        return;
    enum group_state state = outcome(g, k);
    c->groups++;
    c->mixed += state == GROUP_MIXED;
    c->stopped += state == GROUP_STOPPED;
    c->complete += state == GROUP_COMPLETE;
    c->partial += state == GROUP_OPEN;
    c->truncated += g->truncated;
    if (state == GROUP_STOPPED && g->landed < k)
        c->saved += k - g->landed;
}

void group_free(struct group *g)
{
    for (size_t i = 0; i < g->n_kept; i++)
        free(g->kept[i].line);
    free(g->kept);
}
