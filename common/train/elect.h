/* elect.h - which of the models of a run validation chooses */
#ifndef SE_ELECT_H
#define SE_ELECT_H

#include "common/stream/section.h"

/* The rows of the table */
enum se_protocol {
    SE_BACKBONE, SE_HONEST, SE_ENSEMBLE, SE_COMMITTEE, SE_SMOOTHED, SE_PROTOCOLS
};
extern const char *const se_protocol_names[SE_PROTOCOLS];

/* The models of a run: the first is the backbone, the others learned on.  Behind them there may be
 * their ensemble, the committee of other models and what smoothing gave; these are no members. */
struct se_candidate {
    uint8_t *right;             /* for each validation vertex: is the prediction right? */
    uint64_t val, test, tests;  /* right ones; vertices of the test part */
};

struct se_candidates {
    struct se_candidate *model;
    uint64_t n;                 /* validation vertices with a label */
    int count, members;         /* all; the models of the run */
    int at[SE_PROTOCOLS];       /* which one the ensemble and so on are; 0: there is none */
    size_t cap;
};
#define SE_CANDIDATES_INIT { .n = 0 }

struct se_election {
    struct {
        int iteration;          /* whose graph it is; -1: there is none of this protocol */
        double val, score, test;        /* accuracies; test NaN without test vertices */
    } row[SE_PROTOCOLS];
    enum se_protocol chosen;
};

/* Add a model by its predictions; part is that of one split.  `kind` is that of what is no
 * member, or SE_HONEST for a member; members come first. */
int se_candidates_add(struct se_candidates *c, const int32_t *predicted, const int32_t *label,
                   const uint8_t *part, uint64_t n, enum se_protocol kind, struct se_err *err);
/* The first member with the most right predictions on the validation part */
int se_candidates_best(const struct se_candidates *c);
/* The best member was selected by its validation accuracy, which is therefore too high: its score is
 * measured on one half of the validation vertices after a selection on the other, the mean of 20
 * random divisions.  The best epoch of each model was selected, too, which flatters a single model
 * more than a mean.  So the better one of ensemble and committee is chosen unless its score is below
 * the best one by more than a standard error of the difference (over vertices); else the backbone in
 * the same way; else the best member, here called honest.  Then what smoothing gave is chosen instead
 * if its score is higher by more than a standard error. */
int se_candidates_judge(struct se_election *x, const struct se_candidates *c, struct se_err *err);
void se_candidates_release(struct se_candidates *c);

#endif
