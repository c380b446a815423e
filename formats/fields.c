/* fields.c - lines of separated fields */
#include <string.h>

#include "formats/internal.h"

char se_find_separator(const char *line)
{
    return strchr(line, '\t') ? '\t' : strchr(line, ',') ? ',' : strchr(line, ';') ? ';' : ' ';
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

int se_next_field(char **p, char separator, struct se_field *f)
{
    const bool quotes = separator == ',' || separator == ';';

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

int se_split(char *line, char separator, struct se_field field[4])
{
    char *p = line;

    for (int count = 0; count < 4; count++) {
        const int more = se_next_field(&p, separator, &field[count]);

        if (more <= 0)
            return more < 0 ? -1 : count + 1;
    }
    return 4;
}
