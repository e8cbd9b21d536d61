"""tools/setup on machines that are not this one: played with stand-ins on a PATH of their own."""
import os
import shutil
import subprocess

from harness import case


def setup(firn, tools, what="build"):
    """Runs tools/setup with nothing on the PATH but a few plain tools and the given stand-ins."""
    place = firn.path("bin")
    os.makedirs(place)
    for name in ("sh", "mktemp", "rm", "tail", "cat", "env"):
        os.symlink(shutil.which(name), os.path.join(place, name))
    for name, text in tools.items():
        with open(os.path.join(place, name), "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n" + text + "\n")
        os.chmod(os.path.join(place, name), 0o755)
    done = subprocess.run([os.path.join(firn.root, "tools", "setup"), what], env={"PATH": place}, capture_output=True, text=True,
                          cwd=firn.folder, check=False)
    return done.returncode, done.stdout + done.stderr


@case
def setup_off_debian_prints_the_list(firn):
    code, text = setup(firn, {"id": "echo 0"})
    assert code == 1 and "not a Debian system" in text and "libyaml-dev" in text and "libcmocka-dev" not in text, text


@case
def setup_without_rights_prints_the_list(firn):
    code, text = setup(firn, {"id": "echo 1000", "dpkg-query": "exit 1"}, "test")
    assert code == 1 and "without root or sudo" in text and "libhdf5-dev" in text and "libcmocka-dev" in text, text


@case
def setup_as_root_installs_what_is_missing_once(firn):
    log = firn.path("log")
    have = "for p; do case $p in -*|*{*|libode-dev) ;; *) printf 'installed=%s ' $p;; esac; done"
    code, text = setup(firn, {"id": "echo 0", "dpkg-query": have, "apt-get": f'echo "$DEBIAN_FRONTEND $*" >> {log}'})
    assert code == 0, text
    lines = open(log, encoding="utf-8").read().splitlines()
    assert lines[0] == "noninteractive -q update" and len(lines) == 2, lines
    assert lines[1].split(" install ")[1].split() == ["libode-dev"], lines


@case
def setup_with_nothing_missing_does_nothing(firn):
    have = "for p; do printf 'installed=%s ' $p; done"
    code, text = setup(firn, {"id": "echo 1000", "dpkg-query": have})
    assert (code, text) == (0, "")


@case
def setup_says_when_apt_fails(firn):
    code, text = setup(firn, {"id": "echo 0", "dpkg-query": "exit 1", "apt-get": "echo no network; exit 100"})
    assert code == 1 and "no network" in text and "could not install" in text, text


@case
def binary_loads_nothing_from_the_current_folder(firn):
    """An empty element in RUNPATH is the current folder: a library planted beside a scene would be loaded."""
    planted = firn.path("planted")
    os.makedirs(planted)
    source = os.path.join(planted, "x.c")
    with open(source, "w", encoding="utf-8") as file:
        file.write('#include <unistd.h>\n__attribute__((constructor)) static void f(void) { _exit(99); }\n')
    subprocess.run(["cc", "-shared", "-fPIC", "-o", os.path.join(planted, "libyaml-0.so.2"), source], check=True)
    done = subprocess.run([firn.program, "--version"], cwd=planted, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done
    dynamic = subprocess.run(["readelf", "-dW", firn.program], capture_output=True, text=True, check=True).stdout
    for line in dynamic.splitlines():
        if "RUNPATH" in line or "RPATH" in line:
            elements = line[line.index("[") + 1:line.index("]")].split(":")
            assert all(element.startswith("/") for element in elements), line


@case
def binary_is_hardened(firn):
    """Stack canaries, checked copies and prints, full RELRO, a position-independent program."""
    def read(*words):
        return subprocess.run(["readelf", *words, firn.program], capture_output=True, text=True, check=True).stdout
    symbols = read("--dyn-syms", "-W")
    if "__asan_init" in symbols:
        return  # a sanitizer's build checks more than this
    assert "__stack_chk_fail" in symbols and "__snprintf_chk" in symbols, symbols
    assert "BIND_NOW" in read("-dW") and "GNU_RELRO" in read("-lW")
    assert "DYN" in read("-hW")


@case
def start_loads_few_libraries(firn):
    """Each shared library costs every command time: FFmpeg's bring 130, and help needed 35 ms of processor time instead of 9."""
    if b"__asan_init" in open(firn.program, "rb").read():
        return  # a sanitizer's build
    done = subprocess.run(["ldd", firn.program], capture_output=True, text=True, check=True)
    for late in ("libav", "libsw", "libassimp", "libembree", "libcairo", "libpango"):
        assert late not in done.stdout, done.stdout
    assert len(done.stdout.splitlines()) < 75, done.stdout
