"""The command of the wheel beside the native one."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

PROGRAM = Path(sys.executable).with_name("planish")
GREY = "precision mediump float;\nuniform float level;\nvoid main() { gl_FragColor = vec4(level); }\n"
LOOP = '(module (func (export "_start") (loop (br 0))))'
EXIT = """(module (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
  (memory (export "memory") 1) (func (export "_start") (call $exit (i32.const 7))))"""

SAME = [
    ["--version"],
    ["targets"],
    ["explain", "E0301"],
    ["compile", "grey.frag", "--emit=wgsl"],
    ["compile", "-", "--emit=spirv", "-O2"],
    ["compile", "broken.frag", "--emit=wgsl"],
    ["compile", "nothing.frag", "--emit=wgsl"],
    ["compile", "grey.frag", "--emit=wgls"],
    ["check", "broken.frag", "grey.frag", "--message-format=json"],
    ["run", "exit.wat"],
    ["run", "grey.frag", "--size=8x8", "-o", "-"],
    ["nothing"],
    [],
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("command")
    (folder / "grey.frag").write_text(GREY)
    (folder / "broken.frag").write_text("void main() {\n  gl_FragColor = vec4(levle);\n}\n")
    (folder / "loop.wat").write_text(LOOP)
    (folder / "exit.wat").write_text(EXIT)
    return folder


@pytest.mark.parametrize("arguments", SAME, ids=lambda arguments: " ".join(arguments) or "nothing at all")
def test_it_does_what_the_native_one_does(folder, arguments):
    def run(program):
        done = subprocess.run([program, *arguments], input=GREY.encode(), capture_output=True, cwd=folder)
        return done.returncode, done.stdout, done.stderr

    assert run(PROGRAM) == run(os.environ["PLANISH_COMMAND"])


def test_a_module_runs_it_too(folder):
    done = subprocess.run([sys.executable, "-m", "planish", "run", "exit.wat"], capture_output=True, cwd=folder)
    assert (done.returncode, done.stdout, done.stderr) == (7, b"", b"")


def test_arguments_need_not_be_utf_8(folder):
    name = os.fsencode(folder) + b"/\xff.frag"
    Path(os.fsdecode(name)).write_text(GREY)
    done = subprocess.run([PROGRAM, "compile", name, "--emit=wgsl"], capture_output=True, cwd=folder)
    assert done.returncode == 0 and b"@fragment" in done.stdout


def test_ctrl_c_ends_it(folder):
    process = subprocess.Popen([PROGRAM, "run", "loop.wat"], cwd=folder, stderr=subprocess.PIPE)
    time.sleep(2)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    assert process.wait(20) == -signal.SIGINT
    assert process.stderr.read() == b""


def test_a_closed_pipe_is_no_error(folder):
    process = subprocess.Popen([PROGRAM, "explain", "E0301"], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.close()
    assert process.wait(20) == 0
    assert process.stderr.read() == b""


def test_kept_results_are_those_of_this_version(folder):
    """The key has the bytes of the module, and not those of Python."""
    (folder / "v.toml").write_text("[define]\nFOG = [true]\n")
    arguments = ["compile", "grey.frag", "--variants", "v.toml", "--emit=wgsl", "--out-dir", "out", "--cache", "kept"]
    keys = []
    for program in (PROGRAM, os.environ["PLANISH_COMMAND"]):
        for _ in range(2):
            subprocess.run([program, *arguments], check=True, cwd=folder)
        keys.append({path.name for path in (folder / "kept/ac").iterdir()})
    assert len(keys[0]) == 1 and len(keys[1]) == 2
    python = Path(sys.executable).resolve()
    copy = folder / "python-of-another-version"
    copy.write_bytes(python.read_bytes() + b"\0")
    copy.chmod(0o755)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONHOME": sys.base_prefix}
    subprocess.run([copy, "-m", "planish", *arguments], check=True, cwd=folder, env=environment)
    assert {path.name for path in (folder / "kept/ac").iterdir()} == keys[1]


def test_it_loads_no_numpy():
    text = "import sys, planish; assert 'numpy' not in sys.modules; planish.Picture; assert 'numpy' in sys.modules"
    subprocess.run([sys.executable, "-c", text], check=True)
