/* edgefields.c - the fields of one line of an edge list: ids, weight, header, separators */
#include "formats/edges.h"

#include <float.h>
#include <math.h>
#include <string.h>
#include <strings.h>

bool se_edge_id(const struct se_field *f, bool strict, uint64_t *id)
{
    uint64_t value = 0;

    if (f->len == 0 || (!strict && f->len > 1 && f->at[0] == '0'))
        return false;
    for (size_t i = 0; i < f->len; i++) {
        if (f->at[i] < '0' || f->at[i] > '9')
            return false;
        if (value <= SE_NONE)
            value = value * 10 + (uint64_t)(f->at[i] - '0');
    }
    *id = value;
    return true;
}

bool se_edge_number(const struct se_field *f, double *w)
{
    const char *p = f->at;

    return f->len > 0 && se_parse_number(&p, w) && p == f->at + f->len;
}

/* A weight with a decimal comma or thousands separators, if --decimal says so.  Where commas do
 * not separate fields a single one is a decimal comma. */
static bool parse_amount(struct se_edge_lines *r, const struct se_field *f, double *w)
{
    char text[64];

    if (f->len >= sizeof text)
        return false;
    memcpy(text, f->at, f->len);
    text[f->len] = '\0';
    return (r->in->decimal != SE_DECIMAL_AUTO || strchr(text, ',')) &&
           se_weight(text, r->in->decimal, r->separator, w, &r->commas);
}

void se_edge_time(struct se_edge_lines *r, double w)
{
    r->times = r->times && w >= 5e8 && w <= 4e9 && w == floor(w);
    r->first_time = r->first_time > 0 ? r->first_time : w;
}

int se_edge_shown(const struct se_field *f)
{
    return f->len > 60 ? 60 : (int)f->len;
}

int se_edge_weight(struct se_edge_lines *r, const struct se_field *f, int columns,
                        double *w, struct se_err *err)
{
    *w = 1;
    if (r->columns == 0) {
        r->columns = columns;
        r->builder.weighted = columns == 3;
        r->times = columns == 3 && !r->wide && !r->header;
    }
    if (columns != r->columns)
        return se_text_fail(&r->text, err, "has %s weight, but lines before it have %s",
                            columns == 3 ? "a" : "no", columns == 3 ? "none" : "one");
    if (columns < 3)
        return 0;
    if (!se_edge_number(f, w) && !parse_amount(r, f, w))
        return se_text_fail(&r->text, err, "weight '%.*s' is not a finite number; %s", se_edge_shown(f),
                            f->at, memchr(f->at, ',', f->len) ? "use --decimal comma if it has a "
                            "decimal comma" : "if it is no weight name the columns of the edges "
                            "with --source and --target");
    if (*w < 0)
        return se_text_fail(&r->text, err, "weight %g is negative; weights are 0 or more: drop "
                            "such lines, or leave weights out with --source 1 --target 2", *w);
    if (*w > (double)FLT_MAX)
        return se_text_fail(&r->text, err, "weight %g is more than a float holds", *w);
    se_edge_time(r, *w);
    return 0;
}

static bool reads(const struct se_field *f, const char *word)
{
    return f->len == strlen(word) && strncasecmp(f->at, word, f->len) == 0;
}

bool se_edge_header(const struct se_field *field, int columns)
{
    static const char *const words[][2] = {
        { "source", "target" }, { "from", "to" }, { "src", "dst" }
    };

    if (columns == 3)
        return true;                    /* its third field is no number */
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (reads(&field[0], words[i][0]) && reads(&field[1], words[i][1]))
            return true;
    return false;
}

/* Four numbers: an edge, its weight, and when it was there */
static bool is_wide(const char *line, char separator)
{
    double number;
    int fields = 0;

    for (const char *p = line; *p; fields++) {
        p += strspn(p, " ");
        if (!se_parse_number(&p, &number))
            return false;
        p += strspn(p, separator == ' ' ? " \t" : " ");
        if (*p && separator != ' ' && *p++ != separator)
            return false;
    }
    return fields == 4;
}

