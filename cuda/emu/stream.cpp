/* stream.cpp - streams and events: queued work runs when somebody waits, and no further
 *
 * Streams are ordered among each other only by events and, unless they were created
 * non-blocking, by the default stream. */
#include "stream.h"

#include <chrono>
#include <cstdio>
#include <map>
#include <vector>

typedef std::shared_ptr<CUstream_st> stream_ptr;

typedef std::map<cudaStream_t, stream_ptr> stream_map;
typedef std::map<cudaEvent_t, std::shared_ptr<CUevent_st>> event_map;

/* Never destroyed: the search for leaks comes last */
static stream_map &streams = *new stream_map;
static event_map &events = *new event_map;
/* In order of creation; destroyed ones too, until their work is done */
static std::vector<stream_ptr> &busy = *new std::vector<stream_ptr>;

static stream_ptr default_stream()
{
    if (busy.empty())
        busy.push_back(std::make_shared<CUstream_st>());
    return busy[0];
}

stream_ptr emu_stream(cudaStream_t handle, const char *file, int line)
{
    stream_ptr s = default_stream();

    if (!handle)
        return s;
    auto i = streams.find(handle);
    if (i == streams.end())
        emu_fatal("%s:%d: a stream that was destroyed or never created", file, line);
    return i->second;
}

void emu_run_until(CUstream_st *s, uint64_t until)
{
    while (s->done < until) {
        emu_command c = std::move(s->queue.front());
        s->queue.pop_front();
        if (c.stream)
            emu_run_until(c.stream.get(), c.until);
        if (c.work)
            c.work();
        s->done++;
    }
}

static void run(CUstream_st *s, uint64_t until)
{
    if (s->done >= until)
        return;
    emu_memory_open();
    emu_run_until(s, until);
    emu_memory_close();
}

static void append(const stream_ptr &s, emu_command c)
{
    s->queue.push_back(std::move(c));
    s->queued++;
}

/* The default stream waits for all blocking streams, and they for it */
static void order_with_default(const stream_ptr &s)
{
    stream_ptr d = default_stream();

    if (s == d) {
        for (auto &o : busy)
            if (o->blocking && o->done < o->queued)
                append(d, { nullptr, o, o->queued });
    } else if (s->blocking && d->done < d->queued) {
        append(s, { nullptr, d, d->queued });
    }
}

void emu_push(cudaStream_t handle, emu_work work, const char *file, int line)
{
    stream_ptr s = emu_stream(handle, file, line);

    order_with_default(s);
    append(s, { std::move(work), nullptr, 0 });
}

void emu_wait(cudaStream_t handle, const char *file, int line)
{
    stream_ptr s = emu_stream(handle, file, line);

    if (!handle)
        order_with_default(s);          /* waiting for it is waiting for the blocking ones */
    run(s.get(), s->queued);
}

/* Streams that nobody can reach any more and that have nothing left to do */
static void forget()
{
    for (size_t i = 1; i < busy.size(); )
        if (busy[i]->done == busy[i]->queued && !streams.count(busy[i].get()))
            busy.erase(busy.begin() + (long)i);
        else
            i++;
}

void emu_wait_all()
{
    emu_order order = emu_env()->order;
    std::vector<CUstream_st *> left;

    for (auto &s : busy)
        if (s->done < s->queued)
            left.push_back(s.get());
    if (left.empty())
        return;
    emu_memory_open();
    while (!left.empty()) {
        size_t i = order == EMU_FORWARD ? 0 : order == EMU_REVERSE ? left.size() - 1
                                            : emu_random() % left.size();
        CUstream_st *s = left[i];
        emu_run_until(s, order == EMU_RANDOM && s->done < s->queued ? s->done + 1 : s->queued);
        if (s->done == s->queued)
            left.erase(left.begin() + (long)i);
    }
    emu_memory_close();
    forget();
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags, const char *file,
                                      int line)
{
    emu_lock lock;
    cudaError_t e = emu_enter(cudaErrorMemoryAllocation);

    if (e != cudaSuccess)
        return e;
    if (flags > cudaStreamNonBlocking)
        return emu_error(cudaErrorInvalidValue);
    default_stream();
    stream_ptr s = std::make_shared<CUstream_st>();
    s->blocking = !(flags & cudaStreamNonBlocking);
    s->file = file;
    s->line = line;
    streams[s.get()] = s;
    busy.push_back(s);
    *stream = s.get();
    return cudaSuccess;
}

