"""Progress of long jobs."""

import pytest

from referee.progress import show_progress


def test_progress_goes_to_stderr_in_tenths_where_no_one_watches(capsys: pytest.CaptureFixture[str]) -> None:
    """A log file gets ten lines at most, and stdout stays clean."""
    with show_progress("Reviewing match.mp4", 10.0) as advance:
        for hundredths in range(1001):
            advance(hundredths / 100)
    out, err = capsys.readouterr()

    assert out == ""
    assert len(err.splitlines()) == 10
    assert err.splitlines()[4].startswith("Reviewing match.mp4: 50 %, 5.0 of 10.0 s, ")


@pytest.mark.parametrize(("total_s", "quiet"), [(10.0, True), (0.0, False)])
def test_progress_is_silent_when_asked_or_when_the_length_is_unknown(
    total_s: float, quiet: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    """Under --json nothing is shown, and an unknown length gives no made-up share."""
    with show_progress("Reviewing match.mp4", total_s, quiet=quiet) as advance:
        advance(5.0)

    assert capsys.readouterr() == ("", "")
