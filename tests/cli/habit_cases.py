"""What people expect of any command: signals, pipes, standard input, quiet, JSON, clean terminals."""
import glob
import json
import os
import pty
import select
import shutil
import signal
import subprocess
import time

from harness import case
from run_cases import final_hash, frames, interrupt, leftovers
from scenes import SMALL, WRONG

LONG = ["--set", "duration=1000 s"]


@case
def hangup_saves_and_the_run_goes_on_to_the_same_bits(firn):
    interrupt(firn, signal.SIGHUP)


def started(firn, folder, preexec=None):
    scene = firn.write("small.yaml", SMALL)
    process = subprocess.Popen([firn.program, "run", scene, "-o", folder, *LONG], cwd=firn.folder, preexec_fn=preexec,
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    deadline = time.monotonic() + 60
    while len(frames(firn, folder)) < 2 and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.002)
    return process


@case
def signals_of_batch_systems_save(firn):
    for number in (signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM, signal.SIGXCPU):
        folder = f"cut{number:d}"
        process = started(firn, folder)
        process.send_signal(number)
        process.send_signal(number)  # XCPU comes every second: no reason to die
        err = process.communicate(timeout=60)[1].decode()
        assert process.returncode == 130 and "the state is saved" in err, f"{number}: {process.returncode} {err}"
        assert glob.glob(firn.path(folder, "checkpoints/*")) and leftovers(firn, folder) == []


@case
def nohup_is_respected(firn):
    process = started(firn, "cut", preexec=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    process.send_signal(signal.SIGHUP)
    before = len(frames(firn, "cut"))
    deadline = time.monotonic() + 60
    while len(frames(firn, "cut")) < before + 3 and time.monotonic() < deadline:
        assert process.poll() is None, "HUP was to be ignored"
        time.sleep(0.01)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)
    assert process.returncode == 130


@case
def the_wall_time_saves_and_ends_in_time(firn):
    scene = firn.write("small.yaml", SMALL)
    begun = time.monotonic()
    result = firn("run", scene, "-o", "cut", *LONG, "--wall-time", "1 s")
    passed = time.monotonic() - begun
    assert result.code == 130 and "wall time reached" in result.err and "the state is saved" in result.err, str(result)
    assert 0.4 < passed < 3, passed
    count = len(frames(firn, "cut")) - 1
    firn.good("run", scene, "-o", "cut", *LONG, "--frames", count + 5)
    firn.good("run", scene, "-o", "whole", *LONG, "--frames", count + 5)
    assert final_hash(firn, "cut") == final_hash(firn, "whole")


@case
def wall_times_are_written_as_people_do(firn):
    scene = firn.write("small.yaml", SMALL)
    for value in ("2h", "30 min", "90 s", "90", "1.5h", "1d"):
        firn.good("run", scene, "-o", "o", "--frames", 1, "--wall-time", value)
    for value in ("", "h", "-1", "0", "2 weeks", "1e99", "nan", "2h3"):
        firn.wrong("run", scene, "-o", "o", "--wall-time", value)


@case
def a_scene_from_standard_input(firn):
    firn.write("light.yaml", "picture: {sun_strength: 1.25}\n")
    text = SMALL.replace("name: Small\n", "name: Small\nfrom: light.yaml\n")
    scene = firn.write("small.yaml", text)
    want = firn.good("hash", scene, "--steps", 5).out
    for name in ("-", "/dev/stdin"):
        assert firn.good("hash", name, "--steps", 5, input=text).out == want
    assert firn.good("check", "-", input=text).out.startswith("-: ok")
    firn.good("run", "-", "-o", "o", "--frames", 3, input=text)
    assert "1.25" in open(firn.path("o/scene.yaml"), encoding="utf-8").read()
    result = firn.good("run", "-", "-o", "o", "--frames", 6, input=text)
    assert "resumed" in result.err, str(result)
    with open(scene, encoding="utf-8") as file:  # a file that is redirected, not a pipe
        firn.good("run", "-", "-o", "o", "--frames", 7, stdin=file)
    err = firn.wrong("check", "-", input=WRONG).err
    assert "<stdin>:3:" in err and "did you mean 'radius'?" in err, err
    firn.wrong("check", "-", input="", says="the scene is empty")


