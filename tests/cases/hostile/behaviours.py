"""Programs that try to harm the host, to cheat the judge or never to end; and odd ones that are right.

Each is a solution of one easy task, ``add(x, y)`` returns ``x + y`` (the form of HumanEval/53), with the verdict it
deserves. ``right``: it may do what it likes as long as nothing is harmed and its answers are right. ``wrong``: it must not
pass. Words in capitals are replaced by the test: VICTIM (a file of the user), OUTSIDE (a folder of the user), SECRET (a
file whose content nobody may learn), PORT (of a listening TCP server), PID (of another process of the user).
"""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import dedent

RIGHT = "right"
WRONG = "wrong"


@dataclass(frozen=True)
class Behaviour:
    name: str
    verdict: str
    source: str
    slow: bool = False
    """Takes the time of a limit."""


BEHAVIOURS: list[Behaviour] = []


def program(name: str, verdict: str, source: str, *, slow: bool = False) -> None:
    BEHAVIOURS.append(Behaviour(name, verdict, dedent(source).lstrip("\n"), slow))


def attempt(name: str, attack: str, *, imports: str = "os") -> None:
    """An attack that must fail: only if it succeeds, the answers are right, so the verdict must be `wrong`."""
    body = "\n".join("    " + line for line in dedent(attack).strip().splitlines())
    program(name, WRONG, f"import {imports}\n\ndef add(x, y):\n{body}\n    return x + y\n")


def muffled(name: str, attack: str, *, imports: str = "os") -> None:
    """An attack whose failure is hidden: the answers are right, the host must be unharmed."""
    body = "\n".join("        " + line for line in dedent(attack).strip().splitlines())
    program(
        name,
        RIGHT,
        f"import {imports}\n\ndef add(x, y):\n    try:\n{body}\n    except (Exception, SystemExit):\n        pass\n"
        "    return x + y\n",
    )


# Files outside.
attempt("delete by os.remove", "os.remove('VICTIM')")
attempt("delete by pathlib", "pathlib.Path('VICTIM').unlink()", imports="pathlib")
attempt("overwrite by open", "open('VICTIM', 'w').write('gone')")
attempt("append by io.open", "io.open('VICTIM', 'a').write('more')", imports="io")
attempt("truncate by os.truncate", "os.truncate('VICTIM', 0)")
attempt("write by os.open", "os.write(os.open('VICTIM', os.O_WRONLY), b'gone')")
attempt("create a file", "open('OUTSIDE/new', 'w').close()")
attempt("create a folder", "os.mkdir('OUTSIDE/new')")
attempt("rename away", "os.rename('VICTIM', 'moved')")
attempt("replace", "open('mine', 'w').close(); os.replace('mine', 'VICTIM')")
attempt("remove a tree", "shutil.rmtree('OUTSIDE')", imports="shutil")
attempt("write through a symbolic link", "os.symlink('VICTIM', 'link'); open('link', 'w').write('gone')")
attempt("write through a hard link", "os.link('VICTIM', 'link'); open('link', 'w').write('gone')")
attempt("write through /proc/self/root", "open('/proc/self/root' + 'VICTIM', 'w').write('gone')")
attempt("write by ctypes", """
    libc = ctypes.CDLL(None)
    fd = libc.open(b'VICTIM', 1)
    assert fd >= 0 and libc.write(fd, b'gone', 4) == 4
""", imports="ctypes")
attempt("remove by a raw system call", "assert ctypes.CDLL(None).syscall(87, b'VICTIM') == 0", imports="ctypes")
muffled("change a mode", "os.chmod('VICTIM', 0)")
muffled("change a time", "os.utime('VICTIM', (0, 0))")
muffled("change the owner", "os.chown('VICTIM', 12345, 12345)")
muffled("set an extended attribute", "os.setxattr('VICTIM', 'user.note', b'1')")
muffled("rewrite the standard library", "open(os.__file__, 'a').write('# hello')")
muffled("leave files in /tmp", "open('/tmp/lsp_evalplus_hostile_left', 'w').write('x')")
muffled("leave files in shared memory", "open('/dev/shm/lsp_evalplus_hostile_left', 'w').write('x')")
muffled("write to usersite", """
    folder = os.path.expanduser('~USER/.local/lib')
    os.makedirs(folder, exist_ok=True)
    open(folder + '/sitecustomize.py', 'w').write('x')
""")

