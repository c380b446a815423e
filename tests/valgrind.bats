#!/usr/bin/env bats
# Every tool under valgrind on small data: no byte read before it is set or outside its memory,
# nothing lost.  Slow, so only when SE_VALGRIND is set (make check-valgrind).

load helper

need_valgrind() {
    [[ -n ${SE_VALGRIND-} ]] || skip "set SE_VALGRIND=1 or use make check-valgrind"
    need_command valgrind
}

# careful TOOL ARGUMENT...: it ends with 0, and valgrind finds nothing
careful() {
    OPENBLAS_CORETYPE=Haswell valgrind -q --error-exitcode=99 --leak-check=full \
        --errors-for-leak-kinds=definite,indirect,possible \
        --suppressions="$ROOT/tests/valgrind.supp" "$(command -v "$1")" -@ 2 "${@:2}"
}

@test "valgrind: data in and out, looking, joining, dividing, disturbing" {
    need_valgrind
    careful se-gen -n 40 --seed 1 --tree -z 6 -o a.seg
    careful se-gen --karate -o k.seg
    careful se-split --count 2 a.seg -o b.seg
    careful se-noise --rewire --rate .2 b.seg -o c.seg
    careful se-prune --cosine --threshold .05 b.seg -o p.seg
    careful se-cat --drop tree b.seg -o d.seg
    careful se-cat k.seg - < <(se-cat --only labels k.seg) -o e.seg
    careful se-info a.seg > text
    careful se-info --json a.seg > json
    for to in edges mtx metis npz dot graphml json parents tree clu newick nodes; do
        careful se-export -t $to a.seg -o a.$to
    done
    for from in edges mtx metis npz; do
        careful se-import a.$from -f $from -o x.seg
    done
    for from in parents tree clu; do
        careful se-import a.$from -f $from --onto d.seg -o x.seg
    done
    careful se-check --deep a.seg
    run -1 careful se-check - < <(head -c 300 a.seg)
}

@test "valgrind: the stages, each method" {
    need_valgrind
    se-gen -n 40 --seed 1 --features normal --dims 5 -o a.seg
    for model in gcn sage gat appnp mlp linear; do
        careful se-train -m $model --epochs 2 --hidden 4 a.seg -o b.seg
    done
    careful se-train --apply b.seg -o c.seg
    for method in product space; do
        careful se-sim -k 5 --method $method b.seg -o d.seg
    done
    se-gen -n 40 --seed 2 | careful se-sim -k 5 --method sparse -o w.seg
    careful se-kselect d.seg -o e.seg
    for method in best merge paper; do
        careful se-tree -K 3 --method $method --effort high e.seg -o f.seg
    done
    careful se-tree --start -K 2 --pad f.seg -o g.seg
    careful se-tree --score g.seg
    careful se-sample g.seg -o h.seg
    careful se-sample --retain --agree 2 --weights similarity g.seg -o h.seg
    careful se-check --deep g.seg h.seg
}
