#!/bin/bash
# sim.sh [PART...] - se-sim beside FAISS and sgemm, and with se-kselect on the real datasets
# Parts: faiss, large, real, approx; all of them by default.  Needs numpy; FAISS, hnswlib and
# pynndescent where they are there.  approx: of APPROX_ROWS rows, and hnswlib with each of APPROX_EF.
set -euo pipefail
script=$(cd "$(dirname "$0")" && pwd)/sim.py
for python in python3 /usr/bin/python3; do
    for modules in numpy,faiss numpy; do
        if "$python" -c "import $modules" 2> /dev/null; then
            found=${found:-$modules $python}
            [[ $modules == numpy,faiss ]] && found="$modules $python"
            break
        fi
    done
done
[[ -n ${found-} ]] || { echo "left out: no Python with numpy"; exit 0; }
[[ $found == numpy,faiss* ]] || echo "no FAISS here (pip install faiss-cpu): ours alone"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
"${found#* }" "$script" "$@"