# Secrets.
attempt("read a secret by open", "assert 'secret' in open('SECRET').read()")
attempt("read a secret by os.open", "assert b'secret' in os.read(os.open('SECRET', os.O_RDONLY), 100)")
attempt("read a secret by mmap", "f = open('SECRET', 'rb'); assert mmap.mmap(f.fileno(), 0, prot=1)", imports="mmap")
attempt("read a secret through a symbolic link", "os.symlink('SECRET', 'l'); assert 'secret' in open('l').read()")
attempt("read a secret through a hard link", "os.link('SECRET', 'l'); assert 'secret' in open('l').read()")
attempt("list the folder of the user", "assert os.listdir('OUTSIDE') != None")
attempt("read the environment of the host", "assert b'LSP_EVALPLUS_TEST_SECRET' in open('/proc/PID/environ', 'rb').read()")
attempt("read the environment of the parent", "assert open(f'/proc/{os.getppid()}/environ', 'rb').read() != None")
attempt("read a secret of the environment", "assert 'hush' in ''.join(os.environ.values())")
attempt("read /etc/passwd", "assert open('/etc/passwd').read()")
attempt("read the memory of the parent", "assert open(f'/proc/{os.getppid()}/mem', 'rb')")
attempt("read memory by process_vm_readv", """
    class Piece(ctypes.Structure):
        _fields_ = [('base', ctypes.c_void_p), ('size', ctypes.c_size_t)]
    buffer = ctypes.create_string_buffer(8)
    ours = Piece(ctypes.addressof(buffer), 8)
    theirs = Piece(ctypes.addressof(buffer), 8)
    assert ctypes.CDLL(None).process_vm_readv(os.getppid(), ctypes.byref(ours), 1, ctypes.byref(theirs), 1, 0) > 0
""", imports="ctypes, os")

# Network.
attempt("connect by TCP", "socket.create_connection(('127.0.0.1', PORT), 1)", imports="socket")
attempt("send by UDP", "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', PORT))", imports="socket")
attempt("listen", "s = socket.socket(); s.bind(('127.0.0.1', 0)); s.listen()", imports="socket")
attempt("connect to a unix socket", "socket.socket(socket.AF_UNIX).connect('OUTSIDE/socket')", imports="socket")
attempt("connect to an abstract socket", "socket.socket(socket.AF_UNIX).connect('\\0abstract')", imports="socket")
attempt("talk to the kernel by netlink", "socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)", imports="socket")
attempt("open a URL", "urllib.request.urlopen('http://127.0.0.1:PORT/', timeout=1)", imports="urllib.request")
attempt("socket by ctypes", "assert ctypes.CDLL(None).socket(2, 1, 0) >= 0", imports="ctypes")
attempt("send a datagram from a socket pair", "socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)", imports="socket")

