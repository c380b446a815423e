"""watch.py LIB PORT SE-REPORT -- DIR - serve a page about a run of se-gsl that is going on

On 127.0.0.1 only.  / is the page, /state what it shows, /report the finished report.  Nothing but
these three can be asked for, and a Host header that names another host is refused, so that no page
of the network can read it."""
import glob
import http.server
import json
import math
import os
import re
import stat
import subprocess
import sys
import tempfile
import threading
import time

LIB, PORT, REPORT, _, DIR = sys.argv[1:6]
NUMBER = re.compile(r"-?(\d+(\.\d*)?([eE][-+]?\d+)?|nan|inf)$")
COLUMNS = 12

SLOW = 20               # seconds that a client may take for its request
MOST = 16               # clients at a time
LONGEST = 1 << 24       # bytes that are read of a file
clients, reporting = threading.Semaphore(MOST), threading.Lock()


def plain(path):
    """The text of a regular file in DIR; "" for what is not there or leads elsewhere, and for pipes."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
    except OSError:
        return ""
    with open(fd, errors="replace") as f:
        inside = os.path.realpath(path).startswith(os.path.realpath(DIR) + os.sep)
        return f.read(LONGEST) if inside and stat.S_ISREG(os.fstat(fd).st_mode) else ""


def measured():
    """The lines of metrics.tsv of each iteration that is done: lists of numbers, nan as None."""
    rows = []
    for name in sorted(glob.glob(os.path.join(glob.escape(DIR), "split-*", "run-*", "iter-*", "metrics.tsv"))):
        cells = plain(name).split("\n", 1)[0].split("\t")
        if len(cells) == COLUMNS and all(NUMBER.match(c) for c in cells):
            values = [float(c) for c in cells]
            rows.append([v if math.isfinite(v) else None for v in values])
    return rows


def outputs():
    """What the commands write, in their order: (command, file)."""
    found = []
    for line in plain(os.path.join(DIR, "commands.sh")).splitlines():
        tool, _, rest = line.strip().partition(" ")
        m = re.search(r"/(split-\d{1,9}/run-\d{1,9}/iter-\d{1,9}/[a-z0-9.-]{1,99}|best\.seg)$", rest[-200:])
        if m and " -o " in rest and re.match(r"se-[a-z]{1,20}$", tool):
            found.append((tool, m.group(1)))
    return found


def changed(path):
    """When it was last changed; a file may go while we look."""
    try:
        return os.path.getmtime(path)
    except OSError:
        return 0


def state():
    rows, todo = measured(), outputs()
    iterations = [f for tool, f in todo if f.endswith("train.seg") or tool == "se-cluster"]
    finished = os.path.exists(os.path.join(DIR, "summary.tsv"))
    done = len(rows) or int(finished)           # clusters are one step
    total = max(len(iterations), done)
    now = next((f"{tool} for {os.path.dirname(f) or f}" for tool, f in todo if not os.path.exists(os.path.join(DIR, f))), "")
    begin = changed(os.path.join(DIR, "commands.sh"))
    spent = sum(r[11] or 0 for r in rows)
    passed = time.time() - begin if begin else 0
    left = None if not done or finished else max(0, total - done) * (min(passed, spent) if passed < spent else spent) / done
    return {"done": done, "total": total, "finished": finished, "now": "" if finished else now, "spent": spent, "left": left,
            "last": max((changed(p) for p in glob.glob(os.path.join(glob.escape(DIR), "split-*", "run-*", "iter-*", "*"))), default=begin or 0),
            "clock": time.time(), "rows": rows}


def page():
    read = lambda name: open(os.path.join(LIB, name), encoding="utf-8").read()
    name = os.path.basename(os.path.abspath(DIR)).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
    return (f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
            f'<link rel="icon" href="data:,"><title>{name}</title><style>{read("page.css")}</style></head><body><h1>{name}</h1><div id="live"><noscript>This page needs scripts; '
            f'se-report without --watch writes one that does not.</noscript></div><script>{read("watch.js")}</script></body></html>')


def report():
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "report.html")
        done = subprocess.run([REPORT, "-o", out, "--", DIR], capture_output=True, text=True)
        if done.returncode:
            return None, done.stderr
        with open(out, encoding="utf-8", errors="replace") as f:
            return f.read(), ""


class Server(http.server.ThreadingHTTPServer):
    """One that a slow or busy client cannot fill with threads."""

    def process_request(self, request, client):
        if not clients.acquire(blocking=False):
            return self.shutdown_request(request)
        super().process_request(request, client)

    def process_request_thread(self, request, client):
        try:
            super().process_request_thread(request, client)
        finally:
            clients.release()


class Handler(http.server.BaseHTTPRequestHandler):
    timeout = SLOW

    def do_GET(self):
        host = self.headers.get("Host", "").rsplit(":", 1)[0]
        if host not in ("127.0.0.1", "localhost") or self.headers.get("Sec-Fetch-Site", "none") not in ("none", "same-origin"):
            return self.answer(403, "text/plain", "only for this host\n")
        if self.path == "/":
            return self.answer(200, "text/html", page())
        if self.path == "/state":
            return self.answer(200, "application/json", json.dumps(state()))
        if self.path == "/report":
            with reporting:             # one at a time
                text, fault = report()
            return self.answer(200, "text/html", text) if text else self.answer(409, "text/plain", fault)
        return self.answer(404, "text/plain", "there are /, /state and /report\n")

    def answer(self, code, kind, text):
        body = text.encode("utf-8", "surrogateescape")
        self.send_response(code)
        self.send_header("Content-Type", kind + "; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Content-Security-Policy", "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; connect-src 'self'; frame-ancestors 'none'")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


try:
    server = Server(("127.0.0.1", int(PORT)), Handler)
except (OSError, OverflowError) as e:
    sys.exit(f"se-report: port {PORT}: {e}; choose another with --port, or 0 for any")
print(f"http://127.0.0.1:{server.server_address[1]}/", flush=True)
try:
    server.serve_forever()
except KeyboardInterrupt:
    pass