@case
def quiet_prints_errors_and_results_only(firn):
    scene = firn.write("small.yaml", SMALL)
    for words in (["run", scene, "-o", "o", "--frames", 3], ["check", scene], ["run", scene, "-o", "o", "--frames", 4, "--json"]):
        result = firn.good(*words, "--quiet")
        assert result.err == "" and ("--json" in words or result.out == ""), f"{words}: {result}"
    result = firn.good("export", "o", "--format", "obj", "-o", "obj", "-q")
    assert (result.out, result.err) == ("obj\n", ""), str(result)
    assert firn.good("hash", scene, "--steps", 1, "-q").out.strip()
    firn.wrong("check", firn.write("wrong.yaml", WRONG), "--quiet", says="did you mean 'radius'?")


def objects(result):
    return [json.loads(line) for line in result.out.splitlines()]


@case
def every_command_speaks_json(firn):
    scene = firn.write("small.yaml", SMALL)
    cost = objects(firn.good("check", scene, "--json"))[-1]
    assert cost["event"] == "ok" and cost["bodies"] == 3 and cost["memory"] > 0, cost
    firn.good("run", scene, "-o", "o", "--frames", 2)
    exported = objects(firn.good("export", "o", "--format", "obj", "-o", "obj", "--json"))
    assert exported[-1] == {"event": "done", "output": "obj"} and exported[0]["event"] == "frame", exported
    assert objects(firn.good("info", "o", "--plot", "p.svg", "--json")) == [{"event": "done", "output": "p.svg"}]
    assert objects(firn.good("new", "fresh", "--json")) == [{"event": "done", "output": "fresh.yaml"}]
    assert len(objects(firn.good("hash", scene, "--steps", 3, "--json"))[0]["hash"]) == 16
    assert "parts" in objects(firn.good("version", "--json"))[0]
    assert objects(firn.good("reference", "--json"))[0]["text"].startswith("# Scene reference")


def listed(firn, *words):
    """The rows of a command by (kind, name)."""
    rows = objects(firn.good(*words, "--json"))
    assert rows and all(o["event"] == "row" and o["help"] for o in rows), rows
    return {(o["kind"], o["name"] if o["kind"] != "series" else f"{o['model']}, {o['panel']}: {o['name']}"): o for o in rows}


@case
def list_gives_one_object_per_row(firn):
    """As many rows as the text has, each with what a program would have to parse out of it."""
    rows = listed(firn, "list")
    assert {kind for kind, _ in rows} == {"snow", "model", "coupling", "shape", "field", "series", "scene"}, rows
    assert len(rows) == sum(line.startswith("  ") for line in firn.good("list").out.splitlines())
    field = rows["field", "mpm.position"]
    assert (field["model"], field["type"], field["components"], field["unit"], field["written"]) == ("mpm", "double", 3, "m", "frames"), field
    assert 50 <= rows["snow", "powder"]["density"] <= 500 and rows["snow", "powder"]["young"] > 1000
    assert ("scene", "tumble") in rows and ("shape", "lamp_post") in rows
    assert {kind for kind, _ in listed(firn, "list", "wind")} == {"model", "field", "series"}
    assert {kind for kind, _ in listed(firn, "list", "scenes")} == {"scene"}


