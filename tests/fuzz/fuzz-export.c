/* fuzz-export.c - every exporter on any stream that passes its checks */
#include "formats/formats.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/mutate.h"

static void export_all(struct se_stream *s, uint32_t choice)
{
    static int fd = -1;
    static const uint32_t sections[] = { SE_GRAPH, SE_FUSED, SE_TREE };

    if (fd < 0)
        fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
    for (int i = 0; se_formats[i]; i++)
        for (int k = 0; se_formats[i]->export && k < 3; k++) {
            const struct se_export ex = { .section = sections[k], .split = (uint64_t)k,
                                          .names = k != 1, .depth = choice % 4,
                                          .most = choice / 4 % 3, .bin = choice / 12 % 3 * 1000,
                                          .sequence = choice % 5 ? NULL : "chr1" };
            struct se_err err = SE_ERR_INIT;
            struct se_out out;

            if (se_out_init(&out, fd, &err) < 0)
                fuzz_fail("no memory", &err);
            if (se_formats[i]->export(&ex, s, &out, &err) < 0)
                fuzz_error(&err);
            se_out_release(&out);
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    return fuzz_stream(data, len, export_all);
}
