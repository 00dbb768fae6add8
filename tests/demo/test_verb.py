"""`gpubot demo` as a process: it prints an address that answers, and Ctrl-C ends it without a trace."""

import os
import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

GPUBOT = [sys.executable, "-m", "bot"]
ROOT = Path(__file__).parent.parent.parent


def test_it_stays_up_and_stops_on_ctrl_c() -> None:
    proxies = {"HTTP_PROXY": "http://127.0.0.1:9", "http_proxy": "http://127.0.0.1:9"}
    with subprocess.Popen(
        [*GPUBOT, "demo", "--scenario", "empty", "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env=os.environ | proxies,
    ) as process:
        assert process.stdout is not None
        lines = []
        for line in process.stdout:
            lines.append(line)
            if "Ctrl-C" in line:
                break
        address = re.search(r"http://127\.0\.0\.1:\d+/", "".join(lines))
        assert address, lines
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(address[0], timeout=10) as page:
            assert b"<html" in page.read()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
    assert process.returncode == 0
    assert "Stopping" in out
    assert "Traceback" not in err


def test_the_tour_ends_with_status_0_and_prints_question_and_answer() -> None:
    done = subprocess.run(
        [*GPUBOT, "demo", "--tour", "--exit", "--port", "0"], capture_output=True, text=True, cwd=ROOT, timeout=60
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    assert "ana in #gpu-ops:  /gpu status" in done.stdout
    assert "H200: 11 of 96 free, at most 4 together (on gpu-3)." in done.stdout
    assert "The tour went well." in done.stdout