@case
def explain_gives_one_object_per_row(firn):
    [friction] = listed(firn, "explain", "bodies.friction").values()
    assert (friction["type"], friction["default"], friction["min"], friction["max"]) == ("number", "auto", 0, 10), friction
    young = listed(firn, "explain", "mpm.young")["parameter", "mpm.snow.young"]
    assert young["model"] == "mpm" and young["unit"] == "Pa" and not young["required"], young
    radii = listed(firn, "explain", "radius")
    assert ("parameter", "bodies.shape.sphere.radius") in radii and len(radii) > 2, radii
    sphere = listed(firn, "explain", "bodies.shape.sphere")
    assert ("choice", "bodies.shape.sphere") in sphere and ("parameter", "bodies.shape.sphere.radius") in sphere, sphere
    shape = listed(firn, "explain", "bodies.shape")
    assert "sphere" in shape["parameter", "bodies.shape"]["choices"] and ("choice", "sphere") in shape, shape
    wind = listed(firn, "explain", "wind")
    assert ("model", "wind") in wind and ("field", "wind.velocity") in wind and len(wind) > 10, wind
    assert listed(firn, "explain", "powder")["snow", "powder"]["hardening"] > 0
    assert ("dimension", "length") in listed(firn, "explain", "units")


@case
def errors_are_json_too(firn):
    scene = firn.write("wrong.yaml", WRONG)
    for words in (["check", scene], ["run", scene, "-o", "o"], ["run"], ["info", "nowhere"], ["list", "--nonsense"], ["explain", "bodis"],
                  ["render", "nowhere", "-o", "x.mp4"]):
        result = firn(*words, "--json")
        told = objects(result)
        assert result.code == 2 and told[-1]["event"] == "failed" and told[-1]["exit"] == 2 and told[-1]["message"], f"{words}: {result}"


@case
def a_closed_pipe_is_no_error(firn):
    scene = firn.write("small.yaml", SMALL)
    for words in (["list"], ["reference"], ["help"], ["explain", "units"]):
        ours, theirs = os.pipe()
        os.close(ours)
        result = firn(*words, stdout=theirs)
        os.close(theirs)
        assert result.code == 0 and result.err == "", f"{words}: {result}"
    ours, theirs = os.pipe()
    os.close(ours)
    result = firn("run", scene, "-o", "o", "--json", *LONG, stdout=theirs)
    os.close(theirs)
    assert result.code == 130 and result.err == "", str(result)
    assert glob.glob(firn.path("o/checkpoints/*")) and leftovers(firn, "o") == []


@case
def no_escape_sequences_from_files(firn):
    evil = "\\e]0;owned\\a\\e[31m\\u009b31m"
    scene = firn.write("evil.yaml", SMALL.replace("name: Small", f'name: "A {evil} title"'))
    firn.good("run", scene, "-o", "o", "--frames", 1)
    seen = [firn.good("info", "o").out, firn.wrong("run", "nowhere\x1b[31m", "-o", "x").err]
    scene = firn.write("evil.yaml", SMALL.replace("duration: 1 s", f'duration: "{evil}"'))
    seen += [firn.wrong("check", scene).err, firn.wrong("check", scene, "--set", "bodies.\x1b[31m=3").err]
    for text in seen:
        assert "\x1b" not in text and "\x07" not in text and "\x9b" not in text, repr(text)
    ours, theirs = pty.openpty()
    process = subprocess.Popen([firn.program, "info", "o"], cwd=firn.folder, stdout=theirs, stderr=theirs)
    assert process.wait(timeout=60) == 0
    shown = os.read(ours, 65536)
    os.close(ours)
    os.close(theirs)
    assert b"title" in shown and b"\x1b" not in shown, shown


@case
def other_files_are_not_quoted(firn):
    for text in ("secret words here\n", "secret: words here\n", "secret: [words: here\n", "- secret words\n"):
        firn.write("passwd", text)
        scene = firn.write("s.yaml", "firn: 1\nduration: 1 s\nfrom: passwd\n")
        err = firn.wrong("check", scene, says="is not a scene").err
        assert "secret" not in err and "words" not in err and "s.yaml:3:7" in err, err


