/* split.c: the hash split of tasks (rows 16). */
#include "row/split.h"

#include "text/digest.h"

double row_split_unit(struct span task_key)
{
    uint8_t digest[SHA256_BYTES];
    digest_sha256(task_key, digest);
    uint32_t head = (uint32_t)digest[0] << 24 | (uint32_t)digest[1] << 16 |
                    (uint32_t)digest[2] << 8 | digest[3];
    return (double)head / 4294967295.0;
}

bool row_split_held(struct span task_key, double share)
{
    return row_split_unit(task_key) < share;
}
