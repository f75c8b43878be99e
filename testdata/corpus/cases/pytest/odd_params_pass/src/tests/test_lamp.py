import pytest

from lamps.lamp import lamp


@pytest.mark.parametrize("on", [True, 1, "a :: b - c[d]"])
def test_lit(on):
    assert lamp(on) == "lit"


@pytest.mark.skip
def test_later():
    assert False
