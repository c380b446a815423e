#!/bin/bash
# stages.sh - print the table of options of se-gsl; the Makefile keeps it as share/se-gsl/options
set -euo pipefail
lib=${0%/*}
{
    awk -v RS='\f' 'NR == 2' "$lib/se-gsl.txt"
    for stage in train sim kselect tree sample; do
        echo "@ $stage"
        "se-$stage" --completion mdoc
    done
} | awk -f "$lib/stages.awk"
