import pytest

from lamps.lamp import lamp


@pytest.fixture
def switch():
    raise RuntimeError("no power")


def test_lit(switch):
    assert lamp(switch) == "lit"


def test_dark():
    assert lamp(False) == "dark"
