/* placement.c - the memory of a net, its graph and its input: ours, or that of a device */
#include "common/device/device.h"

#include <inttypes.h>
#include <stdlib.h>

#include "common/base/mem.h"
#include "common/train/peers.h"

void se_net_on(struct se_net *net, const struct se_gpu *gpu)
{
    net->cpu.threads = net->threads;
    net->ops = gpu ? &gpu->cuda->ops : &se_cpu_ops;
    net->worker = gpu ? gpu->device : &net->cpu;
}

int se_net_check(const struct se_net *net, struct se_err *err)
{
    const char *why = net->ops->failed(net->worker);

    return why ? se_fail(err, SE_EDEVICE, "device: %s; use --device cpu", why) : 0;
}

void *se_net_alloc(const struct se_net *net, uint64_t count, size_t size, struct se_err *err)
{
    uint64_t bytes;
    void *p = NULL;

    if (!__builtin_mul_overflow(count, size, &bytes)) {
        if (net->worker == &net->cpu && se_memory_check(bytes, err) < 0)
            return NULL;
        p = net->ops->alloc(net->worker, bytes);
    }
    if (!p && se_net_check(net, err) == 0)
        se_fail(err, SE_EMEM, "out of memory (%" PRIu64 " more numbers needed)", count);
    return p;
}

void se_net_free(const struct se_net *net, void *p)
{
    net->ops->free(net->worker, p);
}

void se_net_put(const struct se_net *net, void *to, const void *from, uint64_t bytes)
{
    net->ops->put(net->worker, to, from, bytes);
}

void se_net_get(const struct se_net *net, void *to, const void *from, uint64_t bytes)
{
    net->ops->get(net->worker, to, from, bytes);
}

void se_net_copy(const struct se_net *net, void *to, const void *from, uint64_t bytes)
{
    net->ops->copy(net->worker, to, from, bytes);
}

void se_net_clear(const struct se_net *net, void *p, uint64_t bytes)
{
    net->ops->clear(net->worker, p, bytes);
}

void *se_net_place(const struct se_net *net, const void *from, uint64_t count, size_t size,
                   struct se_err *err)
{
    void *p = se_net_alloc(net, count, size, err);

    if (p)
        se_net_put(net, p, from, count * size);
    return p;
}

/* ---- graph and input on the device ---- */

static int place_graph(const struct se_net *net, struct se_nngraph *x,
                       const struct se_nngraph *from, struct se_err *err)
{
    const uint64_t n = from->n, arcs = from->arcs;

    x->n = n;
    x->arcs = arcs;
    return (x->off = se_net_place(net, from->off, n + 1, sizeof *x->off, err)) &&
           (x->weight = se_net_place(net, from->weight, arcs, sizeof *x->weight, err)) &&
           (x->to = se_net_place(net, from->to, arcs, sizeof *x->to, err)) &&
           (x->back = se_net_place(net, from->back, arcs, sizeof *x->back, err)) &&
           (x->norm = se_net_place(net, from->norm, arcs, sizeof *x->norm, err)) &&
           (x->mean = se_net_place(net, from->mean, arcs, sizeof *x->mean, err)) &&
           (x->apart = se_net_place(net, from->apart, arcs, sizeof *x->apart, err)) ? 0 : -1;
}

static int place_sparse(const struct se_net *net, struct se_sparse *x,
                        const struct se_sparse *from, struct se_err *err)
{
    const uint64_t nnz = from->nnz;

    x->rows = from->rows;
    x->cols = from->cols;
    x->nnz = nnz;
    return (x->off = se_net_place(net, from->off, x->rows + 1, sizeof *x->off, err)) &&
           (x->col = se_net_place(net, from->col, nnz, sizeof *x->col, err)) &&
           (x->value = se_net_place(net, from->value, nnz, sizeof *x->value, err)) &&
           (x->toff = se_net_place(net, from->toff, x->cols + 1, sizeof *x->toff, err)) &&
           (x->trow = se_net_place(net, from->trow, nnz, sizeof *x->trow, err)) &&
           (x->tentry = se_net_place(net, from->tentry, nnz, sizeof *x->tentry, err)) ? 0 : -1;
}

/* A copy that takes the place of what it was made of */
static void *move_array(const struct se_net *net, void *from, uint64_t count, size_t size,
                        struct se_err *err)
{
    void *copy = se_net_place(net, from, count, size, err);

    free(from);
    return copy;
}