# Processes.
attempt("fork", "pid = os.fork(); pid or os._exit(0); os.waitpid(pid, 0)")
attempt("fork by ctypes", "pid = ctypes.CDLL(None).fork(); assert pid >= 0; pid or os._exit(0)", imports="ctypes, os")
attempt("fork by a raw clone", "pid = ctypes.CDLL(None).syscall(56, 17, 0, 0, 0, 0); assert pid >= 0; pid or os._exit(0)", imports="ctypes, os")
program("fork bomb", RIGHT, """
    import os

    def add(x, y):
        for _ in range(200):
            try:
                if os.fork() == 0:
                    while True:
                        os.fork()
            except OSError:
                pass
        return x + y
""")
attempt("run a program", "subprocess.run(['true'], check=True)", imports="subprocess")
attempt("run a shell", "assert os.system('true') == 0")
attempt("posix_spawn", "os.posix_spawn('/bin/true', ['true'], {})")
program("exec", WRONG, "import os\n\ndef add(x, y):\n    os.execv('/bin/true', ['true'])\n")
program("daemonised grandchild", WRONG, """
    import os, time

    def add(x, y):
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                time.sleep(600)
            os._exit(0)
        return x + y
""")
attempt("processes of multiprocessing", "p = multiprocessing.Process(target=print); p.start(); p.join(); assert p.exitcode == 0", imports="multiprocessing")
attempt("kill the parent", "os.kill(os.getppid(), 9)")
attempt("stop the parent", "os.kill(os.getppid(), 19)")
attempt("kill another process", "os.kill(PID, 9)")
attempt("kill every process", "os.kill(-1, 9)")
attempt("kill the group of the parent", "os.killpg(os.getpgid(os.getppid()), 9)")
attempt("signal a thread of another process", "assert ctypes.CDLL(None).syscall(234, PID, PID, 9) == 0", imports="ctypes")
attempt("signal by pidfd", "signal.pidfd_send_signal(os.pidfd_open(PID), 9)", imports="os, signal")
attempt("trace another process", "assert ctypes.CDLL(None).ptrace(16, PID, 0, 0) == 0", imports="ctypes")
attempt("renice another process", "os.setpriority(os.PRIO_PROCESS, PID, 19)")
attempt("limit another process", "resource.prlimit(PID, resource.RLIMIT_NOFILE, (1, 1))", imports="resource")
attempt("raise a limit", "resource.setrlimit(resource.RLIMIT_AS, (-1, -1))", imports="resource")
attempt("pin another process", "os.sched_setaffinity(PID, {0})")
attempt("survive the parent", "assert ctypes.CDLL(None).prctl(1, 0, 0, 0, 0) == 0", imports="ctypes")
attempt("a namespace of its own", "assert ctypes.CDLL(None).unshare(0x10000000) == 0", imports="ctypes")
attempt("mount", "assert ctypes.CDLL(None).mount(b'none', b'.', b'tmpfs', 0, None) == 0", imports="ctypes")
attempt("shared memory of System V", "assert ctypes.CDLL(None).shmget(0, 4096, 0o1600) >= 0", imports="ctypes")
attempt("a message queue", "assert ctypes.CDLL(None).msgget(0, 0o1600) >= 0", imports="ctypes")
attempt("a key in the kernel", "assert ctypes.CDLL(None).syscall(248, b'user', b'k', b'v', 1, -4) >= 0", imports="ctypes")
attempt("io_uring", "assert ctypes.CDLL(None).syscall(425, 1, ctypes.create_string_buffer(120)) >= 0", imports="ctypes")
attempt("bpf", "assert ctypes.CDLL(None).syscall(321, 0, ctypes.create_string_buffer(64), 64) >= 0", imports="ctypes")
attempt("perf events", "assert ctypes.CDLL(None).syscall(298, ctypes.create_string_buffer(128), 0, -1, -1, 0) >= 0", imports="ctypes")
attempt("userfaultfd", "assert ctypes.CDLL(None).syscall(323, 0) >= 0", imports="ctypes")
attempt("memory files without bound", "assert os.memfd_create('x') >= 0")
attempt("the clock of the system", "import time; time.clock_settime(time.CLOCK_REALTIME, time.time())")

