"""Runs a command in a terminal of its own (pty(7)) for tests/lab: orders come as lines of JSON on stdin, news go out the same way.

orders: {"send": TEXT} types, {"resize": [COLUMNS, ROWS]}; stdin closed: the command is killed
news:   {"out": TEXT} what the terminal would show, {"exit": CODE} the end (128 + N for signal N)
"""
import codecs, fcntl, json, os, select, signal, struct, sys, termios

columns, rows = int(sys.argv[1]), int(sys.argv[2])
command = sys.argv[3:]


def tell(**news):
    sys.stdout.write(json.dumps(news) + "\n")
    sys.stdout.flush()


def resize(fd, wide, high):
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", high, wide, 0, 0))


pid, terminal = os.forkpty()
if pid == 0:
    # The size is set before the command looks at it: it waits for a byte.
    sys.stdin.buffer.raw.read(1)
    os.execvp(command[0], command)

resize(terminal, columns, rows)
settings = termios.tcgetattr(terminal)
os.write(terminal, b"\n")
decoder = codecs.getincrementaldecoder("utf-8")("replace")
waiting = b""
while True:
    ready, _, _ = select.select([terminal, 0], [], [])
    if terminal in ready:
        try:
            data = os.read(terminal, 65536)
        except OSError:
            data = b""
        if not data:
            break
        tell(out=decoder.decode(data))
    if 0 in ready:
        data = os.read(0, 65536)
        if not data:
            os.kill(pid, signal.SIGKILL)
            break
        *lines, waiting = (waiting + data).split(b"\n")
        for line in lines:
            order = json.loads(line)
            if "send" in order:
                os.write(terminal, order["send"].encode())
            if "resize" in order:
                resize(terminal, *order["resize"])
_, status = os.waitpid(pid, 0)
tell(exit=os.waitstatus_to_exitcode(status) if not os.WIFSIGNALED(status) else 128 + os.WTERMSIG(status))
