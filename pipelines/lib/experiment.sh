# experiment.sh - what the experiments share: options, datasets, runs, figures
#
# An experiment sets brief, more_options (lines for the table), columns (of its TSV) and the
# functions collect, which prints the lines of the TSV, and picture, which prints gnuplot commands.
# shellcheck shell=bash disable=SC1091,SC2016,SC2034,SC2154

export LC_ALL=C
here=$(cd "$(dirname "$(readlink -f "$0")")" && pwd)
share=$here
if ! type -P se-train > /dev/null; then
    export PATH=$PATH:$here/../build/bin
fi
[[ ! -x $here/se-gsl ]] || export PATH=$here:$PATH       # se-gsl and se-data beside it come first
source "$share/lib/table.sh"
source "$share/lib/figures.sh"

OPTIONS="
all|o|output|DIR||where results and run folders go (default $me)
all||data|DIR||where the datasets are, NAME.seg as se-data writes them (default data)
all||datasets|LIST||names separated by blanks, or streams (default $default_datasets)
all||splits|LIST||splits, as se-gsl takes them (default 0-9)
all||runs|R||runs on each split (default 1)
all||iterations|N||rounds (default 10)
all||epochs|N||epochs of each training (default 200)
all||seed|N||seed (default 0)
all|j|jobs|N||runs at a time (default 1)
${more_options-}
all|q|quiet|||say nothing
all|h|help|||print this help
all|V|version|||print the version"
TITLES='all=Options'
SYNOPSIS='.Nm'

usage_text() {
    printf 'usage: %s [option ...]\n%s - %s\n' "$me" "$me" "$brief"
    printf '\nWrites %s.tsv, %s.svg and the run folders of se-gsl.  Cut off, it goes on where it was.\n' "$me" "$me"
}

help_end() {
    echo "Datasets come from se-data, which takes them from SE_DATA_MIRROR where that is set."
}

# stream_of NAME: the path of a dataset, fetched if it has to be
stream_of() {
    if [[ $1 == *.seg ]]; then
        echo "$1"
        return
    fi
    [[ -e $data/$1.seg ]] || se-data -q -o "$data" "$1" || exit 1
    echo "$data/$1.seg"
}

# name_of NAME: texas for data/texas.seg
name_of() {
    local name=${1##*/}
    echo "${name%.seg}"
}

# gsl FOLDER DATASET MODEL OPTION...: a run of se-gsl with the preset of the dataset, if it has one
gsl() {
    local dir=$out/$1 set=$2 model=$3 file words=()
    shift 3
    file=$(stream_of "$set") || exit 1
    set=$(name_of "$set")
    set=${set%%+*}                      # cora+noise has the preset of cora
    ! cut -f 1 "$share/presets/datasets.tsv" | grep -qxF "$set" || words+=(--preset "$set")
    words+=(--model "$model" --splits "$splits" --runs "$runs" --iterations "$iterations"
        --epochs "$epochs" --seed "$seed" --jobs "$jobs" --lean)
    [[ -v given[quiet] ]] || warn "${dir#"$out"/}"
    se-gsl -q "${words[@]}" "$@" -o "$dir" "$file" || die "the run in $dir failed"
}

# result FOLDER PROTOCOL: mean, std and n
result() {
    awk -F '\t' -v OFS='\t' -v p="$2" '$1 == p { print $2, $3, $4 }' "$out/$1/summary.tsv"
}

# svg: picture as a file of its own
svg() {
    type -P gnuplot > /dev/null || { warn "no figure: gnuplot is not installed"; return 0; }
    {
        echo "set terminal svg size 900,480 dynamic font 'DejaVu Sans,13' background '#ffffff'"
        echo "set output '$out/$me.svg.part'"
        echo "set datafile separator tab; set datafile missing 'nan'; set tics nomirror"
        echo "set border lc rgb '#888888'; set grid ytics lc rgb '#dddddd'; set key outside top horizontal"
        picture
    } > "$work/figure.gp"
    gnuplot "$work/figure.gp" 2> "$work/figure.log" || die "gnuplot failed: $(head -n 3 "$work/figure.log")"
    mv "$out/$me.svg.part" "$out/$me.svg"
}

# experiment WORD...: all of it
experiment() {
    take_options "$@"
    (( ${#operands[@]} == 0 )) || bad_usage "${operands[0]}: no operand is wanted"
    out=${given[output]-$me} data=${given[data]-data}
    out=${out%/}
    whole runs 1 1000 1
    whole iterations 0 999 10
    whole epochs 1 1000000 200
    whole seed 0 4294967295 0
    whole jobs 1 1024 1
    splits=${given[splits]-0-9}
    read -ra datasets <<< "${given[datasets]-$default_datasets}"
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    mkdir -p "$out" || exit 1
    [[ -v given[quiet] ]] || warn "$(se-train --version | head -n 1), seed $seed, splits $splits"
    {
        printf '# %s %s, %s, seed %s, splits %s, %s runs, %s iterations, %s epochs\n' "$me" \
            "$(se-train --version | sed -n '1s/^[^ ]* //p')" "$(date -u +%Y-%m-%d)" "$seed" \
            "$splits" "$runs" "$iterations" "$epochs"
        echo "$columns"
        collect
    } > "$out/$me.part"
    mv "$out/$me.part" "$out/$me.tsv"
    svg
}

# rows_of VALUE...: the lines of the TSV whose first columns are these, into $work/rows-N; the
# number N in REPLY
rows=0
rows_of() {
    rows=$(( rows + 1 ))
    REPLY=$work/rows-$rows
    grep -v '^#' "$out/$me.tsv" | sed 1d | awk -F '\t' -v want="$(IFS=$'\t'; echo "$*")" \
        'index($0 "\t", want "\t") == 1' > "$REPLY"
}
