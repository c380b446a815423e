/* stream.h - queues of work that run when somebody waits */
#ifndef EMU_STREAM_H
#define EMU_STREAM_H

#include "emu.h"

#include <deque>

#pragma GCC visibility push(hidden)

struct emu_command {
    emu_work work;                          /* may be empty */
    std::shared_ptr<CUstream_st> stream;    /* first run this one */
    uint64_t until;                         /* up to here */
};

struct CUstream_st {
    bool blocking;                          /* in order with the default stream */
    std::deque<emu_command> queue;
    uint64_t queued, done;                  /* commands, ever */
    const char *file;
    int line;
};

struct CUevent_st {
    std::shared_ptr<CUstream_st> stream;    /* of the last record */
    uint64_t until;
    std::shared_ptr<double> time;           /* ms, set when the record is reached */
    bool timing;
    const char *file;
    int line;
};

std::shared_ptr<CUstream_st> emu_stream(cudaStream_t handle, const char *file, int line);
void emu_run_until(CUstream_st *s, uint64_t until);

#pragma GCC visibility pop

#endif
