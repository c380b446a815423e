/* position.c - vertices that are pieces of a sequence, named such as chr1:10000-20000 */
#include "common/graph/position.h"

#include <string.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The digits from *at on, at most 18 of them; false: there are none. */
static bool number(const char *name, size_t len, size_t *at, uint64_t *value)
{
    const size_t from = *at;

    for (*value = 0; *at < len && is_digit(name[*at]); ++*at) {
        if (*at - from == 18)
            return false;
        *value = *value * 10 + (uint64_t)(name[*at] - '0');
    }
    return *at > from;
}

bool se_position_parse(const char *name, size_t len, struct se_position *p)
{
    size_t at = len;

    while (at > 0 && name[at - 1] != ':')
        at--;
    if (at < 2)
        return false;
    p->sequence = name;
    p->len = at - 1;
    for (size_t i = 0; i < p->len; i++)
        if ((unsigned char)name[i] <= ' ')
            return false;
    return number(name, len, &at, &p->start) && at < len && name[at++] == '-' &&
           number(name, len, &at, &p->end) && at == len && p->start < p->end;
}

bool se_position_all(const struct se_names *x)
{
    struct se_position p;
    bool all = x->n > 0;

    for (uint64_t v = 0; all && v < x->n; v++)
        all = se_position_parse(x->text + x->off[v], x->off[v + 1] - x->off[v], &p);
    return all;
}

static size_t digits(const char *text, size_t len)
{
    size_t n = 0;

    while (n < len && is_digit(text[n]))
        n++;
    return n;
}

/* Numbers by their value, everything else byte by byte */
static int compare_natural(const char *a, size_t a_len, const char *b, size_t b_len)
{
    while (a_len > 0 && b_len > 0) {
        size_t na, nb;
        int c;

        while (a_len > 1 && a[0] == '0' && is_digit(a[1]))
            a++, a_len--;
        while (b_len > 1 && b[0] == '0' && is_digit(b[1]))
            b++, b_len--;
        na = digits(a, a_len);
        nb = digits(b, b_len);
        if (na > 0 && nb > 0 && na != nb)
            return na < nb ? -1 : 1;
        na = na > 0 && nb > 0 ? na : 1;
        c = memcmp(a, b, na);
        if (c)
            return c;
        a += na;
        b += na;
        a_len -= na;
        b_len -= na;
    }
    return (a_len > 0) - (b_len > 0);
}

int se_position_compare(const struct se_position *a, const struct se_position *b)
{
    int c = compare_natural(a->sequence, a->len, b->sequence, b->len);

    if (c == 0 && a->len != b->len)             /* chr01 and chr1 */
        c = a->len < b->len ? -1 : 1;
    if (c == 0)
        c = memcmp(a->sequence, b->sequence, a->len);
    if (c == 0)
        c = (a->start > b->start) - (a->start < b->start);
    return c ? c : (a->end > b->end) - (a->end < b->end);
}
