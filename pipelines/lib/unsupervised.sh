# unsupervised.sh - se-gsl without labels: clusters by se-cluster, in a run folder
# shellcheck shell=bash disable=SC2154

# unsupervised: best.seg, clusters.tsv (what was tried), metrics.tsv (the levels of the tree),
# summary.tsv and commands.sh
unsupervised() {
    local words numbers modules h ratio edges
    [[ -v given[unsupervised] ]] || warn "$input: no labels; finding clusters with se-cluster"
    words=(se-cluster --seed "$seed" ${given[effort]+--effort "${given[effort]}"} ${threads:+-@ "$threads"})
    same_settings
    printf '#!/bin/bash\nset -euo pipefail\ncd -- %q\n%s--table %q %q -o %q\n' "$PWD" "$(printf '%q ' "${words[@]}")" \
        "$out/clusters.tsv" "$input" "$out/best.seg" | put "$out/commands.sh"
    if ! [[ -e $out/summary.tsv && -e $out/clusters.tsv ]] || ! se-check -q "$out/best.seg" 2> /dev/null; then
        in_background "${words[@]}" ${given[quiet]+-q} --table "$out/clusters.tsv.part" "$input" -o "$out/best.seg"
        mv "$out/clusters.tsv.part" "$out/clusters.tsv"
    fi
    numbers=$(se-info --get 'cluster.modules,tree_h,tree_h_normalised,fused_edges?' "$out/best.seg") || exit 1
    read -r modules h ratio edges <<< "${numbers//null/nan}"
    awk -F '\t' -v OFS='\t' 'NR == 1 || $9 == "yes"' "$out/clusters.tsv" | put "$out/metrics.tsv"
    awk -F '\t' -v OFS='\t' -v modules="$modules" -v h="$h" -v ratio="$ratio" -v edges="$edges" '
        BEGIN { print "name", "value" }
        NR > 1 && !n++ { stability = $7; chance = $8 }
        END {
            print "modules", modules; print "h", h; print "h_normalised", ratio; print "edges", edges
            print "stability", n ? stability : "nan"; print "chance", n ? chance : "nan"
        }' "$out/metrics.tsv" | put "$out/summary.tsv"
    [[ ! -v given[quiet] ]] || return 0
    awk -F '\t' 'NR > 1 { printf "%-14s %s\n", $1, $2 }' "$out/summary.tsv" >&2
    printf 'best graph: %s (section fused; level 1 of its tree: the clusters)\nlook at it: se-report %q\nuse it:     se-export -t membership %q\n' \
        "$out/best.seg" "$out" "$out/best.seg" >&2
}