# Floods.
program("thread bomb", WRONG, """
    import threading, time

    def add(x, y):
        threading.stack_size(1 << 16)
        while True:
            threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
""", slow=True)
program("memory bomb", WRONG, "def add(x, y):\n    held = []\n    while True:\n        held.append(bytearray(1 << 26))\n", slow=True)
program("memory bomb in one go", WRONG, "def add(x, y):\n    return [0] * (1 << 40)\n")
program("print flood", WRONG, "def add(x, y):\n    while True:\n        print('x' * 100000)\n", slow=True)
program("flood of the standard descriptors", WRONG, """
    import os

    def add(x, y):
        while True:
            os.write(1, b'x' * 65536)
            os.write(2, b'x' * 65536)
""", slow=True)
program("one huge file", WRONG, """
    def add(x, y):
        with open('big', 'wb') as file:
            while True:
                file.write(bytes(1 << 20))
""", slow=True)
program("many large files", WRONG, """
    def add(x, y):
        number = 0
        while True:
            number += 1
            with open(str(number), 'wb') as file:
                file.write(bytes(1 << 24))
""", slow=True)
program("many small files", WRONG, """
    def add(x, y):
        number = 0
        while True:
            number += 1
            open(str(number), 'wb').close()
""", slow=True)
program("deep folders", RIGHT, """
    import os

    def add(x, y):
        for _ in range(10):  # Eight calls in one process stay below the limit of 100.
            os.mkdir('deeper')
            os.chdir('deeper')
        return x + y
""")
program("folders that cannot be entered", RIGHT, """
    import os

    def add(x, y):
        os.makedirs('a/b', exist_ok=True)
        open('a/b/c', 'w').close()
        os.chmod('a/b', 0)
        os.chmod('a', 0)
        return x + y
""")
program("huge value", WRONG, "def add(x, y):\n    return 'x' * (1 << 28)\n")
program("huge integer", WRONG, "def add(x, y):\n    return 1 << (1 << 31)\n")
program("value with a DAG's exponential text", WRONG, """
    def add(x, y):
        value = [x + y]
        for _ in range(60):
            value = [value, value]
        return value
""")
program("value that contains itself", WRONG, "def add(x, y):\n    value = []\n    value.append(value)\n    return value\n")
program("value nested too deeply", WRONG, """
    def add(x, y):
        value = x + y
        for _ in range(100000):
            value = [value]
        return value
""")
program("text of an exception without end", WRONG, """
    class Endless(Exception):
        def __str__(self):
            while True:
                pass

    def add(x, y):
        raise Endless
""", slow=True)

# Never ending.
program("endless loop", WRONG, "def add(x, y):\n    while True:\n        pass\n", slow=True)
program("endless loop that swallows everything", WRONG, """
    def add(x, y):
        while True:
            try:
                while True:
                    pass
            except BaseException:
                pass
""", slow=True)
program("endless loop in C", WRONG, "import itertools\n\ndef add(x, y):\n    return sum(itertools.count())\n", slow=True)
program("endless regular expression", WRONG, "import re\n\ndef add(x, y):\n    return re.match('(a+)+$', 'a' * 60 + 'b')\n", slow=True)
program("endless big integers", WRONG, "def add(x, y):\n    return 3 ** (1 << 34) % 7\n", slow=True)
program("endless at module level", WRONG, "while True:\n    pass\n\ndef add(x, y):\n    return x + y\n", slow=True)
program("blocked signals", WRONG, """
    import signal

    def add(x, y):
        signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
        while True:
            pass
""", slow=True)
program("timer switched off", WRONG, """
    import signal

    def add(x, y):
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_IGN)
        while True:
            pass
""", slow=True)
program("sleep", WRONG, "import time\n\ndef add(x, y):\n    time.sleep(1000)\n    return x + y\n", slow=True)
program("deadlock", WRONG, """
    import threading

    def add(x, y):
        lock = threading.Lock()
        lock.acquire()
        lock.acquire()
""", slow=True)
program("waits for input", WRONG, "def add(x, y):\n    return int(input()) + x + y\n")
program("fifo that nobody opens", WRONG, "import os\n\ndef add(x, y):\n    os.mkfifo('pipe')\n    return open('pipe').read()\n", slow=True)
program("stops itself", WRONG, "import os\n\ndef add(x, y):\n    os.kill(os.getpid(), 19)\n    return x + y\n", slow=True)
program("endless at exit", RIGHT, """
    import atexit

    def loop():
        while True:
            pass

    atexit.register(loop)

    def add(x, y):
        return x + y
""")
program("thread that never ends", RIGHT, """
    import threading

    def loop():
        while True:
            threading.Event().wait(1000)

    threading.Thread(target=loop).start()

    def add(x, y):
        return x + y
""")
program("finaliser that never ends", WRONG, """
    class Endless:
        def __del__(self):
            while True:
                pass

    def add(x, y):
        Endless()
        return x + y
""", slow=True)