@case
def bases_are_found_from_anywhere(firn):
    scene = firn.write("s.yaml", SMALL.replace("name: Small\n", "name: Small\nfrom: base/snowfall\n"))
    firn.good("run", scene, "-o", "o", "--frames", 1)
    assert "300 m" in open(firn.path("o/scene.yaml"), encoding="utf-8").read()
    os.mkdir(firn.path("base"))
    firn.write("base/snowfall", "firn: 1\npicture: {haze: 77 m}\n")  # what is beside the scene wins
    firn.good("run", scene, "-o", "own", "--frames", 1)
    assert "77 m" in open(firn.path("own/scene.yaml"), encoding="utf-8").read()
    os.mkdir(firn.path("mine"))
    firn.write("mine/light.yaml", "picture: {haze: 99 m}\n")
    scene = firn.write("s.yaml", SMALL.replace("name: Small\n", "name: Small\nfrom: light\n"))
    firn.wrong("check", scene, says="there is no file 'light'")
    firn.good("run", scene, "-o", "env", "--frames", 1, env={"FIRN_SCENES": "/nowhere:" + firn.path("mine")})
    assert "99 m" in open(firn.path("env/scene.yaml"), encoding="utf-8").read()
    for name in ("base/snowfal", "../base/snowfall.yaml", "snowfall"):
        scene = firn.write("t.yaml", f"firn: 1\nduration: 1 s\nfrom: {name}\n")
        firn.wrong("check", scene, says="did you mean 'base/snowfall'?")


@case
def the_first_example_of_the_wind_page_works_anywhere(firn):
    with open(os.path.join(firn.root, "docs", "wind.md"), encoding="utf-8") as file:
        example = file.read().split("```yaml\n")[1].split("```")[0]
    firn.good("check", firn.write("first.yaml", example))


@case
def a_file_where_a_folder_should_be(firn):
    scene = firn.write("small.yaml", SMALL)
    firn.write("file", "x")
    firn.wrong("run", scene, "-o", "file", says="'file' is a file")
    firn.good("run", scene, "-o", "o", "--frames", 1)
    firn.wrong("export", "o", "--format", "obj", "-o", "file", says="'file' is a file")
    assert open(firn.path("file"), encoding="utf-8").read() == "x"


@case
def version_names_the_licences(firn):
    text = firn.good("version").out
    assert text == firn.good("--version").out == firn.good("-V").out
    for part in ("firn 0.", "MIT", "libyaml", "HDF5", "ODE", "libpng", "xxHash"):
        assert part in text, part
    assert ("FFmpeg" in text) == ("movie" in text), text
    assert "FFmpeg" not in text or "GPL" in text, text


@case
def hash_needs_its_steps(firn):
    firn.wrong("hash", firn.write("small.yaml", SMALL), says="--steps N")


@case
def every_command_has_a_manual_page(firn):
    firn.good("man", "-o", "man1")
    names = [line.split()[0] for line in firn.good("help").out.splitlines() if line.startswith("  ")]
    assert sorted(os.listdir(firn.path("man1"))) == sorted([f"firn-{name}.1" for name in names] + ["firn.1"])
    for page in os.listdir(firn.path("man1")):
        with open(firn.path("man1", page), encoding="utf-8") as file:
            text = file.read()
        for part in (".TH ", ".SH NAME", ".SH SYNOPSIS", ".SH DESCRIPTION", ".SH EXIT STATUS"):
            assert part in text, f"{page}: {part}"
        requests = {line.split()[0] for line in text.splitlines() if line.startswith((".", "'"))}
        assert requests <= {".TH", ".SH", ".TP", ".B", ".BR", ".I", ".nf", ".fi"}, requests
        if shutil.which("mandoc"):
            subprocess.run(["mandoc", "-T", "lint", "-W", "error", firn.path("man1", page)], check=True)
    assert "\\-\\-wall\\-time" in firn.good("man", "run").out
    firn.wrong("man", "rum", says="did you mean 'run'?")


def completed(firn, script, *words):
    """What bash offers for the last of the words."""
    line = " ".join(f"'{word}'" for word in ("firn",) + words)
    ask = f"source {script}; COMP_WORDS=({line}) COMP_CWORD={len(words)}; _firn; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    return subprocess.run(["bash", "--norc", "-c", ask], cwd=firn.folder, check=True, capture_output=True, text=True).stdout.split()