int se_edge_split(struct se_edge_lines *r, char *line, struct se_field field[4],
                      struct se_err *err)
{
    const bool wide = r->wide || (r->columns == 0 && is_wide(line, r->separator));
    const int columns = se_fields(line, r->separator, field);

    if (columns < 0)
        return se_text_fail(&r->text, err, "a quoted field does not end as it should");
    if (wide && columns == 4) {
        r->wide = true;
        return 3;
    }
    if (strchr(line, '\r'))
        return se_text_fail(&r->text, err, "lines end in carriage returns alone; convert the file "
                            "with tr '\\r' '\\n'");
    if (columns < 2 || columns > 3)
        return se_text_fail(&r->text, err, "has %s; a line is u v [weight]%s",
                            columns < 2 ? "one field" : "more than three fields",
                            columns < 2 ? "" : "; of other tables name the columns with "
                            "--source, --target and --weight, and give a table of vertices as "
                            "--attributes");
    for (int i = 0; i < columns; i++)
        if (field[i].len == 0)
            return se_text_fail(&r->text, err, "field %d is empty; name the columns of the edges "
                                "with --source and --target, by number if they have no name",
                                i + 1);
    return columns;
}

static bool quick_id(const char **p, uint64_t *id)
{
    const char *s = *p;
    uint64_t value = (uint64_t)(unsigned char)*s - '0';

    if (value > 9 || (value == 0 && s[1] >= '0' && s[1] <= '9'))
        return false;
    for (s++; *s >= '0' && *s <= '9'; s++)
        value = value * 10 + (uint64_t)(*s - '0');
    if (s - *p > 10)
        return false;
    *id = value;
    *p = s;
    return true;
}

static bool quick_separator(const char **p, char separator)
{
    if (**p != separator)
        return false;
    for (++*p; separator == ' ' && **p == ' '; ++*p)
        ;
    return true;
}

bool se_edge_quick(const struct se_edge_lines *r, const char *line, uint64_t *u,
                         uint64_t *v, double *w)
{
    const char *p = line;

    *w = 1;
    if (!quick_id(&p, u) || !quick_separator(&p, r->separator) || !quick_id(&p, v))
        return false;
    if (r->columns == 3 && (!quick_separator(&p, r->separator) || !se_parse_number(&p, w) ||
                            !(*w >= 0 && *w <= (double)FLT_MAX)))
        return false;
    return *p == '\0';
}

void se_edge_dictionary(char *line, size_t *len)
{
    static const char key[] = "'weight': ";
    char *brace = strchr(line, '{');
    const char *number, *p;
    double w;

    if (!brace || brace == line || line[*len - 1] != '}' || !strchr(" \t,;", brace[-1]))
        return;
    if (line + strcspn(line, " \t,;") + 1 == brace)      /* behind one id: no edge */
        return;
    p = number = strstr(brace, key);
    if (number) {
        p = number += sizeof key - 1;
        if (!se_parse_number(&p, &w))
            return;
        memmove(brace, number, (size_t)(p - number));
        brace += p - number;
    } else {
        while (brace > line && strchr(" \t,;", brace[-1]))
            brace--;
    }
    *brace = '\0';
    *len = (size_t)(brace - line);
}

bool se_edge_lines_fit(const char *head)
{
    const char *p = head;
    uint64_t id;

    while (*p == '#' || *p == '%' || *p == '\n' || *p == '\r') {
        p += strcspn(p, "\n");
        p += *p == '\n';
    }
    if (!quick_id(&p, &id) || !strchr(" \t,;", *p))
        return false;
    p += strspn(p, " \t,;");
    return quick_id(&p, &id) && strchr(" \t,;\r\n", *p) != NULL;
}