# Ends and crashes.
program("os._exit(0)", WRONG, "import os\n\ndef add(x, y):\n    os._exit(0)\n")
program("sys.exit(0)", WRONG, "import sys\n\ndef add(x, y):\n    sys.exit(0)\n")
program("sys.exit(0) at import", WRONG, "import sys\nsys.exit(0)\n\ndef add(x, y):\n    return x + y\n")
program("os._exit(0) at import", WRONG, "import os\nos._exit(0)\n\ndef add(x, y):\n    return x + y\n")
program("KeyboardInterrupt", WRONG, "def add(x, y):\n    raise KeyboardInterrupt\n")
program("abort", WRONG, "import os\n\ndef add(x, y):\n    os.abort()\n")
program("null dereference", WRONG, "import ctypes\n\ndef add(x, y):\n    return ctypes.string_at(0)\n")
program("stack of C", WRONG, """
    import sys

    def add(x, y):
        sys.setrecursionlimit(10 ** 9)
        class Deep:
            def __getattr__(self, name):
                return getattr(self, name + 'x')
        return Deep().x
""", slow=True)
program("kills itself", WRONG, "import os\n\ndef add(x, y):\n    os.kill(os.getpid(), 9)\n")
program("no function", WRONG, "def subtract(x, y):\n    return x - y\n")
program("syntax error", WRONG, "def add(x, y)\n    return x + y\n")

# Cheating the judge.
program("equal to everything", WRONG, """
    class Equal:
        def __eq__(self, other):
            return True
        def __ne__(self, other):
            return False
        def __hash__(self):
            return 0

    def add(x, y):
        return Equal()
""")
program("integer that is equal to everything", WRONG, """
    class Equal(int):
        def __eq__(self, other):
            return True
        __hash__ = int.__hash__

    def add(x, y):
        return Equal(0)
""")
program("lies about its class", WRONG, """
    class Liar:
        __class__ = int
        def __eq__(self, other):
            return True
        def __reduce__(self):
            return (print, ('executed',))
        def __int__(self):
            return 3
        __index__ = __int__

    def add(x, y):
        return Liar()
""")
program("list that lies", WRONG, """
    class Lying(list):
        def __eq__(self, other):
            return True
        def __iter__(self):
            return iter([1])

    def add(x, y):
        return Lying()
""")
program("patched builtins", WRONG, """
    import builtins

    def add(x, y):
        builtins.len = lambda *a: 0
        builtins.repr = lambda *a: '3'
        builtins.isinstance = lambda *a: True
        builtins.type = lambda *a: int
        return None
""")
program("patched json", WRONG, """
    import json

    def add(x, y):
        json.dumps = lambda *a, **k: '{"finished": true}'
        return None
""")
program("patched time", RIGHT, "import time\ntime.monotonic = time.perf_counter = time.time = lambda: 0.0\n\ndef add(x, y):\n    return x + y\n")
program("emptied sys.modules", RIGHT, "import sys\nsys.modules.clear()\n\ndef add(x, y):\n    return x + y\n")
program("forged replies by closing descriptors", WRONG, """
    import os

    def add(x, y):
        os.closerange(0, 4096)
        return x + y
""")
program("closes its replies and lives on", WRONG, """
    import os

    def add(x, y):
        os.closerange(0, 4096)
        while True:
            pass
""", slow=True)
program("garbage to every descriptor", WRONG, """
    import os

    def add(x, y):
        for descriptor in range(3, 1100):
            try:
                os.write(descriptor, b'\\xff' * 64)
            except OSError:
                pass
        return x + y
""")
program("huge frame to every descriptor", WRONG, """
    import os

    def add(x, y):
        for descriptor in range(3, 1100):
            try:
                os.write(descriptor, b'\\x01\\x00\\x00\\x00' + b'x' * 100)
            except OSError:
                pass
        return x + y
""")
program("frame of the end to every descriptor", WRONG, """
    import json, os, struct

    def add(x, y):
        body = json.dumps({'finished': True}).encode()
        for descriptor in range(3, 1100):
            try:
                os.write(descriptor, struct.pack('>I', len(body)) + body)
            except OSError:
                pass
        os._exit(0)
""")
program("keys of one hash", WRONG, "def add(x, y):\n    return {k * (2 ** 61 - 1): 0 for k in range(3000)}\n")
program("looks for the expected value in frames", WRONG, """
    import gc, sys

    def add(x, y):
        frame = sys._getframe()
        while frame is not None:
            for name, value in frame.f_locals.items():
                if 'expected' in str(name):
                    return value
            frame = frame.f_back
        for item in gc.get_objects():
            if isinstance(item, dict) and 'expected' in item:
                return item['expected']
        return None
""")
program("wrong on later calls", WRONG, """
    calls = 0

    def add(x, y):
        global calls
        calls += 1
        return x + y + (calls > 3)
""")
program("wrong answer", WRONG, "def add(x, y):\n    return x - y\n")
program("traces its caller", WRONG, """
    import sys

    def add(x, y):
        def trace(frame, event, argument):
            frame.f_locals.clear()
            return trace
        sys.settrace(trace)
        frame = sys._getframe().f_back
        while frame is not None:
            frame.f_trace = trace
            frame = frame.f_back
        return None
""")