static int place_divided(const struct se_net *net, struct se_divided *d, struct se_err *err)
{
    const uint64_t n = d->n, cells = n * SE_PARTS, arcs = d->arcs;

    d->placed = true;
    d->off = move_array(net, d->off, n + 1, sizeof *d->off, err);
    d->cell = move_array(net, d->cell, cells + 1, sizeof *d->cell, err);
    d->from = move_array(net, d->from, arcs, sizeof *d->from, err);
    d->norm = move_array(net, d->norm, arcs, sizeof *d->norm, err);
    d->tcell = move_array(net, d->tcell, cells + 1, sizeof *d->tcell, err);
    d->tfrom = move_array(net, d->tfrom, arcs, sizeof *d->tfrom, err);
    d->tvertex = move_array(net, d->tvertex, arcs, sizeof *d->tvertex, err);
    d->tnorm = move_array(net, d->tnorm, arcs, sizeof *d->tnorm, err);
    return d->off && d->cell && d->from && d->norm && d->tcell && d->tfrom && d->tvertex &&
           d->tnorm ? 0 : -1;
}

int se_net_place_input(struct se_net *net, struct se_err *err)
{
    struct se_placed *p = &net->placed;
    struct se_mat *in = &net->input;

    if (net->ops->host)
        return 0;
    if (place_graph(net, &p->graph[0], net->graph, err) < 0 ||
        (net->divided.n && place_divided(net, &net->divided, err) < 0))
        return -1;
    net->graph = &p->graph[0];
    if (net->beside && place_graph(net, &p->graph[1], net->beside, err) < 0)
        return -1;
    net->beside = net->beside ? &p->graph[1] : NULL;
    if (in->sparse) {
        if (place_sparse(net, &p->sparse, in->sparse, err) < 0)
            return -1;
        in->sparse = &p->sparse;
        in->value = p->sparse.value;
        return 0;
    }
    p->dense = se_net_place(net, in->dense, in->rows * in->cols, sizeof *p->dense, err);
    in->dense = p->dense;
    return in->dense ? 0 : -1;
}

int se_net_place_thinned(const struct se_net *net, struct se_thinned *t,
                         const struct se_nngraph *whole, struct se_err *err)
{
    const uint64_t n = whole->n, arcs = se_arcs_room(whole);
    const uint64_t rows = n + (whole->links ? whole->links->halo : 0);
    struct se_nngraph *x = &t->left;

    t->whole = whole;
    x->n = n;
    if (whole->links && se_thin_links(t, net->peers, err) < 0)
        return -1;
    return (x->off = se_net_alloc(net, n + 1, sizeof *x->off, err)) &&
           (x->root = se_net_alloc(net, rows, sizeof *x->root, err)) &&
           (x->to = se_net_alloc(net, arcs, sizeof *x->to, err)) &&
           (x->back = se_net_alloc(net, arcs, sizeof *x->back, err)) &&
           (x->weight = se_net_alloc(net, arcs, sizeof *x->weight, err)) &&
           (x->norm = se_net_alloc(net, arcs, sizeof *x->norm, err)) &&
           (x->mean = se_net_alloc(net, arcs, sizeof *x->mean, err)) &&
           (x->apart = se_net_alloc(net, arcs, sizeof *x->apart, err)) &&
           (t->keep = se_net_alloc(net, arcs, 1, err)) &&
           (t->place = se_net_alloc(net, arcs, sizeof *t->place, err)) ? 0 : -1;
}

static void unplace_graph(const struct se_net *net, struct se_nngraph *g)
{
    void *const memory[] = { g->off, g->to, g->back, g->weight, g->norm, g->mean, g->apart,
                             g->root };

    for (size_t k = 0; k < sizeof memory / sizeof memory[0]; k++)
        se_net_free(net, memory[k]);
}

void se_net_unplace_input(struct se_net *net)
{
    struct se_placed *p = &net->placed;
    struct se_sparse *x = &p->sparse;

    for (int i = 0; i < 2; i++) {
        struct se_thinned *t = &net->thinned[i];

        unplace_graph(net, &p->graph[i]);
        unplace_graph(net, &t->left);
        se_thin_links_release(t);
        se_net_free(net, t->keep);
        se_net_free(net, t->place);
        *t = (struct se_thinned){ .whole = NULL };
    }
    void *const memory[] = { x->off, x->col, x->value, x->toff, x->trow, x->tentry, p->dense };

    for (size_t k = 0; k < sizeof memory / sizeof memory[0]; k++)
        se_net_free(net, memory[k]);
}
