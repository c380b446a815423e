/* shared.h - what the files of the plugin share */
#ifndef SE_CUDA_SHARED_H
#define SE_CUDA_SHARED_H

#include <cublas_v2.h>

#include "launch.h"
#include "common/device/plugin.h"

struct se_worker {
    cudaStream_t stream;        /* of training: everything in order */
    cublasHandle_t blas;
    char name[320], why[256];   /* why: the first failure */
    bool bad;
    void *work;                 /* parts of sums */
    uint64_t work_bytes;
    void *answer;               /* pinned: numbers that come back */
};

/* Note the first failure; true if there was none in this call. */
bool se_cuda_ok(se_worker *d, cudaError_t e, const char *what);
bool se_cuda_blas_ok(se_worker *d, cublasStatus_t s, const char *what);
/* After a launch */
bool se_cuda_launched(se_worker *d, const char *kernel);
void se_cuda_fail(se_worker *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Scratch memory of at least so many bytes, or NULL: failed */
void *se_cuda_work(se_worker *d, uint64_t bytes);
/* Wait and bring back up to SE_ANSWER bytes of scratch memory; NULL: failed */
enum { SE_ANSWER = 256 };
const void *se_cuda_answer(se_worker *d, const void *from, size_t bytes);

/* *sum = the sum of x, or of x * y; a few numbers, by one block */
void se_cuda_total(se_worker *d, const float *x, const float *y, uint64_t count, float *sum);

/* The functions of the table, see common/device/plugin.h */
void se_cuda_product(se_worker *d, const se_product *p);
void se_cuda_columns(se_worker *d, const se_column_sums *s);
void se_cuda_activate(se_worker *d, const se_activating *a);
void se_cuda_add(se_worker *d, const float *x, float scale, uint64_t count, float *y);
void se_cuda_mask(se_worker *d, const se_masking *m);
void se_cuda_mask_apply(se_worker *d, const float *x, const uint8_t *keep, float scale,
                        uint64_t count, float *y);
void se_cuda_gather(se_worker *d, const se_gather *g, uint64_t count);
void se_cuda_transposed(se_worker *d, const se_columns *c);
uint64_t se_cuda_thin(se_worker *d, const se_thinning *t);
void se_cuda_attend(se_worker *d, const se_attention *a);
void se_cuda_heads_mean(se_worker *d, const se_attention *a, const float *x,
                        const float *bias, float *out);
void se_cuda_attend_back(se_worker *d, const se_attention *a);
void se_cuda_attend_back_z(se_worker *d, const se_attention *a);
double se_cuda_loss(se_worker *d, const float *logits, const se_targets *t, float *dlogits);
void se_cuda_accuracy(se_worker *d, const float *logits, const se_targets *t,
                      uint64_t right[4], uint64_t all[4]);
void se_cuda_adam(se_worker *d, const se_adam *a);
void se_cuda_add_share(se_worker *d, const float *x, const float *scale, uint64_t count, float *y);
void se_cuda_dot(se_worker *d, const float *x, const float *y, uint64_t rows, uint64_t cols,
                 float *sum);
void se_cuda_shares(se_worker *d, const float *s, uint64_t count, float *g);
void se_cuda_shares_back(se_worker *d, const float *g, uint64_t count, float *ds);
void se_cuda_scale(se_worker *d, const se_scaling *s);
void se_cuda_scale_rows(se_worker *d, const se_row_scaling *s);
void se_cuda_unpack(se_worker *d, const se_unpacking *u);
void se_cuda_mix(se_worker *d, const se_mixing *m);
void se_cuda_mix_back(se_worker *d, const se_mixing *m);
void se_cuda_norm(se_worker *d, const se_norming *m);
void se_cuda_norm_back(se_worker *d, const se_norming *m);
void se_cuda_gate(se_worker *d, const se_gating *g);
void se_cuda_gate_back(se_worker *d, const se_gating *g);
int se_cuda_run_search(se_worker *d, se_cuda_search *s);

#endif
