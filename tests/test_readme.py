"""Every command of the README and of the pages split from it works as printed, and so does every
snippet of the README; lists agree with the code."""

import contextlib
import functools
import io
import itertools
import json
import re
import shlex
from pathlib import Path

import pytest

import edgeolk.cli
import firmware_sim.cli
from edgeolk.cli.page import page, table

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "README.md").read_text()
PYTHON = re.findall(r"```python\n(.*?)```", TEXT, re.S)
LEARNERS, SIMULATOR, WHICH, PI = (
    (ROOT / "docs" / page).read_text()
    for page in ("learners.md", "simulator.md", "which-one.md", "raspberry-pi.md")
)
COMMANDS = [
    line.split("#")[0].strip()
    for block in re.findall(r"```sh\n(.*?)```", TEXT + LEARNERS + SIMULATOR, re.S)
    for line in block.splitlines()
    if line.strip()
]


def test_pages_do_not_exaggerate():
    for file in ("README.md", "docs/which-one.md"):
        (least,) = re.findall(r"[Mm]ore than (\d+)(?![\d,]*\d)", (ROOT / file).read_text())
        assert int(least) < len(edgeolk.algorithms()), file


def test_no_other_page_counts_them():
    pages = [ROOT / "README.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").glob("*.md")]
    counting = {
        str(page.relative_to(ROOT)) for page in pages
        if re.search(r"\b\d+ (?:of them, compared|(?:published )?algorithms)\b", page.read_text())
    }
    rough = {"README.md", "CHANGELOG.md"}
    assert counting == rough, "a new algorithm would have to be counted there too"


@pytest.mark.parametrize("snippet", PYTHON[1:], ids=range(1, len(PYTHON)))
def test_snippet_runs(snippet, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(snippet, "README.md", "exec"), {})


def test_first_example_learns(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(PYTHON[0], "README.md", "exec"), names)
    learner = names["learner"]
    assert learner.predict_one(names["np"].array([0.5, 0.5])) == 1
    assert learner.mistakes < 400
    assert learner.nbytes <= 16 * 1024
    assert (tmp_path / "xor.olk").exists()


@pytest.fixture
def working_folder(tmp_path, monkeypatch):
    """A folder with the files that the commands name."""
    monkeypatch.chdir(tmp_path)
    edgeolk.Learner("rbp", n_features=2, budget=4).save("model.olk")
    rows = [f"2024-01-01,{i % 7},{(i * i) % 11},{int(i % 3 == 0)}" for i in range(200)]
    (tmp_path / "sensors.csv").write_text("time,a,b,alarm\n" + "\n".join(rows) + "\n")
    return tmp_path


def drawn(commands):
    """The first command of each kind: the others would draw the same charts of other numbers."""
    first = {}
    for command in commands:
        words = shlex.split(command)
        if words[:3] == ["python", "-m", "firmware_sim"]:
            kind = words[words.index("--kind") + 1] if "--kind" in words else ""
            first.setdefault((words[3], kind, "--forecast" in words), command)
    return {*first.values()}


@pytest.mark.parametrize("command", COMMANDS)
def test_command_works(command, working_folder, capsys):
    words = shlex.split(command)
    if words[0] == "make":
        assert re.search(rf"^{words[1]}:", (ROOT / "Makefile").read_text(), re.M)
    elif words[0] == "pip":
        extras = re.findall(r"\[(\w+)\]", words[2])
        project = (ROOT / "pyproject.toml").read_text()
        assert all(re.search(rf"^{extra} = \[", project, re.M) for extra in extras)
    elif words[0] == "edgeolk":
        assert edgeolk.cli.main(words[1:]) == 0
        assert capsys.readouterr().out
    else:
        assert words[:3] == ["python", "-m", "firmware_sim"]
        rows = {"replay": "300", "compare": "150", "tune": "1000"}.get(words[3])
        limit = ["--limit", rows] if rows else []
        pictured = words[3] in ("replay", "compare")
        if pictured and command not in drawn(COMMANDS):
            limit.append("--no-picture")
        assert firmware_sim.cli.main([*words[3:], *limit]) == 0
        if pictured and "--no-picture" not in limit:
            assert list((working_folder / f"{words[3]}-report").glob("*.png"))
        assert capsys.readouterr().out


def refuses_float32_coefficients(name, **options):
    made = functools.partial(edgeolk.Config, name, n_features=2, budget=80, **options)
    try:
        made()
    except ValueError:
        return False  # these choices contradict each other in any type
    try:
        made(coefficients="float32")
    except ValueError:
        return True
    return False


def test_what_refuses_float32_coefficients_is_named():
    (said,) = re.findall(r"of the coefficients\. Not supported by (.*?)\. ", LEARNERS, re.S)
    refusing = {
        row.name
        for row in edgeolk.algorithms()
        for chosen in itertools.product(*row.choices.values())
        if refuses_float32_coefficients(row.name, **dict(zip(row.choices, chosen, strict=True)))
    }
    assert set(re.findall(r"`([^`]+)`", said)) == refusing


def test_table_is_the_catalogue():
    shown = WHICH.split("<!-- algorithms -->\n")[1].split("\n<!-- /algorithms -->")[0]
    assert shown == table(), "paste the output of: python -m edgeolk list --markdown"


def test_steps_on_a_board_are_the_counted_ones():
    counted = json.loads((ROOT / "bench" / "results" / "boards.json").read_text())["boards"]
    lines = PI.split("## Speed")[1].split("\n\n")[2].splitlines()[2:]
    assert len(lines) >= 10
    for line in lines:
        name, *numbers, _, _ = (cell.strip(" `") for cell in line.strip("|").split("|"))
        arm64, arm32 = (
            next(
                step
                for step in counted[board]
                if (step["algorithm"], step["features"]) == (name, 5)
            )
            for board in ("aarch64", "armv7l")
        )
        shown = [int(number.replace(",", "")) for number in numbers]
        assert shown == [
            *(arm64[key] for key in ("budget", "bytes", "instructions")),
            arm32["instructions"],
        ]


def test_page_is_the_catalogue():
    shown = (ROOT / "docs" / "algorithms.md").read_text()
    assert shown == page() + "\n", "write docs/algorithms.md by: python -m edgeolk list --page"


def test_picture_and_links_exist():
    for target in re.findall(r"\]\(([^)#]+)\)", TEXT):
        if "://" not in target:
            assert (ROOT / target).exists(), target
