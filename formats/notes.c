/* notes.c - lines about an import that the user should see */
#include <stdarg.h>
#include <stdio.h>

#include "formats/internal.h"

int se_say(struct se_bytes *notes, struct se_err *err, const char *fmt, ...)
{
    char line[1024];
    va_list ap;
    int len;

    if (!notes)
        return 0;
    va_start(ap, fmt);
    len = vsnprintf(line, sizeof line - 1, fmt, ap);
    va_end(ap);
    if (len < 0)
        return 0;
    if (len > (int)sizeof line - 2)
        len = (int)sizeof line - 2;
    for (int i = 0; i < len; i++)               /* text of a file must not rule a terminal */
        if ((unsigned char)line[i] < ' ' || line[i] == 0x7f)
            line[i] = '?';
    line[len++] = '\n';
    return se_bytes_add(notes, line, (size_t)len, err);
}
