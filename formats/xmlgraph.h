/* xmlgraph.h - GraphML and GEXF, read */
#ifndef SE_XMLGRAPH_H
#define SE_XMLGRAPH_H

#include "formats/formats.h"

int se_xmlgraph_import(bool gexf, struct se_import *in, struct se_stream *s, struct se_err *err);
/* Does the file start with this tag ("<gexf")? */
int se_xmlgraph_detect(const char *head, size_t len, const char *tag);

#endif
