/* cluster.c: the error of a mean over tasks that come in groups (several questions about one passage,
 * several tasks of one repository): the sandwich variance that Miller 2024, "Adding error bars to
 * evals", arXiv:2411.00640, takes for evals (Liang & Zeger 1986), with the factor
 * G / (G - 1) for few clusters. With every task a cluster of its own it is sd / sqrt(n) exactly. */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "stat/stat.h"

struct clustered stat_clustered(const double *values, const size_t *clusters, size_t n,
                                size_t n_clusters, double level)
{
    struct clustered out = {NAN, INTERVAL_NONE};
    if (n_clusters < 2)
        return out;
    double mean = stat_mean(values, n), squares = 0.0, groups = (double)n_clusters;
    double *sums = mem_zero(n_clusters, sizeof *sums); /* of what lies above the mean */
    for (size_t i = 0; i < n; i++)
        sums[clusters[i]] += values[i] - mean;
    for (size_t c = 0; c < n_clusters; c++)
        squares += sums[c] * sums[c];
    free(sums);
    out.se = sqrt(groups / (groups - 1.0) * squares) / (double)n;
    if (n_clusters >= STAT_INTERVAL_VALUES) {
        double half = stat_t_quantile(groups - 1.0, level) * out.se;
        out.ci95 = (struct interval){mean - half, mean + half};
    }
    return out;
}
