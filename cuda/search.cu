/* search.cu - the most similar rows: tiles of the matrix of scores, two of them in flight
 *
 * A tile is some queries times some rows, by cuBLAS; each query keeps a list of the best so
 * far.  Queries are taken in pairs of tiles, one on each stream.  All rows lie on the device if
 * they fit, else they come tile by tile.  While one pair of tiles runs, the lists of the pair
 * before are delivered. */
#include "topk.h"

#include <cstdlib>

static const uint64_t MOST_ROWS = 4096, MOST_COLUMNS = 8192;    /* of a tile */
static const uint64_t STAGE_BYTES = 8 << 20;                    /* of rows on their way */

/* One of the two tiles in flight */
struct se_flight {
    cudaStream_t stream;
    cublasHandle_t blas;
    float *query, *column, *tile;       /* device; column: NULL if all rows are there */
    uint32_t *self;
    se_lists lists;
    float *stage;                       /* pinned */
    uint32_t *place;                    /* pinned: of the queries */
    uint64_t *best[2];                  /* pinned: what is delivered, of this pair and the last */
    uint64_t first[2];
    uint32_t count[2];                  /* queries of it; 0: none */
};

struct se_searching {
    se_worker *d;
    se_cuda_search *ask;
    uint32_t rows, columns, cap;        /* of a tile; of a list */
    uint64_t stage_rows;
    float *all;                         /* m x d on the device, or NULL */
    se_flight flight[2];
};

/* ---- memory ---- */

static void flight_release(se_flight *f)
{
    void *device[] = { f->query, f->column, f->tile, f->self, f->lists.key, f->lists.bound,
                       f->lists.count };
    void *host[] = { f->stage, f->place, f->best[0], f->best[1] };

    for (void *p : device)
        if (p)
            cudaFree(p);
    for (void *p : host)
        if (p)
            cudaFreeHost(p);
    f->query = f->column = f->tile = f->stage = NULL;
    f->self = f->place = f->lists.count = NULL;
    f->lists.key = f->lists.bound = f->best[0] = f->best[1] = NULL;
}

static void memory_release(se_searching *s)
{
    flight_release(&s->flight[0]);
    flight_release(&s->flight[1]);
    if (s->all)
        cudaFree(s->all);
    s->all = NULL;
}

template <class T> static cudaError_t room(T **p, uint64_t count)
{
    return cudaMalloc((void **)p, count * sizeof **p);
}

template <class T> static cudaError_t host_room(T **p, uint64_t count)
{
    return cudaMallocHost((void **)p, count * sizeof **p);
}

static cudaError_t flight_make(se_searching *s, se_flight *f)
{
    const uint64_t d = s->ask->d, rows = s->rows;
    cudaError_t e;

    f->lists.list = (uint32_t)s->ask->list;
    f->lists.cap = s->cap;
    if ((e = room(&f->query, rows * d)) != cudaSuccess ||
        (e = room(&f->tile, rows * s->columns)) != cudaSuccess ||
        (e = room(&f->self, rows)) != cudaSuccess ||
        (e = room(&f->lists.key, rows * s->cap)) != cudaSuccess ||
        (e = room(&f->lists.bound, rows)) != cudaSuccess ||
        (e = room(&f->lists.count, rows)) != cudaSuccess ||
        (!s->all && (e = room(&f->column, s->columns * d)) != cudaSuccess) ||
        (e = host_room(&f->stage, s->stage_rows * d)) != cudaSuccess ||
        (e = host_room(&f->place, rows)) != cudaSuccess ||
        (e = host_room(&f->best[0], rows * s->ask->list)) != cudaSuccess)
        return e;
    f->lists.self = f->self;
    return host_room(&f->best[1], rows * s->ask->list);
}

/* Bytes on the device for these tiles */
static uint64_t need(const se_searching *s, bool all)
{
    const uint64_t d = s->ask->d, rows = s->rows, columns = s->columns;
    const uint64_t flight = 4 * (rows * (d + columns + 3) + (all ? 0 : columns * d)) +
                            8 * rows * s->cap;

    return 2 * flight + (all ? 4 * s->ask->m * d : 0);
}

