# help.sh - --help, --version and --completion of our shell programs; ends the program
# shellcheck shell=bash disable=SC1091,SC2016,SC2154

[[ $me != se-gsl ]] || source "$share/lib/texts.sh"

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

if [[ -v given[help] ]]; then
    usage_text
    table help
    echo
    help_end
elif [[ -v given[version] ]]; then
    se-check --version | sed "s/^se-check/$me/"
else
    completion "${given[completion]}"
fi
exit 0
