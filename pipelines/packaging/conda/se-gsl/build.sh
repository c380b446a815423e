#!/bin/bash
# Build se-gsl into the conda environment $PREFIX
set -euo pipefail

# tests/setup looks for Debian packages; conda has put everything there already
mkdir -p build
touch build/.build-ready
# programs load OpenBLAS when they need it, and find it beside them
make -j "${CPU_COUNT:-1}" PREFIX="$PREFIX" CC="$CC" CFLAGS="-O3 ${CFLAGS-}" \
    LDFLAGS="${LDFLAGS-} -Wl,-rpath,$PREFIX/lib" all
make PREFIX="$PREFIX" install
