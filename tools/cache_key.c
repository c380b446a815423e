/* cache_key.c - what the result of a command of se-cache depends on */
#include "tools/cache_key.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/command.h"

static int hash_input(struct cache_key *w, struct se_err *err)
{
    char text[SE_DIGEST_TEXT];
    struct se_digest d;

    if (w->input_digest) {
        if (strlen(w->input_digest) != SE_DIGEST_TEXT - 1 ||
            w->input_digest[strspn(w->input_digest, "0123456789abcdef")])
            return se_fail(err, SE_EUSAGE, "--input-digest: '%s' is not 32 hexadecimal digits",
                           w->input_digest);
        memcpy(text, w->input_digest, sizeof text);
    } else {
        if (se_digest_any(w->input, &d, err) < 0)
            return se_err_in(err, w->input_name);
        se_digest_text(&d, text);
    }
    se_key_text(&w->key, text);
    return se_key_tell(&w->key, "input", text, w->input_name, err);
}

/* --append: the content of a file under any name */
static int hash_appended(struct cache_key *w, struct se_err *err)
{
    const int fd = open(w->append, O_RDONLY | O_CLOEXEC);
    char text[SE_DIGEST_TEXT];
    struct se_digest d;
    int rc;

    if (fd < 0)
        return se_fail_errno(err, SE_EIO, "%s: cannot open", w->append);
    rc = se_digest_any(fd, &d, err);
    close(fd);
    if (rc < 0)
        return se_err_in(err, w->append);
    se_key_text(&w->key, "append");
    se_key_text(&w->key, se_digest_text(&d, text));
    return se_key_tell(&w->key, "file", text, w->append, err);
}

int cache_key_make(struct cache_key *w, char key[SE_DIGEST_TEXT], struct se_err *err)
{
    struct se_digest d;
    char *text;
    int rc;

    se_hash_init(&w->key.hash);
    se_key_text(&w->key, "se-cache 1");
    se_key_text(&w->key, se_version);
    if (hash_input(w, err) < 0)
        return -1;
    text = se_command_text(w->word, w->words, err);
    rc = text ? se_key_tell(&w->key, "command", NULL, text, err) : -1;
    free(text);
    for (int i = 0; rc == 0 && i < w->words; i++) {
        se_key_text(&w->key, w->word[i]);
        rc = se_key_word(&w->key, w->word[i], err);
    }
    for (int i = 0; rc == 0 && i < w->also.count; i++) {
        se_key_text(&w->key, w->also.item[i]);
        rc = se_key_file(&w->key, w->also.item[i], err);
        if (rc == 0)
            rc = se_fail(err, SE_EIO, "--also %s: no such file or program",
                         w->also.item[i]);
        else if (rc > 0)
            rc = 0;
    }
    if (rc == 0 && w->append)
        rc = hash_appended(w, err);
    if (rc == 0)
        rc = se_bytes_add(&w->key.about, "", 1, err);
    d = se_hash_end(&w->key.hash);
    se_digest_text(&d, key);
    return rc;
}
