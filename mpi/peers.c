/* peers.c - the processes that mpirun or srun started, for common/train/peers.h */
#include <fcntl.h>
#include <limits.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/base/err.h"
#include "common/train/peers.h"

enum { ROWS = 1, ARCS, TURN };          /* what a message is about */
enum { PIECE = 1 << 30 };               /* lengths of messages are ints */

struct own {
    struct se_peers peers;
    char *out;                          /* what is sent, packed */
    uint64_t room;
    MPI_Request *request;               /* two for each process */
    int spoken, errors;                 /* where messages of this process wait; the real stderr */
};

/* Without memory for a message nothing can go on, and the others wait for it. */
static void give_up(const char *why)
{
    fprintf(stderr, "se-train-mpi: %s\n", why);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static char *packing_room(struct own *o, uint64_t bytes)
{
    if (bytes > o->room) {
        free(o->out);
        o->out = malloc(bytes);
        o->room = bytes;
        if (!o->out)
            give_up("out of memory for messages; use more processes");
    }
    return o->out;
}

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
    char *out = packing_room(o, items * bytes);
    MPI_Datatype type;
    int requests = 0;

    MPI_Type_contiguous((int)bytes, MPI_BYTE, &type);
    MPI_Type_commit(&type);
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
    if (p->rank + 1 < p->ranks)
        send_to(sum, bytes, p->rank + 1, TURN);
}

static void share(struct se_peers *p, void *sum, uint64_t bytes)
{
    for (uint64_t at = 0; at < bytes; at += PIECE)
        MPI_Bcast((char *)sum + at, (int)(bytes - at < PIECE ? bytes - at : PIECE), MPI_BYTE,
                  p->ranks - 1, MPI_COMM_WORLD);
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
        return;
    }
    memcpy(all, own, p->last * bytes);
    for (int r = 1; r < p->ranks; r++) {
        const uint64_t first = se_peers_border(p->n, r, p->ranks);
        const uint64_t last = se_peers_border(p->n, r + 1, p->ranks);

        receive((char *)all + first * bytes, (last - first) * bytes, r, TURN);
    }
}

/* All processes find the same faults, and the first one speaks for them.  What others say waits in
 * memory until it is known that they fail alone. */
static void be_quiet(struct own *o)
{
    o->spoken = memfd_create("stderr", MFD_CLOEXEC);
    o->errors = o->spoken < 0 ? -1 : fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    if (o->errors >= 0)
        dup2(o->spoken, STDERR_FILENO);
}

static void speak(const struct own *o)
{
    char text[4096];
    ssize_t some;

    if (o->errors < 0)
        return;
    fflush(stderr);
    for (off_t at = 0; (some = pread(o->spoken, text, sizeof text, at)) > 0; at += some)
        if (write(o->errors, text, (size_t)some) != some)
            return;
}

int se_peers_open(struct se_peers **p, int *argc, char ***argv, struct se_err *err)
{
    struct own *o = calloc(1, sizeof *o);

    MPI_Init(argc, argv);
    if (!o)
        return se_fail(err, SE_EMEM, "out of memory");
    o->peers = (struct se_peers){ .own = o, .rows = rows, .arcs = arcs, .take = take, .pass = pass,
                                  .share = share, .count = count, .collect = collect };
    o->spoken = o->errors = -1;
    *p = &o->peers;
    MPI_Comm_rank(MPI_COMM_WORLD, &o->peers.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &o->peers.ranks);
    o->request = calloc(2 * (size_t)o->peers.ranks, sizeof *o->request);
    if (!o->request)
        return se_fail(err, SE_EMEM, "out of memory");
    if (o->peers.rank > 0)
        be_quiet(o);
    return 0;
}

/* One that failed ends all, which may be waiting for it.  The first process comes first. */
void se_peers_close(struct se_peers *p, int status)
{
    enum { FIRST_SPEAKS = 500000 };

    if (status != 0 && p && p->rank > 0) {
        usleep(FIRST_SPEAKS);
        speak(p->own);
    }
    if (status != 0 && p && p->ranks > 1)
        MPI_Abort(MPI_COMM_WORLD, status);
    MPI_Finalize();
    if (p) {
        struct own *o = p->own;

        free(o->out);
        free(o->request);
        free(o);
    }
}
