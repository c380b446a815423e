# preset.awk - the options of the preset SE_PRESET (environment) for -v model=, or none; -v share=
#
# Prints FILE, a tab and an option for each line that holds for the model, or for all.  A name
# without a slash is a file in share/presets, or a dataset that stands for one; a line
# --preset NAME stands for the lines of another preset.  Exit status 2 for a preset that is not there.
function fail(status, text) {
    print "se-gsl: " text > "/dev/stderr"
    exit status
}
function find(name,   file, line, field) {
    if (name ~ /\//)
        return name
    file = share "/presets/datasets.tsv"
    while ((getline line < file) > 0) {
        split(line, field, "\t")
        if (field[1] == name)
            name = field[2]
    }
    close(file)
    file = share "/presets/" name
    if (name == "" || name ~ /\.tsv$/ || (getline line < file) < 0)
        fail(2, "--preset " name ": there is none; se-gsl --preset list shows them, and a file " \
             "needs a /; see se-gsl --help")
    close(file)
    return file
}
function read(file,   line, number, got, models) {
    if (file in open)
        fail(1, file ": this preset asks for itself")
    open[file] = 1
    while ((got = (getline line < file)) > 0) {
        number++
        gsub(/^[ \t]+|[ \t]+$/, "", line)
        if (line == "" || line ~ /^#/)
            continue
        if (line !~ /^([a-z0-9 ]+:[ \t]+)?--[a-z-]+([ \t]+.*)?$/)
            fail(1, file ": line " number " is neither an option, 'MODEL: option' nor a comment")
        models = line ~ /^-/ ? "" : substr(line, 1, index(line, ":") - 1)
        if (models != "") {
            if (index(" " models " ", " " model " ") == 0 || model == "")
                continue
            sub(/^[^:]*:[ \t]+/, "", line)
        }
        if (line ~ /^--preset[ \t]/) {
            sub(/^--preset[ \t]+/, "", line)
            read(find(line))
            continue
        }
        sub(/[ \t]+/, "=", line)
        print file "\t" line
    }
    if (got < 0)
        fail(1, file ": cannot be read; a preset is a file of options")
    close(file)
    delete open[file]
}
BEGIN { read(find(ENVIRON["SE_PRESET"])) }
