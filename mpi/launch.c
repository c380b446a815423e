/* launch.c - starting, failing and ending together, on MPI */
#include "mpi/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static int spoken = -1, errors = -1;    /* where messages of this process wait; the real stderr */
static char *room;                      /* what is sent, packed */
static uint64_t room_bytes;

/* All processes find the same faults, and the first one speaks for them.  What others say waits in
 * memory until it is known that they fail alone. */
static void be_quiet(void)
{
    spoken = memfd_create("stderr", MFD_CLOEXEC);
    errors = spoken < 0 ? -1 : fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    if (errors >= 0)
        dup2(spoken, STDERR_FILENO);
}

static void speak(void)
{
    char text[4096];
    ssize_t some;

    if (errors < 0)
        return;
    fflush(stderr);
    for (off_t at = 0; (some = pread(spoken, text, sizeof text, at)) > 0; at += some)
        if (write(errors, text, (size_t)some) != some)
            return;
}

/* Without memory for a message nothing can go on, and the others wait for it. */
void se_mpi_give_up(const char *why)
{
    fprintf(stderr, "%s: %s\n", program_invocation_short_name, why);
    speak();
    MPI_Abort(MPI_COMM_WORLD, 1);
}

char *se_mpi_room(uint64_t bytes)
{
    if (bytes > room_bytes || !room) {
        free(room);
        room = malloc(bytes ? bytes : 1);
        room_bytes = bytes;
        if (!room)
            se_mpi_give_up("out of memory for messages; use more processes");
    }
    return room;
}

MPI_Datatype se_mpi_items(uint64_t bytes)
{
    MPI_Datatype type;

    MPI_Type_contiguous((int)bytes, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    return type;
}

void se_mpi_begin(int *argc, char ***argv, int *rank, int *ranks)
{
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, rank);
    MPI_Comm_size(MPI_COMM_WORLD, ranks);
    if (*rank > 0)
        be_quiet();
}

/* The first process comes first. */
void se_mpi_end(int rank, int ranks, int status)
{
    enum { FIRST_SPEAKS = 500000 };

    if (status != 0 && rank > 0) {
        usleep(FIRST_SPEAKS);
        speak();
    }
    if (status != 0 && ranks > 1)
        MPI_Abort(MPI_COMM_WORLD, status);
    MPI_Finalize();
    free(room);
}
