"""Usage, help, and what the command does with wrong words."""
import os

from harness import case

COMMANDS = "run render check explain list new info export hash bench demo".split()


@case
def no_command_shows_the_overview_and_exits_2(firn):
    result = firn()
    assert result.code == 2 and "usage: firn COMMAND" in result.err, str(result)
    for name in COMMANDS:
        assert f"  {name} " in result.err, name


@case
def help_of_every_command(firn):
    assert "usage: firn COMMAND" in firn.good("help").out
    assert firn.good("--help").out == firn.good("help").out == firn.good("-h").out
    overview = firn.good("help").out
    for name in COMMANDS + ["help", "reference", "version"]:
        text = firn.good("help", name).out
        assert f"\n  {name} " in overview, name
        assert "  " not in text.splitlines()[0] and not text.splitlines()[0].endswith(" "), text
        assert text.startswith(f"usage: firn {name}"), text
        assert firn.good(name, "--help").out == text == firn.good(name, "-h").out
    assert "exit codes" in firn.good("help").out.lower()


@case
def version(firn):
    assert firn.good("--version").out.startswith("firn ")


@case
def unknown_words_name_the_nearest(firn):
    firn.wrong("rnu", says="did you mean 'run'?")
    firn.wrong("help", "rendr", says="did you mean 'render'?")
    firn.wrong("zzzzzzzz", says="'firn help' lists them")
    firn.wrong("run", "x.yaml", "-o", "d", "--frmes", "3", says="did you mean '--frames'?")
    firn.wrong("run", "x.yaml", "-o", "d", "--qqqqqqqqq", says="'firn help run' lists them")
    firn.wrong("check", "x.yaml", "--budget", "3", says="unknown option '--budget' of 'firn check'")
    firn.wrong("run", "-x", says="unknown option '-x'")


@case
def missing_and_extra_words(firn):
    for name in ("run", "render", "check", "new", "info", "export", "hash"):
        firn.wrong(name, says=f"missing argument; usage: firn {name} ")
    firn.wrong("run", "a.yaml", "b.yaml", "-o", "d", says="unexpected argument 'b.yaml'; usage: firn run SCENE|- -o DIR")
    assert firn.wrong("help", "run", "x").err == "firn: unexpected argument 'x'; usage: firn help [COMMAND]\n"
    firn.wrong("list", "wind", "x", says="unexpected argument 'x'")
    firn.wrong("run", "tumble", says="-o DIR")
    firn.wrong("render", "out", says="-o FILE.mp4")
    firn.wrong("export", "out", "-o", "x", says="--format")
    firn.wrong("export", "out", "--format", "ply", says="-o DIR")
    firn.wrong("export", "out", "--format", "plx", "-o", "x", says="did you mean 'ply'?")


@case
def values_of_options_are_checked(firn):
    for value in ("0", "-1", "x", "3x", "", "99999999999999999999", "1.5"):
        firn.wrong("run", "tumble", "-o", "d", "--frames", value, says="--frames takes a whole number")
    for value in ("0", "5000", "-2", "two"):
        firn.wrong("run", "tumble", "-o", "d", "--threads", value, says="--threads takes a whole number")
    for value in ("12", "x", "12x", "x12", "1280x", "0x0", "100000x3", "-5x5", "12x12x12"):
        firn.wrong("render", "d", "-o", "x.png", "--size", value, says="--size takes WIDTHxHEIGHT")
    firn.wrong("run", "tumble", "-o", "d", "--set", "fps", says="--set takes KEY=VALUE")
    firn.wrong("run", "tumble", "-o", "d", "--set", "=5", says="--set takes KEY=VALUE")
    firn.wrong("run", "tumble", "-o", says="--output needs a value")
    firn.wrong("run", "tumble", "-o", "", says="--output needs a non-empty value")
    firn.wrong("run", "tumble", "-o", "d", "--json=yes", says="--json takes no value")
    assert os.listdir(firn.folder) == []


@case
def a_full_standard_output_is_an_error(firn):
    for words in (["list"], ["help"], ["--version"], ["explain"], ["hash", "falling-balls", "--steps", "1"]):
        with open("/dev/full", "w") as full:
            result = firn(*words, stdout=full)
        assert result.code == 1 and "cannot write to standard output" in result.err, f"{words}: {result}"
