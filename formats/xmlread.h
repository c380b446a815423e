/* xmlread.h - XML, one tag after the other, as GraphML and GEXF need it
 *
 * Document types are passed over, and one that declares something is refused: no entity but
 * the five of XML and numbers of characters is ever replaced. */
#ifndef SE_XMLREAD_H
#define SE_XMLREAD_H

#include <stdbool.h>

#include "common/base/mem.h"

enum se_xml_token { SE_XML_ERROR = -1, SE_XML_END, SE_XML_OPEN, SE_XML_CLOSE };

struct se_xml {
    const char *start, *at, *end;
    char name[64];              /* of the tag, without a prefix */
    bool empty;                 /* the tag closes itself: a CLOSE follows */
    struct se_bytes attribute;  /* name NUL value NUL, ... */
    unsigned attributes;
    struct se_bytes text;       /* what stood before the tag, entities replaced */
};

void se_xml_init(struct se_xml *x, const char *text, size_t len);
/* The next tag.  SE_XML_ERROR sets `err`, with the line at fault. */
enum se_xml_token se_xml_next(struct se_xml *x, struct se_err *err);
/* An attribute of the tag, or NULL. */
const char *se_xml_attribute(const struct se_xml *x, const char *name);
/* An error with the line. */
int se_xml_fail(const struct se_xml *x, struct se_err *err, const char *what);
void se_xml_release(struct se_xml *x);

#endif
