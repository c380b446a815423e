# table.sh - the frame of our shell programs: options, help, completions, manual from one table
#
# A program sets OPTIONS, a line per option: group|short|long|argument|as passed on|text; TITLES,
# group=title;...; SYNOPSIS, mdoc; usage_text and help_end, which print; and, if some options
# may come several times, take_special.  Then take_options fills `given` and `operands`.
# shellcheck shell=bash disable=SC2004,SC2016,SC2034,SC2154

me=${0##*/}
# A number from a file or a file name must match this before any arithmetic: (( )) evaluates
# array subscripts, and so commands, in words that are no numbers.
WHOLE='^(0|[1-9][0-9]{0,8})$'
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

# put FILE: standard input as FILE, created atomically; names of unfinished files are unique
put() {
    local part=$1.part-$HOSTNAME-$BASHPID message
    message=$({ cat > "$part" && mv -f "$part" "$1"; } 2>&1) || {
        rm -f "$part"
        message=${message%%$'\n'*}
        die "$1: cannot write: ${message##*: }"
    }
}

# keep FILE AS: a copy
keep() {
    put "$2" < "$1"
}

# table help|words|mdoc: the options in this form
table() {
    awk -v as="$1" -v titles="${TITLES//$'\n'/}" -f "$share/lib/table.awk" <<< "$OPTIONS"
}

# completion bash|zsh|mdoc: as the other tools have it
completion() {
    local words
    case $1 in
    bash) echo "complete -o default -W '$(table words)' $me" ;;
    zsh)  words=$(table words)
          printf '#compdef %s\n_arguments %s %s\n' "$me" "'${words// /\' \'}'" "'*:file:_files'" ;;
    mdoc) printf '%s\n' '.Sh SYNOPSIS' "$SYNOPSIS" '.Sh OPTIONS'
          table mdoc ;;
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
        [[ -n $long ]] || continue
        long_options+=("$long")
        takes[$long]=$arg group_of[$long]=$group passed_as[$long]=$pass
        [[ -z $short ]] || letter_of[$short]=$long
    done <<< "$OPTIONS"
}

# find_option WORD: the long option that WORD, without its dashes, names or begins, in REPLY
find_option() {
    local name found=()
    REPLY=$1
    [[ $1 =~ ^[a-z-]+$ ]] || bad_usage "unknown or ambiguous option --$1"
    [[ ! -v takes[$1] ]] || return 0
    for name in "${!takes[@]}"; do
        [[ $name != "$1"* ]] || found+=("$name")
    done
    (( ${#found[@]} == 1 )) || bad_usage "unknown or ambiguous option --$1"
    REPLY=${found[0]}
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
        -?*)  name=${letter_of[${word:1:1}]-} rest=${word:2}
              [[ -n $name ]] || bad_usage "unknown option -${word:1:1}"
              if [[ -z ${takes[$name]} ]]; then
                  given[$name]=1
                  [[ -z $rest ]] || set -- "-$rest" "$@"
                  continue
              fi
              [[ -z $rest ]] || set -- "$rest" "$@" ;;
        *)    operands+=("$word")
              continue ;;
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
        usage_text
        table help
        echo
        help_end
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