/* Tiles that fit into so many bytes, as large as may be; false: not even the smallest does */
static bool size_tiles(se_searching *s, uint64_t bytes, bool *all)
{
    const se_cuda_search *ask = s->ask;
    const uint64_t half = (ask->q + 1) / 2;

    *all = 4 * ask->m * ask->d <= bytes / 2;
    s->rows = (uint32_t)(half < MOST_ROWS ? half : MOST_ROWS);
    s->columns = (uint32_t)(ask->m < MOST_COLUMNS ? ask->m : MOST_COLUMNS);
    while (need(s, *all) > bytes) {
        if (s->rows == 1 && s->columns == 1)
            return false;
        if (s->columns >= s->rows && s->columns > 1)
            s->columns = (s->columns + 1) / 2;
        else
            s->rows = (s->rows + 1) / 2;
    }
    return true;
}

/* Take nine tenths of what is free; where that is refused, half of it, and so on. */
static bool memory_make(se_searching *s)
{
    size_t left = 0, whole = 0;
    bool all;

    if (!se_cuda_ok(s->d, cudaMemGetInfo(&left, &whole), "memory"))
        return false;
    for (uint64_t bytes = left - left / 10; size_tiles(s, bytes, &all); bytes /= 2) {
        cudaError_t e = cudaSuccess;

        s->stage_rows = STAGE_BYTES / (4 * s->ask->d) + 1;
        if (s->stage_rows > s->ask->m)
            s->stage_rows = s->ask->m;
        if (all)
            e = room(&s->all, s->ask->m * s->ask->d);
        for (int i = 0; i < 2 && e == cudaSuccess; i++)
            e = flight_make(s, &s->flight[i]);
        if (e == cudaSuccess)
            return true;
        memory_release(s);
        cudaGetLastError();             /* forget it */
        if (e != cudaErrorMemoryAllocation)
            return se_cuda_ok(s->d, e, "memory");
    }
    se_cuda_fail(s->d, "the device has too little memory for a search in %llu dimensions: %.1f "
                 "MB are free", (unsigned long long)s->ask->d, (double)left / 1e6);
    return false;
}

/* ---- rows on their way to the device ---- */

/* Through pinned memory, piece by piece; it is free again when the stream has come so far. */
static bool bring(se_searching *s, se_flight *f, bool queries, uint64_t first, uint64_t count,
                  float *to)
{
    const se_cuda_search *ask = s->ask;

    for (uint64_t at = 0; at < count; at += s->stage_rows) {
        const uint64_t rows = count - at < s->stage_rows ? count - at : s->stage_rows;

        if (!se_cuda_ok(s->d, cudaStreamSynchronize(f->stream), "copy of rows"))
            return false;
        ask->fill(ask->arg, queries, first + at, rows, f->stage);
        if (!se_cuda_ok(s->d, cudaMemcpyAsync(to + at * ask->d, f->stage,
                                              rows * ask->d * sizeof *to,
                                              cudaMemcpyHostToDevice, f->stream),
                        "copy of rows"))
            return false;
    }
    return true;
}

/* The rows of all, ready for both streams */
static bool bring_all(se_searching *s)
{
    return !s->all || (bring(s, &s->flight[0], false, 0, s->ask->m, s->all) &&
                       se_cuda_ok(s->d, cudaStreamSynchronize(s->flight[0].stream),
                                  "copy of rows"));
}

/* ---- a pair of tiles ---- */

static bool begin(se_searching *s, se_flight *f, int turn, uint64_t first)
{
    const uint64_t q = s->ask->q, left = first < q ? q - first : 0;
    const uint32_t count = (uint32_t)(left < s->rows ? left : s->rows);

    f->first[turn] = first;
    f->count[turn] = count;
    if (count == 0)
        return true;
    if (!bring(s, f, true, first, count, f->query) ||
        !se_cuda_ok(s->d, cudaStreamSynchronize(f->stream), "copy of rows"))
        return false;
    for (uint32_t i = 0; i < count; i++)
        f->place[i] = s->ask->query[first + i];
    if (!se_cuda_ok(s->d, cudaMemcpyAsync(f->self, f->place, count * sizeof *f->self,
                                          cudaMemcpyHostToDevice, f->stream), "copy of rows"))
        return false;
    se_lists_start(s->d, f->stream, f->lists, count);
    return !s->d->bad;
}

