/* trust.h - how plausible each edge is: features, common neighbours, depth in trees
 *
 * The scores of the edges are ranked, the ranks added and ranked again; the weight of an edge is
 * (rank / edges)^gamma, at least `floor`. */
#ifndef SE_TRUST_H
#define SE_TRUST_H

#include "common/sim/idf.h"
#include "common/sim/sim.h"
#include "common/weigh/pairs.h"

enum { SE_TRUST_F, SE_TRUST_CW, SE_TRUST_TREE, SE_TRUST_SCORES };

struct se_trust_options {
    bool wanted[SE_TRUST_SCORES];       /* the scores that count */
    uint32_t rows;              /* SE_FEATURES or SE_EMBEDDING: whose rows f compares */
    double gamma, floor;        /* gamma below 0: by the share of edges that look random */
    uint64_t trees, candidates; /* candidates: non-edges a vertex that are scored too, twice */
    uint64_t seed;
    int threads;
};

struct se_trust {
    struct se_trust_options o;
    struct se_graph g;
    bool rows_there;
    struct se_idf idf;
    struct se_sim_rows rows;
    struct se_sim_query *query; /* one per thread */
    struct se_sim_answer near;
    struct se_pairs edges, all; /* all: edges and candidates */
    double *score[SE_TRUST_SCORES];     /* of all; NULL: not asked for */
    double *rank;               /* of all: sum of the ranks, then their rank; in the end weights */
    uint64_t candidates;
    double gamma, chance;       /* what was used; the share of edges that look random */
};

/* Score and weigh the edges of the graph of `s`.  Release it in any case. */
int se_trust_make(struct se_trust *w, struct se_stream *s, const struct se_trust_options *o,
                  struct se_err *err);
void se_trust_release(struct se_trust *w);

#endif
