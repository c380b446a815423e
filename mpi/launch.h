/* launch.h - what all programs that run as several processes share: starting, failing, ending */
#ifndef SE_LAUNCH_H
#define SE_LAUNCH_H

#include <mpi.h>
#include <stdint.h>

enum { SE_MPI_PIECE = 1 << 30 };        /* lengths of messages are ints */

/* Join the others.  What processes other than the first say waits. */
void se_mpi_begin(int *argc, char ***argv, int *rank, int *ranks);
/* status: what main() returns.  One that failed ends all, which may be waiting for it. */
void se_mpi_end(int rank, int ranks, int status);
/* Nothing can go on: end all. */
void se_mpi_give_up(const char *why);
/* Room for a message, the same as in the call before where that is enough */
char *se_mpi_room(uint64_t bytes);
/* A type for items of so many bytes */
MPI_Datatype se_mpi_items(uint64_t bytes);

#endif