@case
def bash_completes_commands_options_and_words(firn):
    script = firn.write("firn.bash", firn.good("completion", "bash").out)
    firn.write("tu my scene.yaml", "")
    assert completed(firn, script, "re") == ["render", "reproduce", "reference"]
    assert completed(firn, script, "run", "--wa") == ["--wall-time"]
    assert completed(firn, script, "list", "--wa") == []
    assert completed(firn, script, "run", "tum") == ["tumble"]
    assert completed(firn, script, "run", "tu") == ["tumble", "tu", "my", "scene.yaml"]
    assert completed(firn, script, "export", "d", "--format", "p") == ["ply", "png16"]
    assert completed(firn, script, "explain", "bodies.frict") == ["bodies.friction"]
    assert completed(firn, script, "run", "x", "--frames", "") == []
    assert completed(firn, script, "bench", "tri") == ["triad"]
    assert completed(firn, script, "completion", "") == ["bash", "zsh", "fish"]


def completed_by_fish(firn, script, line):
    command = f"source {script}; complete -C '{line}'"
    done = subprocess.run(["fish", "--no-config", "-c", command], cwd=firn.folder, capture_output=True, text=True, timeout=60,
                          env={**os.environ, "HOME": firn.folder})
    assert not done.stderr, done.stderr
    return [row.split("\t")[0] for row in done.stdout.splitlines()]


def typed_into_zsh(firn, line):
    """What zsh shows when Tab is pressed twice behind the line; it completes on a terminal only."""
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(firn.folder)
        os.environ.update(TERM="dumb", PS1="> ", HOME=firn.folder)
        os.execvp("zsh", ["zsh", "-f", "-i"])
    shown = ""

    def until(words):
        nonlocal shown
        for _ in range(300):
            if select.select([terminal], [], [], 0.1)[0]:
                shown += os.read(terminal, 65536).decode("utf-8", "replace")
            if words in shown:
                return
        raise AssertionError(f"zsh does not show '{words}' after '{line}': {shown!r}")

    try:
        os.write(terminal, b"stty cols 200 rows 500; fpath=($PWD $fpath); autoload -Uz compinit; compinit -u -D; echo rea''dy\n")
        until("ready")
        shown = ""
        os.write(terminal, line.encode() + b"\t\t")
        yield until
    finally:
        os.kill(child, signal.SIGKILL)
        os.close(terminal)
        os.waitpid(child, 0)


@case
def fish_completes(firn):
    if not shutil.which("fish"):
        return print("# fish is not installed: its completion was not run")
    script = firn.write("firn.fish", firn.good("completion", "fish").out)
    for line, words in (("firn ex", ["explain", "export"]), ("firn export --format ", ["asc", "flt", "obj", "ply", "png16", "xdmf"]),
                        ("firn explain bodies.fric", ["bodies.friction"]), ("firn run --thr", ["--threads"])):
        assert completed_by_fish(firn, script, line) == words, (line, completed_by_fish(firn, script, line))
    assert "tumble" in completed_by_fish(firn, script, "firn run tum")


@case
def zsh_completes(firn):
    if not shutil.which("zsh"):
        return print("# zsh is not installed: its completion was not run")
    firn.write("_firn", firn.good("completion", "zsh").out)
    for line, words in (("firn ex", ["explain", "export"]), ("firn export --format ", ["asc", "png16", "xdmf"]),
                        ("firn explain bodies.fric", ["bodies.friction"]), ("firn run --thr", ["--threads"])):
        for until in typed_into_zsh(firn, line):
            for word in words:
                until(word)


@case
def other_shells_take_their_completion(firn):
    for shell in ("zsh", "fish"):
        text = firn.good("completion", shell).out
        for part in ("wall-time", "tumble", "png16", "bodies.friction", "triad"):
            assert part in text, f"{shell}: {part}"
        if shutil.which(shell):
            subprocess.run([shell, "-n", firn.write("script", text)], check=True)
    firn.wrong("completion", "fisch", says="did you mean 'fish'?")
