#!/usr/bin/env python3
"""browser.py FILE|URL SCRIPT [WIDTH HEIGHT light|dark[,print][,noscript] [PNG]] - open a page in headless Chromium,
run a script in it as the body of an async function and print what it returns as JSON.  In the script
hover(x, y), press(x, y), drag(x, y, x2, y2), wheel(x, y, delta) and key(name) act as a person does, and
cpu() tells the CPU seconds that the renderer and all processes of the browser have used.
Exit 1 if the page logged an error or threw, 3 if there is no Chromium that starts.

Speaks the DevTools protocol over a pipe (file descriptors 3 and 4), so it needs no package."""
import base64, json, os, pathlib, shutil, subprocess, sys, tempfile, time


class Browser:
    def __init__(self, wide, high):
        found = next((p for p in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if p), None)
        if not found:
            sys.exit(3)
        self.profile = tempfile.mkdtemp()
        there, ours = os.pipe(), os.pipe()
        self.write, self.read = there[1], os.fdopen(ours[0], "rb")

        def plumb():
            a, b = os.dup(there[0]), os.dup(ours[1])
            os.dup2(a, 3)
            os.dup2(b, 4)

        self.process = subprocess.Popen(
            [found, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-dev-shm-usage",
             "--no-first-run", f"--user-data-dir={self.profile}", f"--window-size={wide},{high}", "--remote-debugging-pipe", "about:blank"],
            preexec_fn=plumb, close_fds=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(there[0])
        os.close(ours[1])
        self.count, self.session, self.faults, self.rest = 0, None, [], b""

    def receive(self):
        while b"\0" not in self.rest:
            more = os.read(self.read.fileno(), 1 << 20)
            if not more:
                sys.exit(3)
            self.rest += more
        message, self.rest = self.rest.split(b"\0", 1)
        m = json.loads(message)
        if m.get("method") == "Runtime.exceptionThrown":
            d = m["params"]["exceptionDetails"]
            self.faults.append(d.get("exception", {}).get("description", d["text"]))
        if m.get("method") == "Runtime.consoleAPICalled" and m["params"]["type"] in ("error", "assert"):
            self.faults.append(json.dumps(m["params"]["args"]))
        if m.get("method") == "Log.entryAdded" and m["params"]["entry"]["level"] == "error":
            self.faults.append(m["params"]["entry"]["text"] + " " + m["params"]["entry"].get("url", ""))
        return m

    def call(self, method, **params):
        self.count += 1
        m = {"id": self.count, "method": method, "params": params}
        if self.session:
            m["sessionId"] = self.session
        os.write(self.write, json.dumps(m).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == m["id"]:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def evaluate(self, text):
        r = self.call("Runtime.evaluate", expression=text, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in r:
            raise RuntimeError(r["exceptionDetails"].get("exception", {}).get("description", "failed"))
        return r["result"].get("value")

    def cpu(self):
        """CPU seconds of the renderers and of all processes that descend from ours."""
        parent, used, drawing = {}, {}, set()
        for name in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{name}/stat") as f:
                    words = f.read().rsplit(")", 1)[1].split()
                with open(f"/proc/{name}/cmdline") as f:
                    if "--type=renderer" in f.read():
                        drawing.add(int(name))
            except (OSError, ValueError):
                continue
            parent[int(name)], used[int(name)] = int(words[1]), (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")
        ours = {self.process.pid}
        while len(ours) < len(ours | {p for p in parent if parent[p] in ours}):
            ours |= {p for p in parent if parent[p] in ours}
        return [sum(used.get(p, 0) for p in ours & drawing), sum(used.get(p, 0) for p in ours)]

    def act(self, what):
        kind, *a = what
        if kind == "cpu":
            return self.cpu()
        mouse = lambda t, x, y, **more: self.call("Input.dispatchMouseEvent", type=t, x=x, y=y, **more)
        if kind == "hover":
            mouse("mouseMoved", *a)
        elif kind in ("press", "drag"):
            mouse("mousePressed", a[0], a[1], button="left", clickCount=1)
            if kind == "drag":
                for i in range(1, 6):
                    mouse("mouseMoved", a[0] + (a[2] - a[0]) * i / 5, a[1] + (a[3] - a[1]) * i / 5, button="left")
            mouse("mouseReleased", *a[-2:], button="left", clickCount=1)
        elif kind == "wheel":
            mouse("mouseWheel", a[0], a[1], deltaX=0, deltaY=a[2])
        elif kind == "key":
            code = {"Tab": 9, "Enter": 13, "Escape": 27, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}.get(a[0], 0)
            for t in ("keyDown", "keyUp"):
                self.call("Input.dispatchKeyEvent", type=t, key=a[0], windowsVirtualKeyCode=code)

    def close(self):
        try:
            self.session = None
            self.call("Browser.close")
        except (SystemExit, OSError, RuntimeError):
            pass
        self.process.wait(20)
        shutil.rmtree(self.profile, ignore_errors=True)


HELPERS = """globalThis.acts = []; globalThis.done = 0;
for (const k of ['hover', 'press', 'drag', 'wheel', 'key', 'cpu'])
  globalThis[k] = (...a) => new Promise(r => acts.push([[k, ...a], r]));"""


def main():
    page, script = sys.argv[1:3]
    wide, high = (int(x) for x in (sys.argv[3:5] or (1200, 900)))
    scheme, *how = (sys.argv[5] if len(sys.argv) > 5 else "light").split(",")
    b = Browser(wide, high)
    try:
        target = b.call("Target.createTarget", url="about:blank")["targetId"]
        b.session = b.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Runtime", "Log", "Page"):
            b.call(f"{domain}.enable")
        b.call("Emulation.setDeviceMetricsOverride", width=wide, height=high, deviceScaleFactor=1, mobile=False)
        b.call("Emulation.setEmulatedMedia", media="print" if "print" in how else "", features=[{"name": "prefers-color-scheme", "value": scheme}])
        b.call("Emulation.setScriptExecutionDisabled", value="noscript" in how)
        b.call("Page.navigate", url=page if "://" in page else pathlib.Path(page).absolute().as_uri())
        for _ in range(600):
            if b.evaluate("document.readyState === 'complete'" + ("" if "noscript" in how else
                          " && (!document.querySelector('script.data') || document.documentElement.dataset.ready === 'yes')")):
                break
            if b.faults:
                break
            time.sleep(.1)
        b.evaluate(HELPERS)
        b.evaluate("globalThis.result = undefined; globalThis.over = false; (async () => {" + script +
                   "})().then(r => { result = r; over = true; }, e => { result = 'FAILED ' + e.stack; over = true; }); 0")
        end = time.time() + 90
        while not b.evaluate("over") and time.time() < end:
            what = b.evaluate("acts.length ? acts[0][0] : null")
            if what:
                b.evaluate(f"acts.shift()[1]({json.dumps(b.act(what))}); new Promise(r => setTimeout(r, 40))")
            else:
                time.sleep(.02)
        print(json.dumps(b.evaluate("result === undefined ? null : result")))
        if len(sys.argv) > 6:
            shot = b.call("Page.captureScreenshot", format="png")
            pathlib.Path(sys.argv[6]).write_bytes(base64.b64decode(shot["data"]))
        for fault in b.faults:
            print(fault, file=sys.stderr)
        return 1 if b.faults else 0
    finally:
        b.close()


sys.exit(main())
