"""The comparison with other libraries: which are unbeaten, and the tables; no peer is needed."""

import json

import numpy as np
import pytest

from bench.peers import conclusions
from bench.peers.conclusions import Comparison, Entry, Rival
from bench.peers.models import LIBRARIES, ROW, SMALL, cases
from bench.peers.report import Results, make_report
from bench.peers.runner import Stream, run, settings


def entry(library="peer", us=10.0, accuracy=80.0, mb=30.0, kind="linear", title="", size=None):
    return Entry("a9a", library, title or f"{library}: m", kind, size, ROW, 100, accuracy, us, mb)


def comparison(peer, *ours):
    rivals = [Rival(one, one.accuracy) for one in ours]
    return Comparison(peer, rivals[0], peer.us / ours[0].us, rivals)


OURS = entry("edgeolk", title="edgeolk: bpa_s", us=2.0, accuracy=82.0, kind="expansion", size=100)


def test_a_beaten_peer_gets_no_sentence():
    assert conclusions.sentence(comparison(entry(), OURS)) is None


def test_half_a_point_is_level():
    assert comparison(entry(accuracy=82.5), OURS).unbeaten() == []
    assert comparison(entry(accuracy=82.51), OURS).unbeaten() == ["accuracy"]


def test_a_faster_and_better_peer():
    other = entry("edgeolk", title="edgeolk: other", us=0.5, accuracy=83.2)
    words = conclusions.sentence(comparison(entry(us=1.0, accuracy=83.0), OURS, other))
    assert "in time (1.00 us a row against 2.00) and accuracy (83.00 % against 82.00 %)" in words
    assert words.endswith("Of ours edgeolk: other (83.20 %, 0.500 us) beats it in both.")


def test_what_comes_near_where_nothing_of_ours_is_both():
    slow = entry("edgeolk", title="edgeolk: slow", us=9.0, accuracy=84.0)
    quick = entry("edgeolk", title="edgeolk: quick", us=0.9, accuracy=70.0)
    found = comparison(entry(us=1.0, accuracy=83.0), OURS, slow, quick)
    assert found.best() is None
    words = conclusions.sentence(found)
    assert "as accurate: edgeolk: slow (84.00 %, 9.00 us)" in words
    assert "as fast: edgeolk: quick (70.00 %, 0.900 us)" in words
    assert "only the best of ours, edgeolk: slow (84.00 %, 9.00 us), is 1.00 points ahead" in words


def test_summary_counts():
    held = [comparison(entry(), OURS), comparison(entry(us=1.0, accuracy=90.0), OURS)]
    words = conclusions.summary(held)
    assert "Of 2 comparisons" in words
    assert "faster in 1 (median ratio 2.75)" in words
    assert "to half a point, in 1." in words
    assert "In 1 there is one of ours" in words


def test_memory_and_import():
    small = comparison(entry("dlib", mb=5.0), OURS)
    level = comparison(entry("numpy", mb=29.0), OURS)
    (line,) = conclusions.memory([small, level])
    assert "dlib is not beaten in 1 of 1 comparisons, 5 MB against 30" in line
    times = {"edgeolk": 60.0, "vowpal wabbit": 20.0, "river": 700.0, "dlib": 0.0}
    (line,) = conclusions.imports(times)
    assert "vowpal wabbit is not beaten, 20 ms against 60" in line


def test_every_counterpart_is_a_case_and_every_grid_has_its_choice():
    chosen = settings()
    for data in ("a9a", "occupancy"):
        listed = list(cases(data, with_sparse=True))
        keys = {case.key for case in listed}
        assert len(keys) == len(listed)
        for case in listed:
            assert not case.model.ours or case.counterpart in keys
            stored = chosen.get(case.settings_key)
            grids = [c.model.grid for c in listed if c.settings_key == case.settings_key]
            assert stored is None or any(stored in grid for grid in grids)
            assert stored is not None or all(len(grid) == 1 for grid in grids)


@pytest.fixture
def stream(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((450, 3)).astype(np.float32)
    y = np.where(X[:, 0] > 0, 1.0, -1.0)
    return Stream.write("occupancy", "made up", tmp_path / "rows", X, y, 0.3)


def test_processes_answer_as_the_library_does_and_the_report_says_what_is_missing(stream):
    import edgeolk as ek

    listed = [
        case
        for case in cases("occupancy", with_sparse=False)
        if case.model.name == "rbp" and case.size == SMALL
    ]
    listed += [c for c in cases("occupancy", with_sparse=False) if c.model.library == "river"]
    versions = {name: "1" if name in ("edgeolk", "numpy") else None for name in LIBRARIES}
    results = Results([stream], listed, settings(), versions)
    for case in listed[:3]:
        results.outcomes[case.key] = run(case, stream, {}, 60.0)
    learner = ek.Learner("rbp", n_features=3, budget=SMALL, kernel=ek.Gaussian(stream.gamma))
    X = np.fromfile(stream.folder / "X", np.float32).reshape(-1, 3)
    y = np.fromfile(stream.folder / "y")
    right = (learner.learn_many(X, y) >= 0) == (y > 0)
    for outcome in results.outcomes.values():
        np.testing.assert_array_equal(outcome.right, right)
        assert outcome.timing.rows == 450
        assert 5.0 < outcome.mb < 500.0
    report = make_report(results, 1, 60.0)
    assert "not installed" in report.markdown()
    assert "Of 1 comparisons" in report.markdown()
    json.dumps(report.data)


def test_an_allowance_ends_a_run_after_a_block(stream):
    (case,) = [
        c
        for c in cases("occupancy", with_sparse=False)
        if (c.model.title, c.size, c.mode) == ("edgeolk: rbp", SMALL, ROW)
    ]
    outcome = run(case, stream, {}, 1e-9)
    assert outcome.timing.rows == len(outcome.right) == 200
