/* section_meta.c - the sections model and history
 *
 * model:   u64 arrays, bytes of text; text; per array: char name[64], u64 rows, cols,
 *          f32 [rows * cols]
 * history: u64 bytes; lines */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/stream/payload.h"

enum { NAME = 64 };

void se_model_release(struct se_model *m)
{
    free(m->array);
    m->array = NULL;
    m->arrays = 0;
}

static int walk_array(struct se_walk *w, struct se_array *a, struct se_err *err)
{
    enum { WORDS = NAME / 8 };
    const uint64_t *h = se_walk_head(w, WORDS + 2);
    const char *name = (const char *)h;
    struct se_reader r;
    uint64_t cells;

    if (!h || name[NAME - 1] != '\0' || __builtin_mul_overflow(h[WORDS], h[WORDS + 1], &cells))
        return se_payload_fail(err, SE_MODEL, "an array is damaged");
    *a = (struct se_array){ name, h[WORDS], h[WORDS + 1], se_walk_now(w, &r, cells, 4) };
    if (!a->data)
        return se_payload_short(err, SE_MODEL);
    if (se_reader_not_finite(&r) != UINT64_MAX)
        return se_payload_fail(err, SE_MODEL, "array %s holds a value that is not a finite "
                               "number", name);
    return 0;
}

int se_walk_model(struct se_walk *w, void *to, struct se_err *err)
{
    struct se_model x = { 0 };
    struct se_reader text;
    const uint64_t *h = se_walk_head(w, 2);
    uint64_t arrays = h ? h[0] : 0;

    x.text_len = h ? h[1] : 0;
    x.text = h ? se_walk_now(w, &text, x.text_len, 1) : NULL;
    if (!x.text || arrays > w->left / (NAME + 16))
        return se_payload_short(err, SE_MODEL);
    if (to && !(x.array = se_alloc(arrays, sizeof *x.array, err)))
        return -1;
    for (; x.arrays < arrays; x.arrays++) {
        struct se_array one;

        if (walk_array(w, to ? &x.array[x.arrays] : &one, err) < 0) {
            free(x.array);
            return -1;
        }
    }
    if (w->left) {
        free(x.array);
        return se_payload_short(err, SE_MODEL);
    }
    if (to)
        *(struct se_model *)to = x;
    return 0;
}

int se_model_get(struct se_model *m, struct se_stream *s, struct se_err *err)
{
    return se_walk_whole(s, SE_MODEL, se_walk_model, m, err);
}

int se_model_put(const struct se_model *m, struct se_stream *s, struct se_err *err)
{
    const uint64_t h[2] = { m->arrays, m->text_len };
    const int parts = 2 + 2 * (int)m->arrays;
    struct head {
        char name[NAME];
        uint64_t rows, cols;
    } *head = se_zalloc(m->arrays, sizeof *head, err);
    struct se_piece *part = head ? se_alloc((uint64_t)parts, sizeof *part, err) : NULL;
    int rc = -1;

    if (part) {
        part[0] = (struct se_piece){ h, sizeof h };
        part[1] = (struct se_piece){ m->text, m->text_len };
        for (uint64_t i = 0; i < m->arrays; i++) {
            const struct se_array *a = &m->array[i];

            snprintf(head[i].name, NAME, "%s", a->name);
            head[i].rows = a->rows;
            head[i].cols = a->cols;
            part[2 + 2 * i] = (struct se_piece){ &head[i], sizeof head[i] };
            part[3 + 2 * i] = (struct se_piece){ a->data, a->rows * a->cols * 4 };
        }
        rc = se_stream_put(s, SE_MODEL, part, parts, NULL, err);
    }
    free(part);
    free(head);
    return rc;
}

bool se_model_value(const struct se_model *m, const char *key, char value[SE_MODEL_VALUE])
{
    const size_t len = strlen(key);

    for (uint64_t at = 0; at < m->text_len;) {
        const char *line = m->text + at, *end = memchr(line, '\n', m->text_len - at);
        const size_t n = end ? (size_t)(end - line) : m->text_len - at;

        if (n > len + 1 && n - len - 1 < SE_MODEL_VALUE && memcmp(line, key, len) == 0 &&
            line[len] == '=') {
            memcpy(value, line + len + 1, n - len - 1);
            value[n - len - 1] = '\0';
            return true;
        }
        at += n + 1;
    }
    return false;
}

int se_model_count(const struct se_model *m, const char *key, uint64_t most, uint64_t *value,
                   struct se_err *err)
{
    char text[SE_MODEL_VALUE];

    if (se_model_value(m, key, text) && se_whole_u64(text, value) && *value <= most)
        return 0;
    return se_fail(err, SE_EINPUT, "model: has no usable '%s'", key);
}

int se_walk_history(struct se_walk *w, void *to, struct se_err *err)
{
    struct se_history x = { 0 };
    struct se_reader r;
    const uint64_t *h = se_walk_head(w, 1);
    const void *block;
    uint64_t len;
    bool bad = false;
    char last = '\n';

    x.len = h ? *h : 0;
    x.text = h ? se_walk_array(w, &r, x.len, 1) : NULL;
    if (!x.text || w->left)
        return se_payload_short(err, SE_HISTORY);
    while ((len = se_next_block(&r, &block, 1)) > 0) {
        bad |= memchr(block, '\0', len) != NULL;
        last = ((const char *)block)[len - 1];
    }
    if (bad || last != '\n')
        return se_payload_fail(err, SE_HISTORY, "its lines are damaged");
    if (to)
        *(struct se_history *)to = x;
    return 0;
}

int se_history_get(struct se_history *h, struct se_stream *s, struct se_err *err)
{
    return se_walk_whole(s, SE_HISTORY, se_walk_history, h, err);
}

int se_history_add(struct se_stream *s, const char *line, struct se_err *err)
{
    struct se_history old = { NULL, 0 };
    struct se_bytes all = SE_BYTES_INIT;
    int rc = -1;

    if (se_stream_has(s, SE_HISTORY) && se_history_get(&old, s, err) < 0)
        return -1;
    if (se_bytes_add(&all, old.text, old.len, err) == 0 &&
        se_bytes_add(&all, line, strlen(line), err) == 0 &&
        se_bytes_add(&all, "\n", 1, err) == 0) {
        const uint64_t len = all.len;
        const struct se_piece part[] = { { &len, 8 }, { all.data, all.len } };

        rc = se_stream_put(s, SE_HISTORY, part, 2, NULL, err);
    }
    se_bytes_release(&all);
    return rc;
}
