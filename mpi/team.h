/* team.h - the processes of a program that searches trees */
#ifndef SE_TEAM_H
#define SE_TEAM_H

#include "common/tree/dist.h"

/* The processes that mpirun or srun started; close: status is what main() returns. */
void se_team_open(struct se_team *t, int *argc, char ***argv);
void se_team_close(struct se_team *t, int status);

#endif
