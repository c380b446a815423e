#!/bin/bash
# tree.sh [quality|speed|start ...] - se-tree beside igraph's and leidenalg's community searches:
# H of the trees, seconds, memory.  SE_BENCH_EDGES=7 goes on to 10^7 edges; SE_BENCH_INFOMAP is
# the number of edges up to which Infomap is run, SE_BENCH_DATA the datasets.
set -euo pipefail
for python in python3 /usr/bin/python3; do
    if "$python" -c 'import numpy, networkx, igraph' 2> /dev/null; then
        exec "$python" "$(dirname "$0")/tree.py" "$@"
    fi
done
echo "tree.sh: needs numpy, networkx and igraph for Python" >&2
exit 1
