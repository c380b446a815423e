# help.sh - --help, --version and --completion of our shell programs; ends the program
# shellcheck shell=bash disable=SC1091,SC2016,SC2154

if [[ $me == se-gsl ]]; then            # its texts: usage, options, titles, synopsis, end
    mapfile -d $'\f' -t texts < "$share/lib/se-gsl.txt"
    TITLES=${texts[2]} SYNOPSIS=${texts[3]%$'\n'}
    usage_text() { printf %s "${texts[0]}"; }
    help_end() { printf %s "${texts[4]}"; }
fi

# table help|words|mdoc: the options in this form
table() {
    awk -v as="$1" -v titles="${TITLES//$'\n'/}" -f "$share/lib/table.awk" <<< "$OPTIONS"
}

if [[ -v given[help] ]]; then
    usage_text
    table help
    echo
    help_end
elif [[ -v given[version] ]]; then
    se-check --version | sed "s/^se-check/$me/"
else                                    # as the other tools have it
    case ${given[completion]} in
    bash) echo "complete -o default -W '$(table words)' $me" ;;
    zsh)  words=$(table words)
          printf '#compdef %s\n_arguments %s %s\n' "$me" "'${words// /\' \'}'" "'*:file:_files'" ;;
    mdoc) printf '%s\n' '.Sh SYNOPSIS' "$SYNOPSIS" '.Sh OPTIONS'
          table mdoc ;;
    *)    bad_usage "--completion ${given[completion]}: it should be bash, zsh or mdoc" ;;
    esac
fi
exit 0
