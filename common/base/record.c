/* record.c - what the files of a folder were made from: a line each in a file beside them */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/outfile.h"
#include "common/base/record.h"
#include "common/base/text.h"

/* Without folder and .seg */
static void record_name(const char *output, char name[NAME_MAX + 1])
{
    const char *slash = strrchr(output, '/');
    char *end;

    snprintf(name, NAME_MAX + 1, "%s", slash ? slash + 1 : output);
    end = strrchr(name, '.');
    if (end && end > name && strcmp(end, ".seg") == 0)
        *end = '\0';
}

bool se_record_read(const char *path, const char *output, struct se_entry *e,
                    struct se_bytes *rest, struct se_err *err)
{
    struct se_bytes all = SE_BYTES_INIT;
    struct se_err ignored = SE_ERR_INIT;
    char name[NAME_MAX + 1], *save = NULL;
    bool found = false;

    record_name(output, name);
    if (access(path, F_OK) < 0 || se_slurp(&all, path, 1 << 20, &ignored) < 0)
        return false;
    for (char *line = strtok_r(all.data, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        char *field[5], *at = line;
        int fields = 0;
        uint64_t ms;

        while (fields < 5 && (field[fields] = strsep(&at, "\t")))
            fields++;
        if (fields != 4 || !se_whole_u64(field[3], &ms) || ms > 1000000000 ||
            strlen(field[2]) != SE_DIGEST_TEXT - 1)
            continue;                           /* damaged: as if it were not there */
        if (strcmp(field[0], name) != 0) {
            char text[NAME_MAX + 200];

            snprintf(text, sizeof text, "%.255s\t%.80s\t%s\t%" PRIu64 "\n", field[0], field[1],
                     field[2], ms);
            if (se_bytes_add(rest, text, strlen(text), err) < 0)
                break;
        } else if (strcmp(field[1], e->key) == 0) {
            memcpy(e->result, field[2], SE_DIGEST_TEXT);
            e->ms = ms;
            found = true;
        }
    }
    se_bytes_release(&all);
    return found;
}

int se_record_write(const char *path, const char *output, const struct se_entry *e,
                    const struct se_bytes *rest, struct se_err *err)
{
    char name[NAME_MAX + 1];
    struct se_out out;
    const int fd = se_output_open(path, err);
    int rc;

    if (fd < 0)
        return -1;
    record_name(output, name);
    rc = se_out_init(&out, fd, err);
    if (rc == 0) {
        se_out_bytes(&out, rest->data ? rest->data : "", rest->len);
        se_outf(&out, "%s\t%s\t%s\t%" PRIu64 "\n", name, e->key, e->result,
                e->ms);
        rc = se_out_flush(&out, err);
        se_out_release(&out);
    }
    if (rc < 0) {
        se_output_abort();
        return se_err_in(err, path);
    }
    return se_output_commit(err);
}
