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

int se_split(char *line, char separator, struct se_field field[4])
{
    const bool quotes = separator == ',' || separator == ';';
    char *p = line;

    for (int count = 0; count < 4; count++) {
        while (*p == ' ' || (*p == '\t' && separator != '\t'))
            p++;
        if (*p == '"' && quotes) {
            if (!take_quoted(&p, &field[count]))
                return -1;
        } else {
            take_plain(&p, separator, &field[count]);
        }
        while (*p == ' ' || (*p == '\t' && separator != '\t'))
            p++;
        if (*p == '\0')
            return count + 1;
        if (separator != ' ' && *p++ != separator)
            return -1;                  /* something behind a quote */
    }
    return 4;
}
