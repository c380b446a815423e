/* test-cuda-search.c - lists of the most similar rows by the CUDA plugin, against all pairs
 *
 * SE_EMU_MEMORY makes the device small: then tiles shrink, and rows come piece by piece. */
#include "tests/unit/device.h"

#include "common/sim/engine.h"

struct world {
    uint64_t m, q, d, list;
    float *row;                 /* m x d, of length 1 */
    uint32_t *query;
    uint8_t *delivered;         /* per query: how often */
};

static void fill(void *arg, bool queries, uint64_t first, uint64_t count, float *out)
{
    const struct world *w = arg;

    for (uint64_t i = first; i < first + count; i++) {
        CHECK(i < (queries ? w->q : w->m));
        memcpy(out + (i - first) * w->d, w->row + (queries ? w->query[i] : i) * w->d,
               w->d * sizeof *out);
    }
}

static double score(const struct world *w, uint64_t i, uint64_t j)
{
    double sum = 0;

    for (uint64_t t = 0; t < w->d; t++)
        sum += (double)w->row[i * w->d + t] * (double)w->row[j * w->d + t];
    return sum;
}

/* The scores are right, nobody is there twice, and nobody better was left out. */
static void deliver(void *arg, uint64_t first, uint64_t count, const uint64_t *key)
{
    struct world *w = arg;
    uint8_t *there = malloc(w->m);

    for (uint64_t i = first; i < first + count; i++, key += w->list) {
        const uint64_t self = w->query[i];
        double worst = 2;

        w->delivered[i]++;
        memset(there, 0, w->m);
        there[self] = 1;
        for (uint64_t k = 0; k < w->list; k++) {
            const uint32_t other = se_sim_key_id(key[k]);
            const double s = (double)se_sim_key_similarity(key[k]);

            CHECK(other < w->m && !there[other]);
            there[other % w->m] = 1;
            CHECK_NEAR(s, score(w, self, other), 1e-6);
            worst = s < worst ? s : worst;
        }
        for (uint64_t j = 0; j < w->m; j++)
            CHECK(there[j] || score(w, self, j) <= worst + 1e-6);
    }
    free(there);
}

/* `levels`: coordinates take few values, so that many scores are equal; 0: any value */
static struct world make(uint64_t m, uint64_t d, uint64_t levels, double share)
{
    struct world w = { .m = m, .d = d, .row = random_floats(m * d),
                       .query = malloc(m * sizeof(uint32_t)), .delivered = calloc(m, 1) };

    for (uint64_t i = 0; i < m; i++) {
        double sum = 0;

        for (uint64_t t = 0; t < d; t++) {
            if (levels)
                w.row[i * d + t] = (float)below(levels) - 0.5f;
            sum += (double)w.row[i * d + t] * (double)w.row[i * d + t];
        }
        for (uint64_t t = 0; t < d; t++)
            w.row[i * d + t] = (float)((double)w.row[i * d + t] / sqrt(sum));
        if (se_rng_unit(&rng) < share || i == m - 1)
            w.query[w.q++] = (uint32_t)i;
    }
    return w;
}

static void search(struct world *w, uint64_t list)
{
    struct se_cuda_search ask = { .fill = fill, .deliver = deliver, .arg = w };

    w->list = list < w->m - 1 ? list : w->m - 1;
    ask.m = w->m;
    ask.q = w->q;
    ask.d = w->d;
    ask.list = w->list;
    ask.query = w->query;
    memset(w->delivered, 0, w->m);
    CHECK(gpu.cuda->search(gpu.device, &ask) == 0);
    CHECK(ask.rows >= 1 && ask.columns >= 1);
    for (uint64_t i = 0; i < w->q; i++)
        CHECK(w->delivered[i] == 1);
    if (getenv("SE_TEST_TILES"))
        printf("# tile %llu x %llu of %llu x %llu\n", (unsigned long long)ask.rows,
               (unsigned long long)ask.columns, (unsigned long long)w->q,
               (unsigned long long)w->m);
}

static void release(struct world *w)
{
    free(w->row);
    free(w->query);
    free(w->delivered);
}

static void test_search(uint64_t rounds, uint64_t most)
{
    for (uint64_t seed = 0; seed < rounds; seed++) {
        se_rng_init(&rng, seed, SE_RNG_TEST, 79);
        struct world w = make(2 + below(most), 1 + below(20), seed % 3 == 2 ? 2 + below(2) : 0,
                              seed % 2 ? 1 : 0.3);

        search(&w, 1 + below(seed % 4 == 1 ? 200 : 30));
        release(&w);
    }
    unit_ok("lists of the best, all or some rows, with ties");
}

/* Rows sorted so that each new one is better than all before: lists are squeezed most often */
static void test_order(void)
{
    struct world w;

    se_rng_init(&rng, 1, SE_RNG_TEST, 80);
    w = make(400, 2, 0, 1);
    for (uint64_t i = 0; i < w.m; i++) {
        const double angle = 1.5 * (double)(w.m - i) / (double)w.m;

        w.row[2 * i] = (float)cos(angle);
        w.row[2 * i + 1] = (float)sin(angle);
    }
    search(&w, 32);
    search(&w, 3);
    release(&w);
    unit_ok("rows in the worst order");
}

int main(void)
{
    if (open_device() < 0) {
        printf("ok 1 - # skip no device\n");
        return 0;
    }
    test_search(16, 400);
    test_order();
    CHECK(gpu.cuda->ops.failed(gpu.device) == NULL);
    unit_ok("nothing failed");
    se_gpu_close(&gpu);
    return unit_done();
}
