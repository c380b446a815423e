/* dist_team.c - messages between the processes that search a tree */
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/tree/dist_workings.h"

int se_team_send(struct se_team *t, const void *out, const uint64_t *out_of, void **in,
                 uint64_t *in_of, uint64_t bytes, struct se_err *err)
{
    const uint64_t ranks = (uint64_t)t->ranks;
    uint64_t *count = se_alloc(3 * ranks + 1, sizeof *count, err);
    uint64_t *theirs, *one;

    *in = NULL;
    if (!count)
        return -1;
    theirs = count + ranks;
    one = theirs + ranks;
    for (uint64_t r = 0; r <= ranks; r++)
        one[r] = r;
    for (uint64_t r = 0; r < ranks; r++)
        count[r] = out_of[r + 1] - out_of[r];
    t->swap(t, count, one, theirs, one, sizeof *count);
    in_of[0] = 0;
    for (uint64_t r = 0; r < ranks; r++)
        in_of[r + 1] = in_of[r] + theirs[r];
    free(count);
    *in = se_alloc(in_of[ranks], bytes, err);
    if (!*in)
        return -1;
    t->swap(t, out, out_of, *in, in_of, bytes);
    return 0;
}

int se_team_collect(struct se_team *t, const void *own, uint64_t count, uint64_t bytes, void **all,
                    struct se_err *err)
{
    const uint64_t ranks = (uint64_t)t->ranks;
    uint64_t *of = se_alloc(2 * (ranks + 1), sizeof *of, err);
    int rc;

    if (!of)
        return -1;
    of[0] = 0;
    for (uint64_t r = 1; r <= ranks; r++)
        of[r] = count;
    rc = se_team_send(t, own, of, all, of + ranks + 1, bytes, err);
    free(of);
    if (rc == 0 && t->rank > 0) {
        free(*all);
        *all = NULL;
    }
    return rc;
}

int se_team_owner(const uint64_t *border, int ranks, uint64_t item)
{
    int low = 0, high = ranks - 1;

    while (low < high) {
        const int mid = (low + high) / 2;

        if (item < border[mid + 1])
            high = mid;
        else
            low = mid + 1;
    }
    return low;
}

void se_team_sort(const uint64_t *border, int ranks, const uint32_t *id, uint64_t count,
                  uint64_t *of, uint32_t *place)
{
    memset(of, 0, ((uint64_t)ranks + 1) * sizeof *of);
    for (uint64_t i = 0; i < count; i++)
        of[se_team_owner(border, ranks, id[i])]++;
    for (int r = ranks; r-- > 0;)
        of[r + 1] = of[r];
    of[0] = 0;
    for (int r = 0; r < ranks; r++)
        of[r + 1] += of[r];
    for (uint64_t i = 0; i < count; i++)
        place[of[se_team_owner(border, ranks, id[i])]++] = (uint32_t)i;
    for (int r = ranks; r > 0; r--)
        of[r] = of[r - 1];
    of[0] = 0;
}
