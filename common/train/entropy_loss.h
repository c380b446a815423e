/* entropy_loss.h - structural entropy of a soft assignment to modules, as a loss */
#ifndef SE_ENTROPY_LOSS_H
#define SE_ENTROPY_LOSS_H

#include "common/train/train.h"

/* With S the assignment, n rows that add up to 1, V_j = sum over v of S_vj d_v the volume of
 * module j and I_j = sum over pairs (u, v) of w_uv S_uj S_vj twice the weight inside it:
 *     H = H1 + 1/vol sum over j of I_j log2(V_j / vol),
 * the two-dimensional structural entropy of the graph where S is a partition; H1 is that of the
 * degrees.  Self-loops are left out. */
struct se_entropy_loss {
    struct se_extra extra;      /* first */
    const struct se_nngraph *graph;
    double weight;              /* of the loss */
    double h1, volume, value;   /* value: H of the last pass, not times the weight */
    uint64_t modules;
    double *degree;             /* per vertex */
    se_real *arc, *near;        /* weights without loops; A S */
    double *inside, *size;      /* I, V */
};

/* The assignment is the output of the net's last layer, see se_net_aside(): se_entropy_layers()
 * appends softmax(H W + b) on the input of the last layer of the model that learns, H.  `graph` is
 * that of p, or of all vertices if p is NULL.  Release in any case. */
int se_entropy_layers(struct se_net *net, uint64_t modules, struct se_err *err);
/* The same for a model whose logits are those of the modules: softmax of them, nothing else */
int se_entropy_alone(struct se_net *net, struct se_err *err);
int se_entropy_loss_make(struct se_entropy_loss *x, const struct se_nngraph *graph,
                         struct se_peers *p, uint64_t modules, double weight, struct se_err *err);
void se_entropy_loss_release(struct se_entropy_loss *x);
/* H of S, and weight times its gradient into dS unless that is NULL */
double se_entropy_of(struct se_entropy_loss *x, const struct se_net *net, const se_real *s,
                     se_real *ds);

#endif
