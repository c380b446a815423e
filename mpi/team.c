/* team.c - the processes that mpirun or srun started, for common/tree/dist.h */
#include "mpi/team.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/launch.h"

enum { ITEMS = 1 };

static int length(uint64_t items)
{
    if (items > INT_MAX)
        se_mpi_give_up("more than 2^31 items for one process; use more processes");
    return (int)items;
}

static void swap(struct se_team *t, const void *out, const uint64_t *out_of, void *in,
                 const uint64_t *in_of, uint64_t bytes)
{
    MPI_Request *request = t->own;
    MPI_Datatype type = se_mpi_items(bytes);
    int requests = 0;

    for (int r = 0; r < t->ranks; r++)
        if (r != t->rank && in_of[r + 1] > in_of[r])
            MPI_Irecv((char *)in + in_of[r] * bytes, length(in_of[r + 1] - in_of[r]), type, r,
                      ITEMS, MPI_COMM_WORLD, &request[requests++]);
    for (int r = 0; r < t->ranks; r++)
        if (r != t->rank && out_of[r + 1] > out_of[r]) {
            MPI_Isend((const char *)out + out_of[r] * bytes, length(out_of[r + 1] - out_of[r]),
                      type, r, ITEMS, MPI_COMM_WORLD, &request[requests++]);
            t->sent += (out_of[r + 1] - out_of[r]) * bytes;
        }
    if (out_of[t->rank + 1] > out_of[t->rank])
        memcpy((char *)in + in_of[t->rank] * bytes, (const char *)out + out_of[t->rank] * bytes,
               (out_of[t->rank + 1] - out_of[t->rank]) * bytes);
    MPI_Waitall(requests, request, MPI_STATUSES_IGNORE);
    MPI_Type_free(&type);
}

static void reduce(struct se_team *t, double *x, uint64_t count, MPI_Op op)
{
    (void)t;
    MPI_Allreduce(MPI_IN_PLACE, x, length(count), MPI_DOUBLE, op, MPI_COMM_WORLD);
}

static void sum(struct se_team *t, double *x, uint64_t count)
{
    reduce(t, x, count, MPI_SUM);
}

static void most(struct se_team *t, double *x, uint64_t count)
{
    reduce(t, x, count, MPI_MAX);
}

static void tell(struct se_team *t, void *x, uint64_t bytes)
{
    (void)t;
    MPI_Bcast(x, length(bytes), MPI_BYTE, 0, MPI_COMM_WORLD);
}

void se_team_open(struct se_team *t, int *argc, char ***argv)
{
    *t = (struct se_team){ .swap = swap, .sum = sum, .most = most, .tell = tell };
    se_mpi_begin(argc, argv, &t->rank, &t->ranks);
    t->own = calloc(2 * (size_t)t->ranks, sizeof(MPI_Request));
    if (!t->own)
        se_mpi_give_up("out of memory");
}

void se_team_close(struct se_team *t, int status)
{
    se_mpi_end(t->rank, t->ranks, status);
    free(t->own);
}
