/* classes.c - classes of vertices by name, on their way into a stream, and a table of them:
 * "class<TAB>name<TAB>vertices" a line */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "formats/internal.h"
#include "formats/vertices.h"

int se_classes_set(struct se_classes *c, uint64_t v, const char *name, struct se_err *err)
{
    static const char *const unknown[] = { "", "-1", "?", "nan", "NaN", "unknown", NULL };
    uint32_t id = SE_NONE;
    bool known = true;

    for (int i = 0; unknown[i]; i++)
        known &= strcmp(name, unknown[i]) != 0;
    if (se_grow(&c->label, &c->cap, v + 1, sizeof *c->label, err) < 0 ||
        (known && se_table_add(&c->names, name, strlen(name), &id, err) < 0))
        return -1;
    for (; c->n <= v; c->n++)
        c->label[c->n] = -1;
    c->label[v] = known ? (int32_t)id : -1;
    return 0;
}

struct numbered {
    uint64_t value;
    uint32_t id;
};

static int by_value(const void *a, const void *b)
{
    const struct numbered *x = a, *y = b;

    return x->value != y->value ? (x->value > y->value) - (x->value < y->value)
                                : (x->id > y->id) - (x->id < y->id);
}

/* If all names are numbers, order[rank] tells the class at each rank; *plain: they are just
 * 0, 1, 2, ...  False: there are words. */
static bool rank_numbers(const struct se_table *t, struct numbered *order, bool *plain)
{
    char name[24];

    for (uint64_t i = 0; i < t->n; i++) {
        const uint64_t len = t->off[i + 1] - t->off[i];

        order[i].id = (uint32_t)i;
        if (len >= sizeof name)
            return false;
        memcpy(name, t->text.data + t->off[i], len);
        name[len] = '\0';
        if (!se_whole_u64(name, &order[i].value))
            return false;
    }
    qsort(order, t->n, sizeof *order, by_value);
    *plain = true;
    for (uint64_t i = 0; i < t->n; i++)
        *plain &= order[i].value == i;
    return true;
}

/* Are all names numbers?  *fractions: some of them are no whole ones; *counted: they are those from
 * 0 or 1 on without a gap, as classes are numbered. */
static bool are_numbers(const struct se_table *t, bool *fractions, bool *counted)
{
    char name[48];
    uint64_t most = 0, least = UINT64_MAX;

    *fractions = false;
    for (uint64_t i = 0; i < t->n; i++) {
        const uint64_t len = t->off[i + 1] - t->off[i];
        uint64_t whole;
        double value;

        if (len >= sizeof name)
            return false;
        memcpy(name, t->text.data + t->off[i], len);
        name[len] = '\0';
        if (!se_whole_number(name, &value))
            return false;
        whole = (uint64_t)-2;
        *fractions |= !se_whole_u64(name, &whole);
        most = whole > most ? whole : most;
        least = whole < least ? whole : least;
    }
    *counted = !*fractions && least <= 1 && most - least < t->n;
    return true;
}

int se_classes_check(const struct se_classes *c, struct se_err *err)
{
    enum { FEW_NUMBERS = 10, FEW_WORDS = 50, MANY = 1000 };
    const uint64_t classes = c->names.n;
    uint64_t labelled = 0;
    bool fractions, counted;

    for (uint64_t v = 0; v < c->n; v++)
        labelled += c->label[v] >= 0;
    if (classes > FEW_NUMBERS && are_numbers(&c->names, &fractions, &counted) &&
        (classes * (counted ? 2 : 5) > labelled || (fractions && classes > MANY)))
        return se_fail(err, SE_EINPUT, "holds %" PRIu64 " different numbers in %" PRIu64 " rows: "
                       "that is a measurement and no class (a partition into any number of "
                       "modules is read by -f clu)", classes, labelled);
    if (classes > FEW_WORDS && classes * 2 > labelled)
        return se_fail(err, SE_EINPUT, "holds %" PRIu64 " different words in %" PRIu64 " rows: "
                       "that is no class (a partition into any number of modules is read by -f clu)",
                       classes, labelled);
    return 0;
}

int se_classes_put(struct se_classes *c, struct se_stream *s, struct se_err *err)
{
    struct numbered *order = se_alloc(c->names.n, sizeof *order, err);
    int32_t *rank = order ? se_alloc(c->names.n, sizeof *rank, err) : NULL;
    struct se_bytes names = SE_BYTES_INIT;
    bool plain = false;
    int rc = rank ? 0 : -1;

    if (rc == 0 && !rank_numbers(&c->names, order, &plain))
        for (uint64_t i = 0; i < c->names.n; i++)
            order[i].id = (uint32_t)i;
    for (uint64_t i = 0; i < c->names.n && rc == 0; i++) {
        const char *name = c->names.text.data + c->names.off[order[i].id];
        const uint64_t len = c->names.off[order[i].id + 1] - c->names.off[order[i].id];

        rank[order[i].id] = (int32_t)i;
        if (!plain && (se_bytes_add(&names, name, len, err) < 0 ||
                       se_bytes_add(&names, "", 1, err) < 0))
            rc = -1;
    }
    if (rc == 0) {
        for (uint64_t v = 0; v < c->n; v++)
            if (c->label[v] >= 0)
                c->label[v] = rank[c->label[v]];
        rc = se_import_labels(c->label, c->n, c->names.n, names.data, names.len, s, err);
    }
    se_bytes_release(&names);
    free(rank);
    free(order);
    return rc;
}

void se_classes_release(struct se_classes *c)
{
    se_table_release(&c->names);
    free(c->label);
}

/* A name with a tab or a line end in it would be more than one column. */
static int check_names(const struct se_labels *l, struct se_err *err)
{
    for (uint64_t i = 0; i < l->names_len; i++)
        if (l->names[i] == '\t' || l->names[i] == '\n' || l->names[i] == '\r')
            return se_fail(err, SE_EINPUT, "labels: the name of a class has a tab or a line end "
                           "in it and cannot be a column; export json instead");
    return 0;
}

static int export_classes(const struct se_export *ex, struct se_stream *s, struct se_out *out,
                          struct se_err *err)
{
    struct se_labels l;
    uint64_t *size;

    (void)ex;
    if (se_labels_get(&l, s, err) < 0 || check_names(&l, err) < 0 ||
        !(size = se_zalloc(l.classes, sizeof *size, err)))
        return -1;
    for (uint64_t v = 0; v < l.n; v++)
        if (l.label[v] >= 0)
            size[l.label[v]]++;
    const char *name = l.names;
    for (uint64_t c = 0; c < l.classes; c++) {
        se_outf(out, "%" PRIu64 "\t%s\t%" PRIu64 "\n", c, name ? name : "", size[c]);
        name = name ? name + strlen(name) + 1 : NULL;
    }
    free(size);
    return 0;
}

const struct se_format se_format_classes = {
    .name = "classes",
    .what = "classes: number, name and size of each",
    .kind = SE_FORMAT_TABLE,
    .extensions = { "tsv", "txt" },
    .export = export_classes
};
