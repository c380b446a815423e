# table.sh - the frame of our shell programs: their options, from one table
#
# A program sets OPTIONS, a line per option: group|short|long|argument|as passed on|text; TITLES,
# group=title;...; SYNOPSIS, mdoc; usage_text and help_end, which print; and, for options
# that may come several times, special, a function of name and value.  Then take_options fills `given` and `operands`.
# shellcheck shell=bash disable=SC1091,SC2004,SC2034,SC2154

me=${0##*/}
# A number from a file or a file name must match this before any arithmetic: (( )) evaluates
# array subscripts, and so commands, in words that are no numbers.
WHOLE='^(0|[1-9][0-9]{0,8})$'
declare -A given                        # long option -> value, if it was given
operands=()

# warn WORD...: one line; control characters of names and files, also U+0080 to U+009F, do not reach
# the terminal
warn() {
    local text="$me: $*"
    text=${text//$'\n'/ }
    text=${text//[[:cntrl:]]/?}
    printf '%s\n' "${text//$'\302'[$'\200'-$'\237']/?}" >&2
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

# refuse_strangers DIR: links, pipes and devices, and what belongs to other users or can be written by others.
# Files may vanish meanwhile, since parts of a run work at the same time; of those every test but a
# negated one is false.
refuse_strangers() {
    local found
    found=$(find "$1" -ignore_readdir_race \( -type l,p,s,b,c -o -uid "+$EUID" -o -uid "-$EUID" -o -perm -o+w \) -print -quit)
    [[ -z $found ]] || die "$found: is a symbolic link or no regular file, belongs to another user or can be written by others; remove it or choose another folder"
}

# put FILE: standard input as FILE, created atomically; names of unfinished files are unique, and a
# link that lies there is not followed
put() {
    local part=$1.part-$HOSTNAME-$BASHPID message
    message=$({ { [[ ! -e $part && ! -L $part ]] || rm -f "$part"; } && set -C && cat > "$part" && mv -fT "$part" "$1"; } 2>&1) || {
        rm -f "$part"
        message=${message%%$'\n'*}
        die "$1: cannot write: ${message##*: }"
    }
}

# table_fault FILE COLUMNS [COLUMN]: what is wrong with a table of numbers, but for words in the first
# column and in COLUMN; nothing if it is right
table_fault() {
    awk -v columns="$2" -v words="${3-1}" -f "$share/lib/fault.awk" "$1" || echo 'cannot be read'
}

# keep FILE AS: a copy
keep() {
    put "$2" < "$1"
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

# find_option WORD: the long option that WORD, --NAME, the beginning of one or -LETTER, is, in REPLY
find_option() {
    local name found=()
    case $1 in
    --*) name=${1#--}
         [[ $name =~ ^[a-z-]+$ ]] || bad_usage "unknown or ambiguous option --$name"
         REPLY=$name
         [[ ! -v takes[$name] ]] || return 0
         for REPLY in "${!takes[@]}"; do
             [[ $REPLY != "$name"* ]] || found+=("$REPLY")
         done
         (( ${#found[@]} == 1 )) || bad_usage "unknown or ambiguous option --$name"
         REPLY=${found[0]} ;;
    *)   REPLY=${letter_of[${1:1:1}]-}
         [[ -n $REPLY ]] || bad_usage "unknown option ${1:0:2}" ;;
    esac
}

# as_path NAME: in REPLY; a name that begins with a dash so that no tool takes it for an option
as_path() {
    [[ $1 == -?* ]] && REPLY=./$1 || REPLY=$1
}

# take_options WORD...: into given and operands, as getopt_long would; help, version and
# completions end here
take_options() {
    local word name
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
        -?*)  find_option "${word%%=*}"
              name=$REPLY ;;
        *)    operands+=("$word")
              continue ;;
        esac
        if [[ -z ${takes[$name]} ]]; then
            [[ $word != --*=* ]] || bad_usage "$word takes no argument"
            [[ $word != -[!-]?* ]] || set -- "-${word:2}" "$@"
            given[$name]=1
            continue
        fi
        case $word in
        --*=*)   set -- "${word#*=}" "$@" ;;
        -[!-]?*) set -- "${word:2}" "$@" ;;
        esac
        (( $# )) || bad_usage "$word wants an argument"
        if ! "${special:-false}" "$name" "$1"; then
            REPLY=$1
            [[ ${takes[$name]} != DIR && ${takes[$name]} != FILE ]] || as_path "$1"
            given[$name]=$REPLY
        fi
        shift
    done
    [[ ! -v given[help] && ! -v given[version] && ! -v given[completion] ]] || source "$share/lib/help.sh"
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
