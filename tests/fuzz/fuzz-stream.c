/* fuzz-stream.c - any bytes as a stream: as they are, and with their checksums made right */
#include <zlib.h>

#include "common/stream/walk.h"
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

/* A section is sound or not, and why, whether it lies in memory or is inflated a piece at a time. */
static void compare_walks(const struct se_section *x)
{
    const struct se_section_kind *kind = se_section_kind_of(x->tag);
    uLongf len = compressBound(x->plain_len);
    uint8_t *stored = malloc(len);
    struct se_section one = { .tag = x->tag, .codec = SE_DEFLATED, .stored = stored,
                              .plain_len = x->plain_len, .has_digest = true };
    struct se_stream s = { .section = &one, .count = 1 };
    struct se_err pieces = SE_ERR_INIT, memory = SE_ERR_INIT;
    int rc;

    if (compress2(stored, &len, x->plain, x->plain_len, 1) != Z_OK)
        abort();
    one.stored_len = len;
    rc = se_walk_check(&s, x->tag, kind->walk, &pieces);
    if (se_walk_whole(&s, x->tag, kind->walk, NULL, &memory) != rc ||
        strcmp(pieces.text, memory.text) != 0)
        fuzz_fail("another verdict in pieces", &pieces);
    se_section_release(&one);
    free(stored);
}

static void try(const uint8_t *data, size_t len)
{
    struct se_stream s = SE_STREAM_INIT;
    struct se_err err = SE_ERR_INIT;

    if (se_stream_read_memory(&s, data, len, &err) < 0) {
        fuzz_error(&err);
    } else if (se_stream_check(&s, &err) < 0) {
        fuzz_error(&err);
        for (size_t i = 0; i < s.count; i++)
            if (s.section[i].codec == SE_PLAIN && se_section_kind_of(s.section[i].tag))
                compare_walks(&s.section[i]);
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
