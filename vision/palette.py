"""The colours in which people know the balls, for drawings; standard library only.

These are for showing, not for telling balls apart: makers differ (a television set has a pink 4 and a brown 7).
"""

from calibration.equipment import BallId

Rgb = tuple[int, int, int]
"""Red, green, blue, 0 to 255."""

_SOLID: tuple[Rgb, ...] = (
    (242, 196, 26),  # 1 and 9 yellow
    (38, 84, 196),  # 2 and 10 blue
    (212, 42, 36),  # 3 and 11 red
    (104, 52, 150),  # 4 and 12 purple
    (240, 122, 26),  # 5 and 13 orange
    (16, 122, 62),  # 6 and 14 green
    (126, 34, 40),  # 7 and 15 maroon
    (24, 24, 26),  # 8 black
)
IVORY: Rgb = (250, 247, 236)
_COLOURED: Rgb = (214, 140, 30)
_UNNAMED: Rgb = (168, 172, 178)


def ball_rgb(ball: BallId) -> Rgb:
    """The colour of a ball; a striped one gives the colour of its stripe, an unnamed one grey.

    >>> ball_rgb("9") == ball_rgb("1"), ball_rgb("cue"), is_striped("9")
    (True, (250, 247, 236), True)
    """
    if ball == "cue" or (ball.startswith("w") and ball[1:].isdecimal()):
        return IVORY
    if ball == "Y":
        return _COLOURED
    if ball.isdecimal() and 1 <= int(ball) <= 15:
        return _SOLID[(int(ball) - 1) % 8]
    return _UNNAMED


def is_striped(ball: BallId) -> bool:
    """True for 9 to 15."""
    return ball.isdecimal() and 9 <= int(ball) <= 15


def label(ball: BallId) -> str:
    """What is written on or beside a ball: its number, nothing for the cue ball and whites."""
    return ball if ball.isdecimal() or ball.startswith("b") else ""


def is_dark(colour: Rgb) -> bool:
    """True where white writing reads better than black (luma below 140 of 255, ITU-R BT.601)."""
    red, green, blue = colour
    return 0.299 * red + 0.587 * green + 0.114 * blue < 140