static bool step(se_searching *s, se_flight *f, int turn, uint64_t first)
{
    const uint64_t left = s->ask->m - first;
    const uint32_t count = f->count[turn];
    const int columns = (int)(left < s->columns ? left : s->columns), d = (int)s->ask->d;
    const float one = 1, zero = 0, *rows = s->all ? s->all + first * s->ask->d : f->column;

    if (count == 0)
        return true;
    if ((!s->all && !bring(s, f, false, first, (uint64_t)columns, f->column)) ||
        !se_cuda_blas_ok(s->d, cublasSgemm(f->blas, CUBLAS_OP_T, CUBLAS_OP_N, columns,
                                           (int)count, d, &one, rows, d, f->query, d, &zero,
                                           f->tile, columns), "product"))
        return false;
    se_lists_offer(s->d, f->stream, f->lists, count, f->tile, (uint32_t)columns,
                   (uint32_t)first);
    return !s->d->bad;
}

static bool end(se_searching *s, se_flight *f, int turn)
{
    const uint64_t width = s->ask->list * sizeof(uint64_t);

    if (f->count[turn] == 0)
        return true;
    se_lists_finish(s->d, f->stream, f->lists, f->count[turn]);
    return !s->d->bad &&
           se_cuda_ok(s->d, cudaMemcpy2DAsync(f->best[turn], width, f->lists.key,
                                              s->cap * sizeof(uint64_t), width, f->count[turn],
                                              cudaMemcpyDeviceToHost, f->stream),
                      "copy of lists");
}

static void deliver(se_searching *s, int turn)
{
    for (se_flight &f : s->flight)
        if (f.count[turn] > 0)
            s->ask->deliver(s->ask->arg, f.first[turn], f.count[turn], f.best[turn]);
}

/* Queue a pair of tiles, hand over the pair before, wait. */
static bool run_pair(se_searching *s, int turn, uint64_t first)
{
    bool ok = true;

    for (int i = 0; i < 2 && ok; i++)
        ok = begin(s, &s->flight[i], turn, first + (uint64_t)i * s->rows);
    for (uint64_t at = 0; ok && at < s->ask->m; at += s->columns)
        for (int i = 0; i < 2 && ok; i++)
            ok = step(s, &s->flight[i], turn, at);
    for (int i = 0; i < 2 && ok; i++)
        ok = end(s, &s->flight[i], turn);
    deliver(s, 1 - turn);
    for (se_flight &f : s->flight)
        ok = ok && se_cuda_ok(s->d, cudaStreamSynchronize(f.stream), "search");
    return ok;
}

static bool run(se_searching *s)
{
    int turn = 0;

    if (!bring_all(s))
        return false;
    for (uint64_t first = 0; first < s->ask->q; first += 2 * (uint64_t)s->rows, turn = 1 - turn)
        if (!run_pair(s, turn, first))
            return false;
    deliver(s, 1 - turn);
    return true;
}

/* ---- the search ---- */

static bool streams_make(se_searching *s)
{
    for (se_flight &f : s->flight)
        if (!se_cuda_ok(s->d, cudaStreamCreateWithFlags(&f.stream, cudaStreamNonBlocking),
                        "stream") ||
            !se_cuda_blas_ok(s->d, cublasCreate(&f.blas), "start") ||
            !se_cuda_blas_ok(s->d, cublasSetMathMode(f.blas, CUBLAS_DEFAULT_MATH), "start") ||
            !se_cuda_blas_ok(s->d, cublasSetStream(f.blas, f.stream), "start"))
            return false;
    return true;
}

int se_cuda_run_search(se_worker *d, se_cuda_search *ask)
{
    se_searching s = {};
    bool ok;

    if (d->bad)
        return -1;
    s.d = d;
    s.ask = ask;
    s.cap = (uint32_t)((ask->list + ask->list / 2 + 64 + 31) / 32 * 32);
    ok = streams_make(&s) && memory_make(&s) && run(&s);
    for (se_flight &f : s.flight)
        if (f.stream)
            cudaStreamSynchronize(f.stream);    /* nothing runs on what is given back */
    memory_release(&s);
    for (se_flight &f : s.flight) {
        if (f.blas)
            cublasDestroy(f.blas);
        if (f.stream)
            cudaStreamDestroy(f.stream);
    }
    ask->rows = s.rows;
    ask->columns = s.columns;
    return ok ? 0 : -1;
}
