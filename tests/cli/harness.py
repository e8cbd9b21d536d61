"""A small harness for tests of the command: every case gets a folder of its own and a way to call firn."""
import concurrent.futures
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback

CASES = []


class Skipped(Exception):
    """The case cannot be run here; says why. It is not counted as passed."""


def case(function):
    CASES.append(function)
    return function


class Result:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    def __str__(self):
        return f"exit {self.code}\n--- stdout\n{self.out[-3000:]}\n--- stderr\n{self.err[-3000:]}"


class Firn:
    """The command, called from a folder that is thrown away."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def __call__(self, *words, stdout=subprocess.PIPE, preexec=None, env=None, timeout=300, stdin=subprocess.DEVNULL,
                 input=None):
        given = {"stdin": stdin} if input is None else {"input": input.encode()}
        done = subprocess.run([self.program, *map(str, words)], cwd=self.folder, stdout=stdout, stderr=subprocess.PIPE,
                              preexec_fn=preexec, timeout=timeout, env={**os.environ, **(env or {})}, **given)
        return Result(done.returncode, (done.stdout or b"").decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace"))

    def start(self, *words, env=None):
        return subprocess.Popen([self.program, *map(str, words)], cwd=self.folder, stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env={**os.environ, **(env or {})})

    def good(self, *words, **more):
        result = self(*words, **more)
        assert result.code == 0, f"firn {' '.join(map(str, words))}: {result}"
        return result

    def wrong(self, *words, says="", code=2, **more):
        """Wrong input: that exit code, a message that holds `says`, nothing on stdout, no crash."""
        result = self(*words, **more)
        assert result.code == code, f"firn {' '.join(map(str, words))}: wanted exit {code}: {result}"
        assert result.err.strip(), f"no message: {result}"
        assert says in result.err, f"wanted '{says}': {result}"
        assert result.out == "", f"something on stdout: {result}"
        return result


def run_case(program, function):
    """(what went wrong or None, why it was skipped or None, seconds)"""
    folder = tempfile.mkdtemp(prefix="firn-cli-")
    started = time.monotonic()
    try:
        function(Firn(program, folder))
        return None, None, time.monotonic() - started
    except Skipped as why:
        return None, str(why), time.monotonic() - started
    except Exception:  # a case fails by any exception
        return traceback.format_exc(), None, time.monotonic() - started
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main(program, wanted):
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # under nohup firn would ignore it, too
    # One cache for all cases, and not the user's: shipped shapes are built once.
    with tempfile.TemporaryDirectory(prefix="firn-cli-cache-") as cache:
        os.environ["FIRN_CACHE"] = cache
        return run_cases(program, wanted)


def run_cases(program, wanted):
    chosen = [c for c in CASES if not wanted or any(word in c.__name__ for word in wanted)]
    failed = skipped = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        jobs = [(c, pool.submit(run_case, os.path.abspath(program), c)) for c in chosen]
        for function, job in jobs:
            trouble, why, seconds = job.result()
            failed += trouble is not None
            skipped += why is not None
            if why is not None:
                print(f"skipped - {function.__name__}: {why}", flush=True)
                continue
            print(f"{'not ok' if trouble else 'ok'} - {function.__name__} ({seconds:.1f} s)", flush=True)
            if trouble:
                print("".join(f"  # {line}\n" for line in trouble.splitlines()), end="", flush=True)
    print(f"{len(chosen) - failed - skipped} passed, {failed} failed, {skipped} skipped")
    return 1 if failed or not chosen else 0