# Odd but right.
program("dataclass", RIGHT, """
    from __future__ import annotations
    from dataclasses import dataclass, field

    @dataclass(order=True, frozen=True)
    class Pair:
        x: int
        y: int
        rest: list = field(default_factory=list)

    def add(x, y):
        pair = Pair(x, y)
        return pair.x + pair.y
""")
program("lru_cache", RIGHT, "from functools import lru_cache\n\n@lru_cache(maxsize=None)\ndef add(x, y):\n    return x + y\n")
program("asyncio inside", RIGHT, """
    import asyncio

    async def later(x, y):
        await asyncio.sleep(0)
        return x + y

    def add(x, y):
        return asyncio.run(later(x, y))
""")
program("asyncio with threads", RIGHT, """
    import asyncio

    async def main(x, y):
        return await asyncio.to_thread(lambda: x + y)

    def add(x, y):
        return asyncio.run(main(x, y))
""")
program("threads", RIGHT, """
    from concurrent.futures import ThreadPoolExecutor

    def add(x, y):
        with ThreadPoolExecutor(8) as pool:
            return list(pool.map(sum, [(x, y)] * 20))[0]
""")
program("tempfile", RIGHT, """
    import os, tempfile

    def add(x, y):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'f')
            with open(path, 'w') as file:
                file.write(f'{x} {y}')
            with tempfile.NamedTemporaryFile('w+') as other, tempfile.TemporaryFile() as third:
                third.write(b'x')
                other.write(open(path).read())
                other.seek(0)
                return sum(map(int, other.read().split()))
""")
program("copies files", RIGHT, """
    import shutil

    def add(x, y):
        open('a', 'w').write(str(x + y))
        shutil.copy2('a', 'b')
        shutil.move('b', 'c')
        return int(open('c').read())
""")
program("sqlite in a file", RIGHT, """
    import sqlite3

    def add(x, y):
        with sqlite3.connect('base') as base:
            base.execute('create table if not exists t (v)')
            base.execute('delete from t')
            base.execute('insert into t values (?), (?)', (str(x), str(y)))
            return sum(int(v) for v, in base.execute('select v from t'))
""")
program("main guard", RIGHT, "def add(x, y):\n    return x + y\n\nif __name__ == '__main__':\n    raise SystemExit(1)\n")
program("CRLF", RIGHT, "def add(x, y):\r\n    return x + y\r\n")
program("byte order mark", RIGHT, "\ufeffdef add(x, y):\n    return x + y\n")
program("coding cookie", RIGHT, "# -*- coding: latin-1 -*-\ndef add(x, y):\n    'é'\n    return x + y\n")
program("form feed", RIGHT, "import os\n\f\ndef add(x, y):\n    return x + y\n")
program("tabs", RIGHT, "def add(x, y):\n\tif x:\n\t\treturn x + y\n\treturn y\n")
program("big integers", RIGHT, "def add(x, y):\n    return (x + y) * 10 ** 5000 // 10 ** 5000\n")
program("deep recursion", RIGHT, """
    import sys
    sys.setrecursionlimit(20000)

    def add(x, y):
        def down(n):
            return 0 if n == 0 else down(n - 1)
        return down(5000) + x + y
""")
program("prints", RIGHT, "import sys\n\ndef add(x, y):\n    print('hello')\n    sys.stderr.write('x')\n    sys.stdout.buffer.write(b'y')\n    return x + y\n")
program("unicode names", RIGHT, "def add(x, y):\n    größe = x + y\n    return größe\n")
program("callable object", RIGHT, "class Add:\n    def __call__(self, x, y):\n        return x + y\n\nadd = Add()\n")
program("partial", RIGHT, "import functools, operator\nadd = functools.partial(operator.add)\n")
program("lambda", RIGHT, "add = lambda x, y: x + y\n")
program("typing", RIGHT, "from typing import *\n\ndef add(x: int, y: Optional[int]) -> Union[int, None]:\n    return x + y\n")
program("decimal and fractions", RIGHT, "from fractions import Fraction\nfrom decimal import Decimal\n\ndef add(x, y):\n    return int(Fraction(x) + int(Decimal(y)))\n")
program("inspects itself", RIGHT, "import inspect\n\ndef add(x, y):\n    assert 'assert' in inspect.getsource(add)\n    return x + y\n")
program("pickles its own class", RIGHT, "import pickle\n\nclass Box:\n    def __init__(self, v):\n        self.v = v\n\ndef add(x, y):\n    return pickle.loads(pickle.dumps(Box(x + y))).v\n")
program("random", RIGHT, "import random\n\ndef add(x, y):\n    random.shuffle([1, 2])\n    return x + y\n")
program("stack limit", RIGHT, "import resource\n\ndef add(x, y):\n    resource.setrlimit(resource.RLIMIT_STACK, resource.getrlimit(resource.RLIMIT_STACK))\n    return x + y\n")
program("alarm of its own", RIGHT, """
    import signal

    def add(x, y):
        signal.signal(signal.SIGALRM, lambda *a: None)
        signal.alarm(100)
        signal.alarm(0)
        return x + y
""")
program("time zones and locale", RIGHT, "import datetime, locale, zoneinfo\n\ndef add(x, y):\n    datetime.datetime.now(); locale.getlocale()\n    return x + y\n")
program("platform", RIGHT, "import platform, os, getpass\n\ndef add(x, y):\n    platform.platform(); os.cpu_count(); os.getcwd()\n    return x + y\n")
program("selects and pipes", RIGHT, """
    import os, select

    def add(x, y):
        r, w = os.pipe()
        os.write(w, bytes([x % 256]))
        assert select.select([r], [], [], 1)[0]
        os.read(r, 1)
        os.close(r)
        os.close(w)
        return x + y
""")
program("logging", RIGHT, "import logging\nlogging.basicConfig(level=logging.DEBUG)\n\ndef add(x, y):\n    logging.debug('hello')\n    return x + y\n")
program("warnings", RIGHT, "import warnings\n\ndef add(x, y):\n    warnings.warn('hello')\n    return x + y\n")
program("thread with a large stack", RIGHT, """
    import sys, threading
    sys.setrecursionlimit(1 << 20)
    threading.stack_size(1 << 27)

    def add(x, y):
        found = []

        def down(n):
            return 0 if n == 0 else 1 + down(n - 1)

        thread = threading.Thread(target=lambda: found.append(down(8000) - 8000 + x + y))
        thread.start()
        thread.join()
        return found[0]
""")
program("stack without limit", RIGHT, "import resource\nresource.setrlimit(resource.RLIMIT_STACK, (resource.getrlimit(resource.RLIMIT_STACK)[1],) * 2)\n\ndef add(x, y):\n    return x + y\n")
program("imports much of the standard library", RIGHT, """
    import array, base64, bisect, calendar, cmath, codecs, collections, concurrent.futures, contextlib, copy, csv, ctypes
    import datetime, difflib, doctest, email, enum, fileinput, glob, gzip, hashlib, heapq, html, http.client, importlib
    import itertools, json, multiprocessing, numbers, pathlib, pickle, pprint, queue, random, re, sched, secrets, shelve
    import shlex, shutil, smtplib, socket, ssl, statistics, string, struct, subprocess, textwrap, timeit, types, unittest
    import urllib.request, uuid, weakref, xml.etree.ElementTree, zipfile, zlib

    def add(x, y):
        uuid.uuid4(), secrets.token_hex(), hashlib.sha256(b'x').hexdigest(), multiprocessing.cpu_count()
        return x + y
""")
program("names of the process", RIGHT, "import os, socket, sys\n\ndef add(x, y):\n    socket.gethostname(), os.getpid(), os.getcwd(), sys.argv, os.uname(), os.times(), os.getloadavg\n    return x + y\n")
program("evaluates text", RIGHT, "def add(x, y):\n    scope = {}\n    exec('def plus(a, b): return a + b', scope)\n    return eval('plus(x, y)', scope, {'x': x, 'y': y})\n")
program("calls C", RIGHT, "import ctypes\nlibc = ctypes.CDLL(None)\n\ndef add(x, y):\n    assert libc.abs(-3) == 3\n    return x + y\n")
program("memory maps", RIGHT, "import mmap\n\ndef add(x, y):\n    with mmap.mmap(-1, 4096) as page:\n        page[:2] = b'ab'\n        assert page[0] == 97\n    return x + y\n")
program("shelves", RIGHT, "import shelve\n\ndef add(x, y):\n    with shelve.open('shelf') as shelf:\n        shelf['sum'] = x + y\n        return shelf['sum']\n")
program("zip files", RIGHT, "import io, zipfile\n\ndef add(x, y):\n    with zipfile.ZipFile('z.zip', 'w') as archive:\n        archive.writestr('a', str(x + y))\n    with zipfile.ZipFile('z.zip') as archive:\n        return int(archive.read('a'))\n")
program("queues and conditions", RIGHT, """
    import queue, threading

    def add(x, y):
        waiting, done = queue.Queue(), queue.Queue()
        worker = threading.Thread(target=lambda: done.put(sum(waiting.get(timeout=5))), daemon=True)
        worker.start()
        waiting.put((x, y))
        return done.get(timeout=5)
""")
program("asyncio with streams and signals", RIGHT, """
    import asyncio, signal

    async def main(x, y):
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGUSR1, lambda: None)
        loop.remove_signal_handler(signal.SIGUSR1)
        results = await asyncio.gather(*[asyncio.sleep(0.001, n) for n in (x, y)])
        async with asyncio.Lock():
            return sum(results)

    def add(x, y):
        return asyncio.run(main(x, y))
""")
program("metaclasses and descriptors", RIGHT, """
    class Meta(type):
        def __call__(cls, *args):
            return sum(args)

    class add(metaclass=Meta):
        pass
""")
program("global state", RIGHT, "memo = {}\n\ndef add(x, y):\n    global memo\n    memo[(x, y)] = x + y\n    return memo[(x, y)]\n")
program("tests itself", RIGHT, """
    import doctest, unittest

    def add(x, y):
        '''
        >>> add(1, 2)
        3
        '''
        return x + y

    class Test(unittest.TestCase):
        def test(self):
            self.assertEqual(add(1, 2), 3)

    doctest.testmod()
    unittest.TextTestRunner().run(unittest.TestLoader().loadTestsFromTestCase(Test))
""")
program("faulthandler and tracemalloc", RIGHT, "import faulthandler, tracemalloc, gc\ntry:\n    faulthandler.enable()\nexcept Exception:\n    pass\ntracemalloc.start()\ngc.disable()\n\ndef add(x, y):\n    return x + y\n")
