# texts.sh - the texts of se-gsl --help, from se-gsl.txt: usage, options, titles, synopsis, end
# shellcheck shell=bash disable=SC2034,SC2154

mapfile -d $'\f' -t texts < "$share/lib/se-gsl.txt"
TITLES=${texts[2]} SYNOPSIS=${texts[3]%$'\n'}

usage_text() {
    printf %s "${texts[0]}"
}

help_end() {
    printf %s "${texts[4]}"
}
