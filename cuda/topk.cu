/* topk.cu - running lists of the best keys of each row
 *
 * A warp has a row: its lanes read scores side by side, and the few that are better than the
 * bound go behind the keys that are there.  When the room is full, the list-th smallest key
 * becomes the bound and the keys above it go. */
#include "topk.h"

static const uint64_t NOTHING = ~0ull;

/* (score, place) as a number, smaller is better: se_sim_key() of common/sim/engine.h */
__device__ static inline uint64_t key_of(float score, uint32_t place)
{
    uint32_t u = __float_as_uint(score + 0.0f);

    u = u >> 31 ? u : ~u ^ 0x80000000u;
    return (uint64_t)u << 32 | place;
}

/* How many of the keys lie below `limit`; the same number in all lanes */
__device__ static unsigned below(const uint64_t *key, unsigned count, uint64_t limit)
{
    unsigned n = 0;

    for (unsigned i = threadIdx.x % SE_WARP; i < count; i += SE_WARP)
        n += key[i] < limit;
    for (int o = SE_WARP / 2; o > 0; o /= 2)
        n += __shfl_xor_sync(SE_ALL_LANES, n, o);
    return n;
}

/* A limit below which exactly `list` of the keys lie: bit by bit, until it fits.  No key is
 * there twice. */
__device__ static uint64_t limit_of(const uint64_t *key, unsigned count, unsigned list)
{
    uint64_t low = 0;           /* fewer than `list` keys are below it */

    for (int bit = 63; bit >= 0; bit--) {
        const uint64_t middle = low | 1ull << bit;
        const unsigned n = below(key, count, middle);

        if (n == list)
            return middle;
        if (n < list)
            low = middle;
    }
    return low + 1;
}

/* Keep the keys below the limit. */
__device__ static unsigned squeeze(uint64_t *key, unsigned count, uint64_t limit)
{
    const unsigned lane = threadIdx.x % SE_WARP;
    unsigned kept = 0;

    for (unsigned from = 0; from < count; from += SE_WARP) {
        const uint64_t k = from + lane < count ? key[from + lane] : NOTHING;
        const unsigned mask = __ballot_sync(SE_ALL_LANES, k < limit);

        __syncwarp();           /* all have read before one writes */
        if (k < limit)
            key[kept + __popc(mask & ((1u << lane) - 1))] = k;
        kept += (unsigned)__popc(mask);
    }
    __syncwarp();
    return kept;
}

/* A row's list while a warp works on it */
struct se_row_list {
    uint64_t *key, bound;
    unsigned count;
};

__device__ static void make_room(const se_lists &l, se_row_list *r)
{
    r->bound = limit_of(r->key, r->count, l.list);
    r->count = squeeze(r->key, r->count, r->bound);
}

/* A key of each lane, some of them below the bound */
__device__ static void take(const se_lists &l, se_row_list *r, uint64_t k)
{
    const unsigned lane = threadIdx.x % SE_WARP;
    unsigned mask = __ballot_sync(SE_ALL_LANES, k < r->bound);

    if (mask == 0)
        return;
    if (r->count + (unsigned)__popc(mask) > l.cap) {
        make_room(l, r);
        mask = __ballot_sync(SE_ALL_LANES, k < r->bound);
    }
    if (k < r->bound)
        r->key[r->count + (unsigned)__popc(mask & ((1u << lane) - 1))] = k;
    r->count += (unsigned)__popc(mask);
    __syncwarp();
}

enum { ABREAST = 4 };           /* scores a lane reads before it asks */

SE_KERNEL_4 offer_kernel(se_lists l, uint32_t rows, const float *tile, uint32_t cols,
                         uint32_t first)
{
    const unsigned lane = threadIdx.x % SE_WARP;

    for SE_EACH_ROW(row, rows) {
        const float *score = tile + row * cols;
        const uint32_t self = l.self[row];
        se_row_list r = { l.key + row * l.cap, l.bound[row], l.count[row] };

        for (uint32_t from = 0; from < cols; from += ABREAST * SE_WARP) {
            uint64_t k[ABREAST];
            bool some = false;

            SE_UNROLL
            for (int t = 0; t < ABREAST; t++) {
                const uint32_t c = from + t * SE_WARP + lane;

                k[t] = c < cols && first + c != self ? key_of(score[c], first + c) : NOTHING;
                some |= k[t] < r.bound;
            }
            if (!__any_sync(SE_ALL_LANES, some))
                continue;
            SE_UNROLL
            for (int t = 0; t < ABREAST; t++)
                take(l, &r, k[t]);
        }
        if (lane == 0) {
            l.bound[row] = r.bound;
            l.count[row] = r.count;
        }
    }
}

SE_KERNEL start_kernel(se_lists l, uint32_t rows)
{
    for SE_EACH(i, rows) {
        l.bound[i] = NOTHING;
        l.count[i] = 0;
    }
}

SE_KERNEL finish_kernel(se_lists l, uint32_t rows)
{
    for SE_EACH_ROW(row, rows) {
        se_row_list r = { l.key + row * l.cap, l.bound[row], l.count[row] };

        if (r.count > l.list)
            make_room(l, &r);
    }
}

void se_lists_start(se_worker *d, cudaStream_t stream, const se_lists &l, uint32_t rows)
{
    SE_LAUNCH(start_kernel, se_blocks(rows, SE_BLOCK), SE_BLOCK, 0, stream, l, rows);
    se_cuda_launched(d, "empty lists");
}

void se_lists_offer(se_worker *d, cudaStream_t stream, const se_lists &l, uint32_t rows,
                    const float *tile, uint32_t cols, uint32_t first)
{
    SE_LAUNCH(offer_kernel, se_blocks(rows, SE_WARPS), SE_BLOCK, 0, stream, l, rows, tile, cols,
              first);
    se_cuda_launched(d, "lists of the best");
}

void se_lists_finish(se_worker *d, cudaStream_t stream, const se_lists &l, uint32_t rows)
{
    SE_LAUNCH(finish_kernel, se_blocks(rows, SE_WARPS), SE_BLOCK, 0, stream, l, rows);
    se_cuda_launched(d, "best of the lists");
}
