#!/usr/bin/env python3
"""idle.py FILE ... - find lines of bats tests that cannot fail

bats stops a test at the first command that fails, but not at each.  A line is told for
  negation   `! command` anywhere but at the end of a test or function: its status is ignored
  list       `a && b` anywhere but there: nobody looks at the status of a (`a && return` is an if)
  run        `run command` without a status, and neither $status nor $output is looked at
  mask       `local x=$(command)`: the status is that of local
  checks     a function with several checks, called by run, if, ! or before || or &&: there only
             its last command counts
  pipes      a setup() of its own without `set -o pipefail`
Functions of the files *.bash are known in all.  Write `run ! command`, `a || false`, two lines.
"""
import re
import sys

OPENING = {"(": ")", "{": "}"}


def skip(text, i):
    """Behind the quote, bracket or substitution that starts at i"""
    if text[i] == "'":
        return text.index("'", i + 1) + 1
    if text[i] == '"':
        i += 1
        while text[i] != '"':
            if text[i] == "\\":
                i += 2
            elif text[i] == "$" and text[i + 1] in OPENING:
                i = skip(text, i + 1)
            else:
                i += 1
        return i + 1
    end, i = OPENING[text[i]], i + 1
    while text[i] != end:
        if text[i] == "\\":
            i += 2
        elif text[i] in "'\"" or text[i] in OPENING:
            i = skip(text, i)
        else:
            i += 1
    return i + 1


def plain(text):
    """The text with quotes, substitutions, tests, subshells and comments as one word each, and
    lines that go on joined; newlines inside become \\f, so that lines can be counted"""
    out, i, documents = [], 0, []

    def word(name, until):
        nonlocal i
        out.append(name + "\f" * text.count("\n", i, until))
        i = until

    while i < len(text):
        c, before = text[i], text[i - 1] if i else "\n"
        if c == "\\":
            word("" if text[i + 1] == "\n" else "_", i + 2)
        elif c in "'\"":
            end = skip(text, i)
            word("_" + " ".join(re.findall(r"\$\{?\w+", text[i:end]) if c == '"' else []), end)
        elif c == "#" and before in " \t\n;":
            word("", (text + "\n").index("\n", i))
        elif c == "$" and text[i + 1] == "'":
            end = i + 2
            while text[end] != "'":
                end += 2 if text[end] == "\\" else 1
            word("_", end + 1)
        elif c in "$<>" and text[i + 1] in "({" and not (c != "$" and text[i + 1] == "{"):
            found = re.findall(r"\$\w+|\$\{\w+", text[i:skip(text, i + 1)])
            word("$(" if c == "$" and text[i + 1] == "(" else "_" + "".join(found),
                 skip(text, i + 1))
        elif text.startswith("[[ ", i) and before in " \t\n;!({":
            j = i
            while not text.startswith(" ]]", j):
                j = skip(text, j) if text[j] in "'\"" else j + 2 if text[j] == "\\" else j + 1
            word("[[" + " ".join(re.findall(r"\$\{?\w+", text[i:j])) + "]]", j + 3)
        elif c == "(" and before != "(" and not text.startswith("()", i):
            word("((" + " ".join(re.findall(r"\w+", text[i:skip(text, i)])) + "))"
                 if text[i + 1] == "(" else "_", skip(text, i))
        elif text.startswith("<<", i) and text[i + 2] != "<" and before != "<":
            end = re.match(r"<<-?\s*['\"]?(\w+)['\"]?", text[i:])
            documents.append(end.group(1))
            word("", i + end.end())
        elif c == "\n" and documents:
            name = documents.pop(0)
            out.append("\n")
            i += 1
            word("", re.compile(r"^\t*%s$" % name, re.M).search(text, i).end())
        else:
            out.append(c)
            i += 1
    return "".join(out)


def statements(text):
    """(line, words): commands and keywords one by one"""
    line = 1
    for row in re.split(r"(?<!\|)(?<!&&)\n", plain(text)):
        for part in re.split(r"(?<!;);(?!;)", row):
            words = part.lstrip("\f")
            line += len(part) - len(words)
            part, words = words, words.replace("\n", " ")
            while True:
                words = words.strip(" \t\f")
                key = re.match(r"(then|else|do)(?:\s+|$)", words)
                if not key:
                    break
                yield line, key.group(1)
                words = words[key.end():]
            if words:
                yield line, words
            line += part.count("\f") + part.count("\n")
        line += 1


def is_check(words):
    return re.match(r"(\[\[|\(\(|\[ |! )", words) and "||" not in words


def bodies(text):
    """(name, statements) of each test and function"""
    name, body = None, []
    for line, words in statements(text):
        head = re.match(r"(?:@test\s+\S+|([\w-]+)\s*\(\))\s*\{$", words)
        if head and name is None:
            name, body = head.group(1) or "@test", []
        elif words == "}" and name is not None and not deep(body):
            yield name, body
            name = None
        elif name is not None:
            body.append((line, words))
        else:
            yield "", [(line, words)]


def deep(body):
    """Is a brace of the body still open?"""
    return sum(w in ("{",) or w.endswith(" {") for _, w in body) > \
        sum(w.startswith("}") for _, w in body)


def ends(body, k):
    """Is statement k the last that its test or function does?"""
    return all(w in ("fi", "esac", "}", ";;") for _, w in body[k + 1:])


def checks_of(everything):
    """How many checks each function has that are not its last command"""
    return {name: sum(bool(is_check(w)) for _, w in body[:-1])
            for name, body in everything if name and name != "@test"}


def faults(text, shared):
    everything = list(bodies(text))
    functions = dict(shared, **checks_of(everything))
    for name, body in everything:
        if name == "setup" and not any("pipefail" in w for _, w in body):
            yield body[0][0], "pipes: setup() without set -o pipefail"
    for name, body in everything:
        for k, (line, words) in enumerate(body):
            condition = re.match(r"(if|elif|while|until)\s", words)
            if not condition and "||" not in words and not ends(body, k):
                if words.startswith("! "):
                    yield line, "negation: the status of ! is ignored here"
                elif re.search(r" && (?!(return|continue|break|exit|skip)\b)", words):
                    yield line, "list: the status of what stands before && is ignored here"
            if re.match(r"(local|export|declare|readonly)\s.*=\$\($", words):
                yield line, "mask: the status of the command is lost"
            asked = re.match(r"run\s+(?!-\d|!)((--\S+|-\d+)\s+)*", words)
            if asked and not re.search(r"run .*-\d", words) and not looked_at(body, k):
                yield line, "run: nobody looks at its status or output"
            called = re.match(r"(?:run(?:\s+(?:-\S+|!))*|if|if !|!)\s+([\w-]+)", words) or \
                re.match(r"([\w-]+)[^|]* (?:\|\||&&) ", words)
            if called and functions.get(called.group(1)):
                yield line, "checks: only the last command of %s counts here" % called.group(1)


def looked_at(body, k):
    for _, words in body[k + 1:]:
        if re.search(r"\$\{?#?(status|output|stderr|lines)|\bstatus\b|\boutput\b", words):
            return True
        if words.startswith("run "):
            return False
    return False


def main():
    found, texts, shared = 0, {}, {}
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as f:
            texts[path] = f.read()
        if path.endswith(".bash"):
            shared.update(checks_of(bodies(texts[path])))
    for path, text in texts.items():
        for line, what in faults(text, shared):
            print("%s: %d: %s" % (path, line, what))
            found += 1
    sys.exit(found > 0)


main()
