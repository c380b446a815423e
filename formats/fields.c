/* fields.c - lines of separated fields */
#include <string.h>

#include "formats/internal.h"

/* How often `c` is in the line, outside quotes */
static int count_of(const char *line, char c)
{
    bool quoted = false;
    int count = 0;

    for (; *line; line++) {
        quoted ^= *line == '"';
        count += !quoted && *line == c;
    }
    return count;
}

char se_find_separator(const char *line)
{
    const int commas = count_of(line, ','), semicolons = count_of(line, ';');

    if (strchr(line, '\t'))
        return '\t';
    if (commas || semicolons)
        return semicolons > commas ? ';' : ',';
    return strchr(line, ',') ? ',' : strchr(line, ';') ? ';' : ' ';     /* all in quotes */
}

/* Take the quoted field at *p; "" inside it is a quote.  False: it does not end. */
static bool take_quoted(char **p, struct se_field *f)
{
    char *from = *p + 1, *to = from;

    f->at = to;
    for (;; from++) {
        if (*from == '\0')
            return false;
        if (*from == '"' && *++from != '"')
            break;
        *to++ = *from;
    }
    f->len = (size_t)(to - f->at);
    *p = from;
    return true;
}

/* Take what is up to the separator, without the blanks around it. */
static void take_plain(char **p, char separator, struct se_field *f)
{
    char *end = *p;

    f->at = *p;
    if (separator == ' ')
        end += strcspn(end, " \t");
    else
        while (*end && *end != separator)
            end++;
    *p = end;
    while (end > f->at && se_is_blank(end[-1]))
        end--;
    f->len = (size_t)(end - f->at);
}

static int next(char **p, char separator, bool quotes, struct se_field *f)
{
    while (**p == ' ' || (**p == '\t' && separator != '\t'))
        ++*p;
    if (**p == '"' && quotes) {
        if (!take_quoted(p, f))
            return -1;
    } else {
        take_plain(p, separator, f);
    }
    while (**p == ' ' || (**p == '\t' && separator != '\t'))
        ++*p;
    if (**p == '\0')
        return 0;
    if (separator != ' ' && *(*p)++ != separator)
        return -1;                      /* something behind a quote */
    return 1;
}

int se_next_field(char **p, char separator, struct se_field *f)
{
    return next(p, separator, separator == ',' || separator == ';', f);
}

int se_next_cell(char **p, char separator, struct se_field *f)
{
    return next(p, separator, true, f);
}

int se_fields(char *line, char separator, struct se_field field[4])
{
    char *p = line;

    for (int count = 0; count < 4; count++) {
        const int more = se_next_field(&p, separator, &field[count]);

        if (more <= 0)
            return more < 0 ? -1 : count + 1;
    }
    return 4;
}
