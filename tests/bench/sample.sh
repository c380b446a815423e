#!/bin/bash
# sample.sh - draws per second of se-sample, on one thread and on two: of the draws alone, and
# of the whole tool, which reads, measures, draws, sorts and writes to nowhere
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
TIMEFORMAT=%R

se-gen -n 200000 --degree 10 --features none --splits 0 --tree -q -o tree.seg
for threads in 1 2; do
    for _ in 1 2 3 4 5; do
        { time se-sample -v -@ $threads --theta 50 --no-history tree.seg > /dev/null; } 2>&1 |
            awk -v threads=$threads '/draws in/ { draws = $2; alone = $5 }
                                     END { print threads, draws, alone, $1 }'
    done
done > times.txt
awk 'BEGIN { print "best of 5; per second and core in parentheses"
             printf "%-8s %10s %22s %22s\n", "threads", "draws", "draws alone", "whole tool" }
     function show(t) { return sprintf("%.3f s (%.3g)", t, draws[n] / t / n) }
     { n = $1; draws[n] = $2
       if (!(n in alone) || $3 < alone[n]) alone[n] = $3
       if (!(n in whole) || $4 < whole[n]) whole[n] = $4 }
     END { for (n = 1; n <= 2; n++)
               printf "%-8d %10d %22s %22s\n", n, draws[n], show(alone[n]), show(whole[n]) }
' times.txt
