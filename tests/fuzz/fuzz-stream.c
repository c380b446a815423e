/* fuzz-stream.c - any bytes as a stream: as they are, and with their checksums made right */
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/mutate.h"

/* Replace the graph by another: what hangs from it goes. */
static void replace_graph(struct se_stream *s)
{
    static const uint64_t off[2] = { 0, 0 };
    static const uint32_t none[1];
    const struct se_graph g = { .n = 1, .off = off, .to = none, .loop = none };
    struct se_err err = SE_ERR_INIT;

    if (se_graph_put(&g, s, SE_GRAPH, NULL, &err) < 0)
        fuzz_error(&err);
    for (size_t i = 0; i < s->count; i++)
        if (se_stream_check_origin(s, s->section[i].tag, &err) < 0)
            fuzz_error(&err);
}

static void try(const uint8_t *data, size_t len)
{
    struct se_stream s = SE_STREAM_INIT;
    struct se_err err = SE_ERR_INIT;

    if (se_stream_read_memory(&s, data, len, &err) < 0) {
        fuzz_error(&err);
    } else if (se_stream_check(&s, &err) < 0) {
        fuzz_error(&err);
        replace_graph(&s);
    } else {
        fuzz_again(&s, -1);
        fuzz_again(&s, 1);
        replace_graph(&s);
    }
    se_stream_release(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    uint8_t *copy = malloc(len + 1);            /* of its own, and aligned */

    memcpy(copy, data, len);
    try(copy, len);
    fuzz_repair(copy, len);
    try(copy, len);
    free(copy);
    return 0;
}
