/* approx.h - approximate nearest neighbours, with a measured recall */
#ifndef SE_SIM_APPROX_H
#define SE_SIM_APPROX_H

#include "common/sim/engine.h"

/* Fill job->id and job->similarity as the other engines do, but some neighbours may be missed.  The
 * effort is raised until, on rows drawn at random and searched exactly, at least the share `want` of
 * the k best was found; *recall is that share.  Returns 1 if an exact search costs less.  0: done; -1 with `err`.  The same at any number of
 * threads. */
int se_sim_approx(struct se_sim_job *job, double want, double *recall, struct se_err *err);

#endif
