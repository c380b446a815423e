/* folder.h - formats that are a folder of files with known names */
#ifndef SE_FOLDER_H
#define SE_FOLDER_H

#include <stdbool.h>

#include "common/base/mem.h"

/* Look in a folder for files whose names start with `head` and end in `tail`, perhaps with .gz
 * behind it.  Returns how many there are (0 if there is no such folder), or -1 with `err` set;
 * *stem is then the path of the first in the alphabet without the tail, for free(), or NULL. */
int se_folder_find(const char *folder, const char *head, const char *tail, char **stem,
                   struct se_err *err);
/* "folder/name" or "stem" + "tail": two strings in one, for free(). */
char *se_join(const char *a, const char *between, const char *b, struct se_err *err);
/* `path`; or NULL with `err` set, and it is freed, if a pipe is there, which would be waited for, or a
 * device, which may never end. */
char *se_plain_file(char *path, struct se_err *err);
/* The same path, or with .gz behind it if only that file exists; NULL as above. */
char *se_find_file(const char *a, const char *between, const char *b, struct se_err *err);
bool se_file_exists(const char *path);

#endif
