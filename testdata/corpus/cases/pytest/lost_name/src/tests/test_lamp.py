from lamps.lamp import light


def test_lit():
    assert light(True) == "lit"
