/* peers.c - the processes that mpirun or srun started, for common/train/peers.h */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/err.h"
#include "common/train/peers.h"
#include "mpi/launch.h"

enum { ROWS = 1, ARCS, TURN };          /* what a message is about */
enum { PIECE = SE_MPI_PIECE };

struct own {
    struct se_peers peers;
    MPI_Request *request;               /* two for each process */
};

static void send_to(const char *from, uint64_t bytes, int to, int tag)
{
    for (uint64_t at = 0; at < bytes; at += PIECE)
        MPI_Send(from + at, (int)(bytes - at < PIECE ? bytes - at : PIECE), MPI_BYTE, to, tag,
                 MPI_COMM_WORLD);
}

static void receive(char *to, uint64_t bytes, int from, int tag)
{
    for (uint64_t at = 0; at < bytes; at += PIECE)
        MPI_Recv(to + at, (int)(bytes - at < PIECE ? bytes - at : PIECE), MPI_BYTE, from, tag,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Items of `bytes` bytes each, chosen by `item`, to all others at once; theirs into `to` */
static void exchange(struct se_peers *p, const char *x, uint64_t bytes, const uint32_t *item,
                     const uint64_t *item_of, char *to, const uint64_t *to_of, int tag)
{
    struct own *o = p->own;
    const uint64_t items = item_of[p->ranks];
    char *out = se_mpi_room(items * bytes);
    MPI_Datatype type = se_mpi_items(bytes);
    int requests = 0;

    for (int r = 0; r < p->ranks; r++)
        if (to_of[r + 1] > to_of[r])
            MPI_Irecv(to + to_of[r] * bytes, (int)(to_of[r + 1] - to_of[r]), type, r, tag,
                      MPI_COMM_WORLD, &o->request[requests++]);
    for (uint64_t i = 0; i < items; i++)
        memcpy(out + i * bytes, x + item[i] * bytes, bytes);
    for (int r = 0; r < p->ranks; r++)
        if (item_of[r + 1] > item_of[r])
            MPI_Isend(out + item_of[r] * bytes, (int)(item_of[r + 1] - item_of[r]), type, r, tag,
                      MPI_COMM_WORLD, &o->request[requests++]);
    MPI_Waitall(requests, o->request, MPI_STATUSES_IGNORE);
    MPI_Type_free(&type);
    p->sent += items * bytes;
}

static void rows(struct se_peers *p, const struct se_links *l, const void *x, uint64_t bytes,
                 void *to)
{
    exchange(p, x, bytes, l->row, l->row_of, to, l->halo_of, ROWS);
}

static void arcs(struct se_peers *p, const struct se_links *l, const void *x, uint64_t bytes,
                 void *to)
{
    exchange(p, x, bytes, l->arc, l->arc_of, to, l->arc_of, ARCS);
}

static void take(struct se_peers *p, void *sum, uint64_t bytes)
{
    if (p->rank > 0)
        receive(sum, bytes, p->rank - 1, TURN);
}

static void pass(struct se_peers *p, const void *sum, uint64_t bytes)
{
    if (p->rank + 1 == p->ranks)
        return;
    send_to(sum, bytes, p->rank + 1, TURN);
    p->summed += bytes;
}

static void share(struct se_peers *p, void *sum, uint64_t bytes)
{
    for (uint64_t at = 0; at < bytes; at += PIECE)
        MPI_Bcast((char *)sum + at, (int)(bytes - at < PIECE ? bytes - at : PIECE), MPI_BYTE,
                  p->ranks - 1, MPI_COMM_WORLD);
    if (p->rank + 1 < p->ranks)
        p->summed += bytes;
}

static void count(struct se_peers *p, uint64_t *x, uint64_t numbers)
{
    (void)p;
    for (uint64_t at = 0; at < numbers; at += PIECE)
        MPI_Allreduce(MPI_IN_PLACE, x + at, (int)(numbers - at < PIECE ? numbers - at : PIECE),
                      MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
}

static void collect(struct se_peers *p, const void *own, uint64_t bytes, void *all)
{
    if (p->rank > 0) {
        send_to(own, (p->last - p->first) * bytes, 0, TURN);
        p->summed += (p->last - p->first) * bytes;
        return;
    }
    memcpy(all, own, p->last * bytes);
    for (int r = 1; r < p->ranks; r++) {
        const uint64_t first = se_peers_border(p->n, r, p->ranks);
        const uint64_t last = se_peers_border(p->n, r + 1, p->ranks);

        receive((char *)all + first * bytes, (last - first) * bytes, r, TURN);
    }
}

int se_peers_open(struct se_peers **p, int *argc, char ***argv, struct se_err *err)
{
    struct own *o = calloc(1, sizeof *o);
    int rank, ranks;

    se_mpi_begin(argc, argv, &rank, &ranks);
    if (!o)
        return se_fail(err, SE_EMEM, "out of memory");
    o->peers = (struct se_peers){ .rank = rank, .ranks = ranks, .own = o, .rows = rows,
                                  .arcs = arcs, .take = take, .pass = pass, .share = share,
                                  .count = count, .collect = collect };
    *p = &o->peers;
    o->request = calloc(2 * (size_t)ranks, sizeof *o->request);
    return o->request ? 0 : se_fail(err, SE_EMEM, "out of memory");
}

void se_peers_close(struct se_peers *p, int status)
{
    se_mpi_end(p ? p->rank : 0, p ? p->ranks : 2, status);
    if (p) {
        struct own *o = p->own;

        free(o->request);
        free(o);
    }
}