cudaError_t cudaStreamCreate(cudaStream_t *stream, const char *file, int line)
{
    return cudaStreamCreateWithFlags(stream, cudaStreamDefault, file, line);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream, const char *file, int line)
{
    emu_lock lock;
    cudaError_t e = emu_enter(cudaErrorLaunchFailure);

    if (!stream)
        return emu_error(cudaErrorInvalidResourceHandle);
    emu_stream(stream, file, line);
    streams.erase(stream);              /* what is queued still runs when waited for */
    forget();
    return e;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream, const char *file, int line)
{
    emu_lock lock;
    cudaError_t e = emu_enter(cudaErrorLaunchFailure);

    if (e == cudaSuccess)
        emu_wait(stream, file, line);
    return e;
}

/* Asking is a weak form of waiting: one command runs, so that a loop of questions ends */
static cudaError_t query(CUstream_st *s, uint64_t until)
{
    if (s->done < until)
        run(s, s->done + 1);
    return s->done < until ? cudaErrorNotReady : cudaSuccess;
}

cudaError_t cudaStreamQuery(cudaStream_t stream, const char *file, int line)
{
    emu_lock lock;
    cudaError_t e = emu_enter(cudaErrorLaunchFailure);

    if (e != cudaSuccess)
        return e;
    stream_ptr s = emu_stream(stream, file, line);
    return query(s.get(), s->queued);
}

static CUevent_st *find_event(cudaEvent_t event, const char *file, int line)
{
    auto i = events.find(event);

    if (i == events.end())
        emu_fatal("%s:%d: an event that was destroyed or never created", file, line);
    return i->second.get();
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned,
                                const char *file, int line)
{
    emu_lock lock;
    cudaError_t e = emu_enter(cudaErrorInvalidResourceHandle);

    if (e != cudaSuccess)
        return e;
    stream_ptr s = emu_stream(stream, file, line);
    CUevent_st *v = find_event(event, file, line);
    order_with_default(s);
    if (v->stream && v->stream != s)
        append(s, { nullptr, v->stream, v->until });
    return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags, const char *file,
                                     int line)
{
    emu_lock lock;
    cudaError_t e = emu_enter(cudaErrorMemoryAllocation);

    if (e != cudaSuccess)
        return e;
    auto v = std::make_shared<CUevent_st>();
    v->timing = !(flags & cudaEventDisableTiming);
    v->file = file;
    v->line = line;
    events[v.get()] = v;
    *event = v.get();
    return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *event, const char *file, int line)
{
    return cudaEventCreateWithFlags(event, cudaEventDefault, file, line);
}

cudaError_t cudaEventDestroy(cudaEvent_t event, const char *file, int line)
{
    emu_lock lock;
    cudaError_t e = emu_enter(cudaErrorLaunchFailure);

    find_event(event, file, line);
    events.erase(event);
    return e;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream, const char *file, int line)
{
    emu_lock lock;
    cudaError_t e = emu_enter(cudaErrorInvalidResourceHandle);

    if (e != cudaSuccess)
        return e;
    CUevent_st *v = find_event(event, file, line);
    auto time = std::make_shared<double>(0);
    emu_push(stream, [time] {
        auto now = std::chrono::steady_clock::now().time_since_epoch();
        *time = std::chrono::duration<double, std::milli>(now).count();
    }, file, line);
    v->stream = emu_stream(stream, file, line);
    v->until = v->stream->queued;
    v->time = time;
    return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event, const char *file, int line)
{
    emu_lock lock;
    cudaError_t e = emu_enter(cudaErrorLaunchFailure);

    if (e != cudaSuccess)
        return e;
    CUevent_st *v = find_event(event, file, line);
    if (v->stream)
        run(v->stream.get(), v->until);
    return cudaSuccess;
}

cudaError_t cudaEventQuery(cudaEvent_t event, const char *file, int line)
{
    emu_lock lock;
    cudaError_t e = emu_enter(cudaErrorLaunchFailure);

    if (e != cudaSuccess)
        return e;
    CUevent_st *v = find_event(event, file, line);
    return v->stream ? query(v->stream.get(), v->until) : cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t stop,
                                 const char *file, int line)
{
    emu_lock lock;
    cudaError_t e = emu_enter(cudaErrorInvalidResourceHandle);

    if (e != cudaSuccess)
        return e;
    CUevent_st *a = find_event(start, file, line), *b = find_event(stop, file, line);
    if (!a->stream || !b->stream || !a->timing || !b->timing)
        return emu_error(cudaErrorInvalidResourceHandle);
    if (a->stream->done < a->until || b->stream->done < b->until)
        return cudaErrorNotReady;
    *ms = (float)(*b->time - *a->time);
    return cudaSuccess;
}

int emu_stream_leaks()
{
    int n = 0;

    for (auto &s : streams) {
        fprintf(stderr, "emu: leak: a stream created at %s:%d\n", s.second->file, s.second->line);
        n++;
    }
    for (auto &v : events) {
        fprintf(stderr, "emu: leak: an event created at %s:%d\n", v.second->file, v.second->line);
        n++;
    }
    streams.clear();
    events.clear();
    return n;
}
