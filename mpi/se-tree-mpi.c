/* se-tree-mpi.c - find the hierarchy of a graph, on several processes */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/outfile.h"
#include "common/cli/tool.h"
#include "mpi/team.h"

enum { ON_AUTO, ON_GRAPH, ON_FUSED };

static struct {
    uint64_t k, gather;
    int on;
} o = { 2, 200000, ON_AUTO };

static const struct se_option options[] = {
    { 'K', "height", "K", SE_OPT_COUNT, &o.k, .min = 2, .max = 3,
      .help = "height of the tree: 2 has modules, 3 modules of modules" },
    { 0, "gather", "ARCS", SE_OPT_COUNT, &o.gather, .max = 1e15,
      .help = "a graph of modules with no more arcs (two for each edge) goes to one process, which "
              "searches it as se-tree does; a graph as small as that does so at once" },
    { 0, "edges-of", "auto|graph|fused", SE_OPT_CHOICE, &o.on,
      .help = "the section whose edges are used; auto: fused if it is there, else graph" },
    SE_OPTIONS_END
};

static struct se_team team;

/* What the first process tells the others before they begin */
struct plan {
    bool ready;
    struct se_graph_place place;
};

static uint64_t place_of(const struct se_stream *s, const void *array)
{
    return array ? (uint64_t)((const char *)array - (const char *)s->map) : 0;
}

/* Where the arrays of the graph lie in the file */
static int find_graph(struct plan *p, struct se_stream *s, uint32_t tag, struct se_err *err)
{
    const struct se_section *x = se_stream_find(s, tag);
    struct se_graph g;

    if (x && (!s->map || x->codec != SE_PLAIN))
        return se_fail(err, SE_EINPUT, "%s: is compressed, and no process can read its rows alone; "
                       "write it plain with se-cat -z 0", se_section_name(tag));
    if (se_graph_get(&g, s, tag, err) < 0)
        return -1;
    p->place = (struct se_graph_place){ g.n, g.m, g.loops, place_of(s, g.off), place_of(s, g.to),
                                        place_of(s, g.weight), place_of(s, g.loop),
                                        place_of(s, g.loop_weight) };
    p->ready = true;
    return 0;
}

static int search(struct se_run *run, const struct plan *p, struct se_dist_tree *t,
                  struct se_err *err)
{
    const struct se_dist_options how = { (uint32_t)o.k, o.gather, run->seed, run->threads };
    const char *path = se_run_operand(run, 0);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    int rc;

    if (fd < 0)
        return se_fail_errno(err, SE_EIO, "%s: cannot open", path);
    rc = se_dist_build(t, &team, fd, &p->place, &how, err);
    if (rc < 0 && (err->code == SE_EINPUT || err->code == SE_EIO))
        se_err_in(err, path);
    close(fd);
    return rc;
}

static int put(struct se_run *run, struct se_stream *s, uint32_t tag, const struct se_dist_tree *t,
               struct se_err *err)
{
    uint32_t height;
    uint64_t nodes;

    if (se_dist_put(t, s, tag, &height, &nodes, err) < 0 || se_stats_forget(s, "tree.", err) < 0 ||
        se_stats_set(s, "tree.h", t->h, err) < 0 || se_stats_set(s, "tree.h1", t->h1, err) < 0 ||
        se_stats_set(s, "tree.height", height, err) < 0 ||
        se_stats_set(s, "tree.nodes", (double)nodes, err) < 0 ||
        se_stats_set(s, "tree.k", (double)o.k, err) < 0)
        return -1;
    se_note(run, "H %.10g, H1 %.10g, height %" PRIu32 ", %" PRIu64 " nodes", t->h, t->h1, height,
            nodes);
    return 0;
}

static void tell_bytes(const struct se_run *run)
{
    double sent = (double)team.sent;

    team.sum(&team, &sent, 1);
    se_note(run, "%d processes sent %.0f bytes", team.ranks, sent);
}

/* The first process: it has the stream, checks it and writes it. */
static int lead(struct se_run *run, struct se_stream *s, struct se_err *err)
{
    struct se_dist_tree t = SE_DIST_TREE_INIT;
    const uint32_t tag = o.on == ON_GRAPH ? SE_GRAPH : o.on == ON_FUSED ? SE_FUSED
                                                                        : se_graph_current(s);
    struct plan p = { false };
    int rc = se_stream_has(s, tag) ? se_stream_check_origin(s, tag, err) : 0;

    if (rc == 0)
        rc = find_graph(&p, s, tag, err);
    if (rc < 0)
        return -1;
    team.tell(&team, &p, sizeof p);
    rc = search(run, &p, &t, err);
    if (rc == 0) {
        tell_bytes(run);
        rc = put(run, s, tag, &t, err);
    }
    se_dist_tree_release(&t);
    return rc;
}

/* The others: only their rows */
static int help(struct se_run *run, struct se_err *err)
{
    struct se_dist_tree t = SE_DIST_TREE_INIT;
    struct plan p;
    int rc;

    run->quiet = true;
    run->verbose = false;
    team.tell(&team, &p, sizeof p);
    rc = search(run, &p, &t, err);
    if (rc == 0)
        tell_bytes(run);
    se_dist_tree_release(&t);
    return rc;
}

static int run_tree(struct se_run *run, struct se_err *err)
{
    if (strcmp(se_run_operand(run, 0), "-") == 0)
        return se_fail(err, SE_EUSAGE, "every process reads its part of the input: name a file");
    return team.rank == 0 ? se_run_filter(run, lead, err) : help(run, err);
}

static const struct se_tool tool = {
    .name = "se-tree-mpi", .brief = "find the hierarchy of a graph, on several processes",
    .operands = "FILE", .min_operands = 1, .max_operands = 1,
    .has = SE_TOOL_SEED | SE_TOOL_STREAM | SE_TOOL_PASSES, .options = options,
    .about =
        "se-tree for graphs that one process has no memory for: each process that mpirun\n"
        "or srun starts reads the edges of a range of the vertices. All move vertices to\n"
        "better modules at the same time, tell each other, and do the same with modules,\n"
        "until one process can take over. Any number of processes gives the same tree.\n"
        "It has about the entropy of se-tree --effort fast; se-tree --start improves it.\n"
        "\n"
        "All processes must see the file, which must not be compressed. The first one\n"
        "writes the result, and holds 28 bytes for each vertex then.\n",
    .examples =
        "  mpirun -n 4 se-tree-mpi -K 2 graph.seg -o tree.seg\n"
        "  srun -n 16 se-tree-mpi -K 3 graph.seg -o tree.seg\n"
        "  mpirun -n 2 se-tree-mpi g.seg | se-tree --start -o better.seg\n",
    .run = run_tree
};

int main(int argc, char **argv)
{
    int status;

    se_team_open(&team, &argc, &argv);
    status = se_tool_main(&tool, argc, argv);
    se_team_close(&team, status);
    return status;
}
