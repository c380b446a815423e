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
all||data|DIR||folder of the datasets, NAME.seg as written by se-data (default data)
all||datasets|LIST||names or streams, separated by blanks (default $default_datasets)
all||splits|LIST||splits, as se-gsl takes them (default 0-9)
all||runs|R||runs on each split (default 1)
all||iterations|N||rounds (default 10)
all||epochs|N||epochs of each training (default 200)
all||seed|N||seed (default 0)
all|j|jobs|N||number of runs at the same time (default 1)
all||estimate|||print how long each dataset will take, and stop; results computed for this are kept
all||done|||make the table from finished runs only, and compute nothing
${more_options-}
all|q|quiet|||print nothing
all|h|help|||print this help
all|V|version|||print the version"
TITLES='all=Options'
SYNOPSIS='.Nm'

usage_text() {
    printf 'usage: %s [option ...]\n%s - %s\n' "$me" "$me" "$brief"
    printf '\nWrites %s.tsv, %s.svg and the run folders of se-gsl.  Small datasets come first.\n' "$me" "$me"
    printf 'After an interruption the same command continues.\n'
}

help_end() {
    echo "Datasets are fetched by se-data, or taken from the folder SE_DATA_MIRROR."
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

# small_first: the datasets by the size of their streams
small_first() {
    local set file
    for set in "${datasets[@]}"; do
        file=$(stream_of "$set") || exit 1
        [[ -e $file ]] || die "$file: is not there"
        printf '%s\t%s\n' "$(stat -Lc %s "$file")" "$set"
    done | sort -s -n -k 1,1 | cut -f 2
}

# gsl FOLDER DATASET MODEL OPTION...: a run of se-gsl with the preset of the dataset, if it has
# one; model auto: with neither; with --done status 1 unless it is there, with --estimate always, and the time is added up
gsl() {
    local dir=$out/$1 set=$2 model=$3 file words=()
    shift 3
    if [[ -v given[done] ]]; then
        [[ -e $dir/summary.tsv ]]
        return
    fi
    file=$(stream_of "$set") || exit 1
    set=$(name_of "$set")
    set=${set%%+*}                      # cora+noise has the preset of cora
    [[ $model == auto ]] || ! cut -f 1 "$share/presets/datasets.tsv" | grep -qxF "$set" || words+=(--preset "$set")
    [[ $model == auto ]] || words+=(--model "$model")
    [[ $model == auto && ! -v given[epochs] ]] || words+=(--epochs "$epochs")
    words+=(--splits "$splits" --runs "$runs" --iterations "$iterations" --seed "$seed" --jobs "$jobs")
    if [[ -v given[estimate] ]]; then
        estimate "$dir" "$file" "${words[@]}" "$@"
        return 1
    fi
    [[ -v given[quiet] ]] || warn "${dir#"$out"/}"
    se-gsl -q "${words[@]}" --lean "$@" -o "$dir" "$file" || die "the run in $dir failed"
}

# estimate DIR FILE WORD...: the seconds of that run, from its first split and two iterations,
# into $work/seconds; a run with controls is six runs, one with a grid as many as the grid
# has points and one more
estimate() {
    local dir=$1 file=$2 rounds=0 count times=1 word words=()
    shift 2
    for word; do
        case $word in
        --controls) times=6 ;;
        --tune=*)   times=$(grid_size "${word#*=}") ;;
        *)          words+=("$word") ;;
        esac
    done
    (( iterations == 0 )) || [[ " ${words[*]} " == *" --iterations 0 "* ]] || rounds=1
    if [[ ! -e $dir/summary.tsv ]]; then
        se-gsl -q "${words[@]}" --splits "${splits%%[-,]*}" --runs 1 --iterations $rounds \
            --jobs 1 -@ 1 -o "$dir/estimate" "$file" || die "the run in $dir/estimate failed"
        count=$(se-gsl "${words[@]}" --dry-run -o "$dir" "$file" | grep -c '^mkdir')
        awk -F '\t' -v n="$count" -v r="$iterations" -v times="$times" -v jobs="$jobs" '
            NR > 1 { t[$3] = $12 } END { print (t[0] + r * t[1]) * n * times / jobs }' \
            "$dir/estimate/metrics.tsv" >> "$work/seconds"
    fi
}

# grid_size GRID: how many points a grid of --tune has, and the run itself
grid_size() {
    awk -v grid="$1" 'BEGIN {
        n = split(grid, word, " ")
        for (i = 1; i <= n; i++) {
            split(word[i], part, "=")
            count[part[1]] += split(part[2], values, ",")
        }
        points = 1
        for (name in count) points *= count[name]
        print points + 1 }'
}

# tell_estimate: of each dataset, in minutes
tell_estimate() {
    local set all=("${datasets[@]}")
    for set in "${all[@]}"; do
        datasets=("$set")
        : > "$work/seconds"
        collect > /dev/null
        awk -v set="$(name_of "$set")" -v jobs="$jobs" '{ s += $1 }
            END { printf "%s\t%.1f minutes left, %d at a time of one thread each\n", set, s / 60, jobs }' \
            "$work/seconds"
    done
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
        echo "set output '$work/figure.svg'"
        echo "set datafile separator tab; set datafile missing 'nan'; set tics nomirror"
        echo "set border lc rgb '#888888'; set grid ytics lc rgb '#dddddd'; set key outside top horizontal"
        picture
    } > "$work/figure.gp"
    if ! gnuplot "$work/figure.gp" 2> "$work/figure.log"; then
        [[ -v given[done] ]] || die "gnuplot failed: $(head -n 3 "$work/figure.log")"
        warn "no figure: too little is done"
        return
    fi
    keep "$work/figure.svg" "$out/$me.svg"
}

# command_line WORD...: to be pasted; what only asks for the table is left out
command_line() {
    local word
    for word; do
        [[ $word == --done || $word == -q || $word == --quiet ]] || printf ' %q' "$word"
    done
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
    make_folder "$out"
    small_first > "$work/datasets" || exit 1
    mapfile -t datasets < "$work/datasets"
    if [[ -v given[estimate] ]]; then
        tell_estimate
        return
    fi
    [[ -v given[quiet] ]] || warn "$(se-train --version | head -n 1), seed $seed, splits $splits"
    {
        printf '# %s %s, %s, seed %s, splits %s, %s runs, %s iterations, %s epochs\n' "$me" \
            "$(se-train --version | sed -n '1s/^[^ ]* //p')" "$(date -u +%Y-%m-%d)" "$seed" \
            "$splits" "$runs" "$iterations" "$epochs"
        printf '# %s%s\n' "$me" "$(command_line "$@")"
        echo "$columns"
        collect
    } > "$work/table"
    keep "$work/table" "$out/$me.tsv"
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
