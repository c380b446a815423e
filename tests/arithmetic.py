# arithmetic.py FILE... - names in shell arithmetic that may hold words nobody checked
#
# bash evaluates array subscripts in (( )), $(( )), [[ a -eq b ]], ${x:a:b} and in subscripts of
# arrays that are not declare -A, so a word such as a[$(id)] from a file is a command.  A name may
# stand there if every assignment to it in the file gives a number by its form (a literal, $(( )),
# ${#x}, $!, BASH_REMATCH, wc, nproc, stat), or if the file checks it: whole NAME, or
# [[ $NAME =~ ^..[0-9].. ]] or =~ $WHOLE.  Upper-case names come from the environment or from bash.
# A comment "# numbers: NAME NAME (why)" vouches for names whose check is elsewhere.  Prints FILE:
# LINE: NAME, and fails if there is any.
import re
import sys

NUMERIC = re.compile(
    r'''^("?)(-?[0-9]+|\$\(\(.*|\$\{#.*|\$\{?!\}?|\$\{EPOCHREALTIME/\./\}|\$\{?BASHPID\}?|\$\{?[#?$]\}?'''
    r'''|\$\{BASH_REMATCH\[.*|\$\(nproc\).*|\$\(wc -l .*|\$\(stat -c %s .*)?\1$''')


def strip(text):
    """Without comments, here-documents and what is in single quotes (awk programs)."""
    out, i, quoted = [], 0, False
    text = re.sub(r"<< *'?END'?\n.*?\nEND\n", lambda m: "\n" * m.group().count("\n"), text, flags=re.S)
    while i < len(text):
        c = text[i]
        if c == "\\":
            out.append("  ")
            i += 2
            continue
        if c == '"':
            quoted = not quoted
        if c == "#" and not quoted and (i == 0 or text[i - 1] in " \t\n"):
            while i < len(text) and text[i] != "\n":
                i += 1
            continue
        if c == "'" and not quoted:
            end = text.index("'", i + 1)
            out.append("'" + "\n" * text.count("\n", i, end) + "'")
            i = end + 1
            continue
        out.append(c)
        i += 1
    return "".join(out)


def keyed(text):
    """The arrays of the file that have words as subscripts, which are not arithmetic."""
    found = set()
    for m in re.finditer(r"\b(?:declare|local|typeset) -\w*A\w* ([^\n;]*)", text):
        found.update(re.findall(r"(?<![$\w(])([A-Za-z_]\w*)", m.group(1)))
    found |= {"given", "takes", "letter_of", "group_of", "passed_as", "swapped", "wanted"}     # of lib/
    return found | {m.group(1) for m in re.finditer(r"\blocal -n (\w+)=(\w+)", text) if m.group(2) in found}


def expressions(text):
    """(position, text) of everything that bash takes for arithmetic."""
    words = keyed(text)
    for m in re.finditer(r"(?<![\w$])(?:\$\{[#!]?)?([A-Za-z_]\w*)\[([^]\[@*]+)\](?=[}=+:/%#]|\)|\s)", text):
        named = m.group().startswith("${") or text[m.end():m.end() + 1] in "=+"
        if named and m.group(1) not in words:
            yield m.start(), m.group(2)
    for m in re.finditer(r"\(\(", text):
        depth, i = 0, m.start()
        while i < len(text):
            depth += (text[i] == "(") - (text[i] == ")")
            if depth == 0:
                break
            i += 1
        yield m.start(), text[m.start():i]
    for m in re.finditer(r"(\S+) -(?:eq|ne|lt|gt|le|ge) (\S+)", text):
        yield m.start(), m.group(1) + " " + m.group(2)
    for m in re.finditer(r"\$\{[a-z_]+(?:\[@\])?:([^}=?+-][^}]*)\}", text):
        yield m.start(), m.group(1)
    for m in re.finditer(r"\blet .*|\b(?:declare|local|typeset) -\w*i\w* .*", text):
        yield m.start(), m.group()


def names(expression):
    e = re.sub(r"\$\{#[^}]*\}|\$\([^()]*\bwc -l[^()]*\)|\$\(nproc\)|\$\(date \+%s\)|\$\{(BASH_REMATCH|EPOCHREALTIME)[^}]*\}|BASH_REMATCH\[[0-9]\]",
               "0", expression)
    e = re.sub(r"[0-9]+#", "", e)
    return {m.group() for m in re.finditer(r"(?<![A-Za-z0-9_])[a-z_][a-z_0-9]*", e)}


def assignments(text, name):
    n = re.escape(name)
    for m in re.finditer(r"(?<![A-Za-z0-9_$\{-])%s\+?=(\"[^\"]*\"|\$\(\(.*?\)\)|\$\([^)]*\)|[^\s;)]*)" % n, text):
        before = text.rfind("((", 0, m.start()) > text.rfind("))", 0, m.start())
        if not before and not text.startswith("=", m.end(0)):
            yield m.group(1)
    if re.search(r"\bread\b[^\n;|]*\s%s\b" % n, text) or re.search(r"\bmapfile\b[^\n;|]*\s%s\b" % n, text):
        yield "read"
    for m in re.finditer(r"\bfor %s in ([^;\n]*)" % n, text):
        for word in m.group(1).split():
            yield word


def checked(text, name):
    n = re.escape(name)
    return (re.search(r"\bwhole %s\b" % n, text) or
            re.search(r"\$\{?%s\b[^ ]* =~ (\^[^\n]*\[0-9\]|\$WHOLE)" % n, text))


def index(text, value):
    """"${!x[@]}" of an array with numbers"""
    m = re.match(r'"?\$\{!([A-Za-z_]\w*)\[@\]\}"?$', value)
    return m and m.group(1) not in keyed(text)


def faults(path):
    text = open(path).read()
    vouched = set(" ".join(re.findall(r"# numbers: ([a-z_0-9 ]+)\(", text)).split())
    text = strip(text)
    for at, expression in expressions(text):
        for name in sorted(names(expression)):
            if name in vouched or checked(text, name):
                continue
            bad = [a for a in assignments(text, name) if not NUMERIC.match(a) and not index(text, a)]
            if bad:
                yield text.count("\n", 0, at) + 1, name, bad[0]


def main():
    count = 0
    for path in sys.argv[1:]:
        for line, name, value in faults(path):
            print(f"{path}: {line}: {name} is used in arithmetic, but {value} is not checked to be a number")
            count += 1
    return count > 0


sys.exit(main())
