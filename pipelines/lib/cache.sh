# cache.sh - results of stages, kept by what they were made from
#
# An entry is a stream, CACHE/xx/KEY-DIGEST-MS.seg.  The key is the digest of the input, the
# stage, a hash of the command and the program, and seed and split where they matter.  DIGEST is
# that of the content, as se-check tells it; an entry that does not have it is never used.  MS
# is how long it took.
# shellcheck shell=bash disable=SC2034,SC2154

cache=                          # the folder, or empty for none
used=()                         # entries that were used, to be touched at the end

default_cache() {
    if [[ -n ${XDG_CACHE_HOME-} ]]; then
        echo "$XDG_CACHE_HOME/se-gsl"
    elif [[ -n ${HOME-} ]]; then
        echo "$HOME/.cache/se-gsl"
    fi
}

# open_cache DIR: make it ready; without it the run goes on
open_cache() {
    cache=$1
    [[ -n $cache ]] || return 0
    if [[ ! -d $cache/ff ]] && ! mkdir -p "$cache"/{0,1,2,3,4,5,6,7,8,9,a,b,c,d,e,f}{0,1,2,3,4,5,6,7,8,9,a,b,c,d,e,f} 2> /dev/null; then
        warn "$cache: cannot make this folder; going on without a cache"
        cache=
    elif [[ ! -w $cache/ff ]]; then
        warn "$cache: cannot write to this folder; going on without a cache"
        cache=
    fi
}

# check FILE: its digest in REPLY, or status 1 and the fault in REPLY
check() {
    REPLY=$(se-check -@ 1 "$1" 2>&1) || return 1
    REPLY=${REPLY%% *}
}

# put_as FILE AS: the same bytes under another name, whole or not at all
put_as() {
    ln -f "$1" "$2" 2> /dev/null && return
    cp "$1" "$2.part-$BASHPID" 2> /dev/null && mv -f "$2.part-$BASHPID" "$2" && return
    rm -f "$2.part-$BASHPID"
    return 1
}

# cache_get KEY OUT: the result as OUT, its digest and time in `digest` and `took`; or status 1
cache_get() {
    local entry name found
    [[ -n $cache ]] || return 1
    for entry in "$cache/${1:0:2}/$1"-*.seg; do
        [[ -e $entry ]] || return 1
        name=${entry##*/}
        IFS=- read -r found took <<< "${name:${#1} + 1:-4}"
        if [[ ! -r $entry ]]; then
            warn "$entry: cannot be read; computing it anew"
        elif ! check "$entry"; then
            warn "the cache is damaged: ${REPLY#se-check: }; computing it anew"
        elif [[ $REPLY != "$found" ]]; then
            warn "$entry: does not hold what its name says; computing it anew"
        elif put_as "$entry" "$2"; then
            used+=("$entry")
            digest=$found
            return 0
        else
            return 1
        fi
        rm -f "$entry"
    done
    return 1
}

# cache_put KEY DIGEST MS FILE
cache_put() {
    local entry=$cache/${1:0:2}/$1-$2-$3.seg
    [[ -n $cache ]] || return 0
    put_as "$4" "$entry" && return
    warn "$entry: cannot be written; going on without the cache"
    cache=
}

# bytes SIZE: 500M as a number, in REPLY
bytes() {
    [[ ${1^^} =~ ^([0-9]{1,9})([KMGT]?)B?$ ]] ||
        bad_usage "--cache-limit $1: it should be a size such as 500M or 4G"
    REPLY=${BASH_REMATCH[1]}
    case ${BASH_REMATCH[2]} in
    K) (( REPLY <<= 10 )) ;;
    M) (( REPLY <<= 20 )) ;;
    G) (( REPLY <<= 30 )) ;;
    T) (( REPLY <<= 40 )) ;;
    esac
}

# prune_cache LIMIT: remove what was not used for longest, and what a killed run left behind
prune_cache() {
    [[ -n $cache && -d $cache ]] || return 0
    find "$cache" -ignore_readdir_race -mindepth 2 -name '*.part-*' -mmin +60 -delete
    find "$cache" -ignore_readdir_race -mindepth 2 -name '*.seg' -printf '%T@ %s %p\n' | sort -rn |
        awk -v limit="$1" '{ sum += $2 } sum > limit { sub(/^[^ ]* [^ ]* /, ""); printf "%s%c", $0, 0 }' |
        xargs -0r rm -f --
}

# close_cache LIMIT: the entries that were used count as new, then prune
close_cache() {
    [[ -n $cache ]] || return 0
    (( ! ${#used[@]} )) || touch -c -- "${used[@]}" || true
    used=()
    prune_cache "$1" || true
}

# cache_command list|prune|clear
cache_command() {
    cache=${given[cache]-$(default_cache)}
    bytes "${given[cache-limit]-4G}"
    case $# in
    1) ;;
    *) bad_usage "cache wants one of list, prune and clear" ;;
    esac
    [[ -d $cache/ff || $1 != list ]] || exit 0
    case $1 in
    list)
        find "$cache" -ignore_readdir_race -mindepth 2 -name '*.seg' -printf '%TY-%Tm-%Td %TH:%TM\t%s\t%f\n' | sort |
            awk -F '\t' 'BEGIN { OFS = "\t"; print "used", "bytes", "seconds", "stage", "input", "digest" }
                { sub(/\.seg$/, "", $3); split($3, p, "-"); print $1, $2, p[6] / 1000, p[2], p[1], p[5] }' ;;
    prune)
        prune_cache "$REPLY" ;;
    clear)                      # nothing but what is ours
        [[ -d $cache/ff ]] || exit 0
        find "$cache" -ignore_readdir_race -mindepth 2 -maxdepth 2 \( -name '*.seg' -o -name '*.part-*' \) -delete
        rmdir --ignore-fail-on-non-empty "$cache"/[0-9a-f][0-9a-f] "$cache" ;;
    *)
        bad_usage "cache $1: it should be list, prune or clear" ;;
    esac
}
