# table.sh - the frame of our shell programs: options, help, completions, manual from one table
#
# A program sets OPTIONS, a line per option: group|short|long|argument|as passed on|text; TITLES,
# group=title;...; SYNOPSIS, mdoc; usage_text and help_end, which print; and, if some options
# may come several times, take_special.  Then take_options fills `given` and `operands`.
# shellcheck shell=bash disable=SC2004,SC2016,SC2034,SC2154

me=${0##*/}
declare -A given                        # long option -> value, if it was given
operands=()

warn() {
    echo "$me: $*" >&2
}

die() {
    warn "$*"
    exit 1
}

bad_usage() {
    warn "$*; see $me --help"
    exit 2
}

# make_folder DIR...: with those above it; one line if it cannot be
make_folder() {
    local message
    message=$(mkdir -p "$@" 2>&1) || {
        message=${message%%$'\n'*}
        die "${message#mkdir: }"
    }
}

# keep FILE AS: the same bytes as AS, whole or not at all, also if another call does the same
keep() {
    local part=$2.part-$$ message
    message=$({ cp "$1" "$part" && mv "$part" "$2"; } 2>&1) || {
        rm -f "$part"
        message=${message%%$'\n'*}
        die "$2: cannot write: ${message##*: }"
    }
}

# table AWK: the options, with the titles of the groups in title[]
table() {
    awk -F '|' -v titles="${TITLES//$'\n'/}" '
        BEGIN { n = split(titles, t, ";")
                for (i = 1; i <= n; i++) title[substr(t[i], 1, index(t[i], "=") - 1)] = substr(t[i], index(t[i], "=") + 1) }
        NF < 6 { next }
        { gsub(",", "|", $4) }'"$1" <<< "$OPTIONS"
}

help_text() {
    usage_text
    table '
        $1 != group { group = $1; printf "\n%s:\n", title[group] }
        { head = ($2 ? "  -" $2 ", --" : "      --") $3 ($4 ? " " $4 : "")
          if (length(head) > 25) { print head; head = "" }
          n = split($6, word, " "); line = sprintf("%-25s", head)
          for (i = 1; i <= n; i++) {
              if (length(line) + length(word[i]) > 79) { print line; line = sprintf("%-25s", "") }
              line = line " " word[i]
          }
          print line }'
    echo
    help_end
}

# completion bash|zsh|mdoc: as the other tools have it
completion() {
    local words
    words=$(table '{ printf "%s--%s", sep, $3; sep = " " }')
    case $1 in
    bash) echo "complete -o default -W '$words' $me" ;;
    zsh)  printf '#compdef %s\n_arguments %s %s\n' "$me" "'${words// /\' \'}'" "'*:file:_files'" ;;
    mdoc)
        printf '%s\n' '.Sh SYNOPSIS' "$SYNOPSIS" '.Sh OPTIONS'
        table '
            $1 != group { if (group) print ".El"; group = $1
                          if (title[group] != "Options") print ".Ss " title[group]
                          print ".Bl -tag -width Ds" }
            { gsub("~", "\\(ti", $6)
              print ".It " ($2 ? "Fl " $2 " , " : "") "Fl Fl " $3 ($4 ? " Ar " $4 : ""); print $6 }
            END { print ".El" }' ;;
    *)    bad_usage "--completion $1: it should be bash, zsh or mdoc" ;;
    esac
}

take_special() {
    return 1
}

declare -A takes=([completion]=WHAT) letter_of=()       # long -> its argument; letter -> long
declare -A group_of=() passed_as=()                     # long -> group, option of the tool
long_options=()                                         # as they come in the table

# read_table: OPTIONS into these
read_table() {
    local group short long arg pass rest
    while IFS='|' read -r group short long arg pass rest; do
        [[ -n $group ]] || continue
        long_options+=("$long")
        takes[$long]=$arg group_of[$long]=$group passed_as[$long]=$pass
        [[ -z $short ]] || letter_of[$short]=$long
    done <<< "$OPTIONS"
}

# find_option WORD: the long option that WORD, without its dashes, names or begins, in REPLY
find_option() {
    local name
    REPLY=
    [[ $1 =~ ^[a-z-]+$ ]] || bad_usage "unknown or ambiguous option --$1"
    if [[ -v takes[$1] ]]; then
        REPLY=$1
        return
    fi
    for name in "${!takes[@]}"; do
        [[ $name == "$1"* ]] || continue
        [[ -z $REPLY ]] || bad_usage "unknown or ambiguous option --$1"
        REPLY=$name
    done
    [[ -n $REPLY ]] || bad_usage "unknown or ambiguous option --$1"
}

# as_path NAME: in REPLY; a name that begins with a dash so that no tool takes it for an option
as_path() {
    [[ $1 == -?* ]] && REPLY=./$1 || REPLY=$1
}

# take_options WORD...: into given and operands, as getopt_long would; help, version and
# completions end here
take_options() {
    local word name rest
    (( ${#long_options[@]} )) || read_table
    operands=()
    while (( $# )); do
        word=$1
        shift
        case $word in
        --)   for word; do
                  as_path "$word"
                  operands+=("$REPLY")
              done
              break ;;
        --*)  rest=${word#--}
              find_option "${rest%%=*}"
              name=$REPLY
              if [[ -z ${takes[$name]} ]]; then
                  [[ $rest != *=* ]] || bad_usage "$word takes no argument"
                  given[$name]=1
                  continue
              fi
              [[ $rest != *=* ]] || set -- "${rest#*=}" "$@" ;;
        -?*)  rest=${word:1:1}
              name=${letter_of[$rest]-}
              [[ -n $name ]] || bad_usage "unknown option -$rest"
              rest=${word:2}
              if [[ -z ${takes[$name]} ]]; then
                  given[$name]=1
                  [[ -z $rest ]] || set -- "-$rest" "$@"
                  continue
              fi
              [[ -z $rest ]] || set -- "$rest" "$@" ;;
        *)    operands+=("$word"); continue ;;
        esac
        (( $# )) || bad_usage "$word wants an argument"
        if ! take_special "$name" "$1"; then
            REPLY=$1
            [[ ${takes[$name]} != DIR && ${takes[$name]} != FILE ]] || as_path "$1"
            given[$name]=$REPLY
        fi
        shift
    done
    if [[ -v given[help] ]]; then
        help_text
    elif [[ -v given[version] ]]; then
        se-check --version | sed "s/^se-check/$me/"
    elif [[ -v given[completion] ]]; then
        completion "${given[completion]}"
    else
        return 0
    fi
    exit 0
}

# whole NAME LEAST MOST DEFAULT: a whole number, in the variable NAME
whole() {
    local -n variable=$1
    variable=${given[$1]-$4}
    if [[ $variable =~ ^[0-9]{1,10}$ ]]; then
        variable=$(( 10#$variable ))
        (( variable < $2 || variable > $3 )) || return 0
    fi
    bad_usage "--$1 ${given[$1]}: it should be a whole number from $2 to $3"
}

