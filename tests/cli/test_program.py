"""The real program: exit codes, streams, pipes, Ctrl-C, faults."""

import gzip
import json
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import arcwise as aw
from arcwise.cli.outputs import write_table

START = [sys.executable, "-c", "from arcwise.cli import main; main()"]


def test_a_whole_session(program, table):
    done = program("learn", table)
    assert done.code == 0
    assert done.err == ""
    assert "Wrote boston.json" in done.out
    done = program("query", "boston.json", "MEDV", "--given", "LSTAT=5")
    assert done.out.startswith("MEDV given LSTAT = 5\n")


def test_version_and_help(program, run):
    assert program("--version").out == f"arcwise {aw.__version__}\n"
    assert run("--help").out == run().out
    assert "\x1b" not in program("learn", "-h").out


def test_help_is_quick(folder):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([*START, "--help"], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    # The aim is half a second; twice that leaves room for a busy machine.
    assert used < 1.0


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["lern"], "No such command 'lern'"),
        (["learn"], "Missing argument 'DATA'"),
        (["learn", "x.csv", "--serch", "tabu"], "--search"),
        (["learn", "x.csv", "--max-parents", "many"], "--max-parents"),
    ],
)
def test_usage_errors(program, arguments, sentence):
    done = program(*arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("arcwise: ")
    assert sentence in done.err
    assert "--help'" in done.err
    assert done.err.count("\n") == 1


def test_user_errors(program):
    done = program("learn", "nowhere.csv")
    assert (done.code, done.out) == (1, "")
    assert done.err == "arcwise: There is no file 'nowhere.csv': check the name and the folder.\n"


def piped(arguments: str, content: bytes) -> subprocess.CompletedProcess[bytes]:
    """Run a command of the shell with `arcwise` in it, with bytes on its standard input."""
    command = " ".join("'" + part + "'" for part in START)
    return subprocess.run(
        ["bash", "-c", arguments.replace("arcwise", command)], input=content, capture_output=True
    )


def packed(table: Path, form: str) -> bytes:
    if form == "gzip":
        return gzip.compress(table.read_bytes())
    if form == "parquet":
        write_table(aw.read(table).to_arrow(), Path("whole.parquet"))
        return Path("whole.parquet").read_bytes()
    return table.read_bytes()


@pytest.mark.parametrize(
    ("place", "form"),
    [("-", "csv"), ("-", "gzip"), ("-", "parquet"), ("/dev/stdin", "gzip"), ("<(cat)", "parquet")],
)
def test_nothing_of_a_pipe_is_lost(table, learned, place, form):
    done = piped(
        f"arcwise learn {place} --model gaussian -o piped.json --json", packed(table, form)
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["data"]["rows"] == 506
    assert found["data"]["columns"] == ["RM", "AGE", "DIS", "LSTAT", "MEDV"]
    assert aw.load("piped.json").graph == learned.graph


def test_a_named_pipe(table, learned):
    os.mkfifo("fifo")
    done = piped("cat boston.csv > fifo & arcwise learn fifo --model gaussian", b"")
    assert b"fifo: 506 rows, 5 columns" in done.stdout
    assert aw.load("fifo.json").graph == learned.graph


def test_standard_input_by_every_command_that_reads_a_table(table, net):
    content = table.read_bytes()
    assert piped("arcwise audit -", content).stdout.startswith(b"standard input: 506 rows")
    assert (
        b"Wrote stdin.json" in piped("arcwise fit '[RM][MEDV|RM]' - --only RM,MEDV", content).stdout
    )
    assert piped("arcwise predict net.json - MEDV", content).stdout.count(b"\n") == 507
    assert piped("arcwise impute net.json -", content).stdout.count(b"\n") == 507
    assert b"506 in 3 folds" in piped("arcwise validate - --folds 3", content).stdout


def test_errors_name_standard_input(folder):
    done = piped("arcwise learn -", b"")
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.startswith(b"arcwise: standard input: The file is empty")


@pytest.mark.parametrize("more", ["", "--drop RM"])
@pytest.mark.parametrize(("place", "name"), [("-", "standard input"), ("/dev/stdin", "stdin")])
def test_a_pipe_is_not_streamed(table, place, name, more):
    done = piped(f"arcwise learn {place} --stream {more}", table.read_bytes())
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.decode() == (
        f"arcwise: {name}: A stream must be a regular file, since its beginning is read twice: leave "
        "--stream out, or write the data to a file.\n"
    )


def test_a_reader_that_leaves(net):
    command = " ".join(["'" + part + "'" for part in START]) + f" edges --all '{net}'"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", f"{command} | head -1"], capture_output=True, text=True
    )
    assert done.returncode == 0
    assert done.stdout.startswith("from")
    assert done.stderr == ""


def test_a_reader_that_leaves_in_the_midst_of_a_long_table(net):
    command = " ".join(["'" + part + "'" for part in START]) + f" sample -n 50000 '{net}'"
    done = subprocess.run(["bash", "-c", f"{command} | head -1"], capture_output=True, text=True)
    assert done.stdout == "RM,AGE,DIS,LSTAT,MEDV\n"
    assert done.stderr == ""


def test_a_closed_standard_output(net):
    command = " ".join(["'" + part + "'" for part in START]) + f" edges '{net}' >&-"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert "Traceback" not in done.stderr


def used(process: int, began: float) -> float:
    """Seconds of processor time of a running process: what a busy machine does not change."""
    place = Path(f"/proc/{process}/stat")
    if not place.exists():  # on other systems, by the clock
        return (time.monotonic() - began) / 3
    fields = place.read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def interrupted(*arguments: str, after: float) -> tuple[int, str, str]:
    """Run a command and press Ctrl-C when it has worked for a while."""
    process = subprocess.Popen(
        [*START, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    began = time.monotonic()
    while process.poll() is None and used(process.pid, began) < after:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err


ENDLESS = ("--search", "tabu", "--option", "restarts=100000000")


def test_interrupted_search_keeps_the_best_so_far(table, learned):
    for after in (1.5, 8):  # where no bytecode is kept, it may still be at its imports after 1.5 s
        code, out, err = interrupted("learn", "boston.csv", *ENDLESS, after=after)
        if Path("boston.json").exists():
            break
    assert code == 130, err
    assert "Traceback" not in err
    assert "stopped by Ctrl-C" in out
    assert aw.load("boston.json").score == pytest.approx(learned.score)
    assert sorted(path.name for path in Path().iterdir()) == ["boston.csv", "boston.json"]


def test_ctrl_c_in_the_midst_of_a_long_step_is_answered(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    x = rng.normal(size=(6000, 12)).cumsum(axis=1)
    np.savetxt("long.csv", x, delimiter=",", header=",".join("abcdefghijkl"), comments="")
    for after in (2.5, 10):
        code, out, err = interrupted("learn", "long.csv", "--model", "parzen", after=after)
        if Path("long.json").exists():
            break
    assert code == 130, err
    assert "Traceback" not in err
    assert "stopped by Ctrl-C" in out
    assert str(aw.load("long.json").stopped) == "stopped by Ctrl-C"


def test_interrupted_validation_has_no_result(table):
    for after in (1.5, 8):
        code, out, err = interrupted("validate", "boston.csv", *ENDLESS, "--json", after=after)
        if code == 130:
            break
    assert (code, out) == (130, ""), err
    assert err == "arcwise: Interrupted; nothing further was written.\n"
    assert [path.name for path in Path().iterdir()] == ["boston.csv"]


def test_interrupted_elsewhere(run, net, monkeypatch):
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("arcwise.api.load", interrupt)
    done = run("edges", net)
    assert (done.code, done.out) == (130, "")
    assert done.err == "arcwise: Interrupted; nothing further was written.\n"


def test_faults_are_one_sentence_with_a_way_to_see_more(run, net, monkeypatch):
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("division\nby zero")

    monkeypatch.setattr("arcwise.api.load", fail)
    monkeypatch.delenv("ARCWISE_DEBUG", raising=False)
    done = run("edges", net)
    assert (done.code, done.out) == (3, "")
    assert "ZeroDivisionError: division by zero" in done.err
    assert "ARCWISE_DEBUG=1" in done.err
    assert done.err.count("\n") == 1
    monkeypatch.setenv("ARCWISE_DEBUG", "1")
    with pytest.raises(ZeroDivisionError):
        run("edges", net)


def test_memory(run, net, monkeypatch):
    def fail(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr("arcwise.api.load", fail)
    assert run("edges", net).code == 1


def test_a_terminal_without_letters(program, folder):
    Path("in.csv").write_text(
        "größe,温度\n" + "\n".join(f"{i % 7}.5,{i % 7 + i % 3}" for i in range(30))
    )
    done = program("learn", "in.csv", PYTHONIOENCODING="ascii")
    assert done.code == 0, done.err
    assert "gr\\xf6\\xdfe" in done.out


def test_colours_only_where_a_person_looks(net, folder):
    import pty

    main, side = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "80"}
    environment.pop("NO_COLOR", None)
    process = subprocess.Popen([*START, "edges", str(net)], stdout=side, env=environment)
    os.close(side)
    seen = b""
    while True:
        try:
            part = os.read(main, 65536)
        except OSError:  # the other side is closed
            break
        if not part:
            break
        seen += part
    assert process.wait() == 0
    assert b"\x1b[" in seen
    assert "█".encode() in seen
