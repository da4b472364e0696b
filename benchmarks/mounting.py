"""Tables of docs/calibration.md: what a camera at a height sees of a table. `python -m benchmarks.mounting`.

Geometry only: a pinhole straight above the centre spot, the playing surface and a hand's breadth of rail just in view.
"""

import math

from calibration.equipment import TABLES

RAIL_M = 0.20
"""Rail and a little floor that should be in view beyond the noses."""
PICTURES = (("1280 x 720", 1280, 720), ("1920 x 1080", 1920, 1080), ("3840 x 2160", 3840, 2160))
EXPOSURES = (1 / 60, 1 / 120, 1 / 250, 1 / 500)
SPEEDS_MPS = (1.0, 4.0, 8.0)


def pixel_mm(length_m: float, width_m: float, across: int, down: int) -> float:
    """Millimetres a pixel on the cloth when the table just fits the picture."""
    return 1000 * max((length_m + 2 * RAIL_M) / across, (width_m + 2 * RAIL_M) / down)


def angle_deg(length_m: float, width_m: float, height_m: float) -> tuple[float, float]:
    """Horizontal angle of view needed at that height above the cloth for a 16:9 picture, and how slanted a corner is seen."""
    across = max(length_m + 2 * RAIL_M, (width_m + 2 * RAIL_M) * 16 / 9)
    corner = math.hypot(length_m / 2, width_m / 2)
    return 2 * math.degrees(math.atan(across / 2 / height_m)), math.degrees(math.atan(corner / height_m))


def parallax_mm(height_m: float, radius_m: float, length_m: float) -> float:
    """Error of a ball at an end whose middle is read as a point of the cloth."""
    return 1000 * radius_m * (length_m / 2 - radius_m) / (height_m - radius_m)


def height_error_mm(height_m: float, length_m: float) -> float:
    """Error of a ball at an end for a millimetre of error in the height of its middle."""
    return length_m / 2 / height_m


def main() -> None:
    """Print the tables in Markdown."""
    print("| table | " + " | ".join(name for name, _, _ in PICTURES) + " |")
    print("|---|" + "---|" * len(PICTURES))
    for spec in TABLES:
        cells = [f"{pixel_mm(spec.length_m, spec.width_m, across, down):.2f} mm" for _, across, down in PICTURES]
        print(f"| {spec.name} | " + " | ".join(cells) + " |")
    nine = TABLES[0]
    print(
        "\n| height above the cloth | angle of view needed (16:9) | slant at a corner | parallax of a ball at an end | per mm of height |"
    )
    print("|---|---|---|---|---|")
    for height in (1.5, 2.0, 2.5, 3.0, 4.0, 6.0):
        view, slant = angle_deg(nine.length_m, nine.width_m, height)
        parallax = parallax_mm(height, nine.ball_radius_m, nine.length_m)
        print(f"| {height:.1f} m | {view:.0f}° | {slant:.0f}° | {parallax:.1f} mm | {height_error_mm(height, nine.length_m):.2f} mm |")
    print("\n| exposure | " + " | ".join(f"{speed:.0f} m/s" for speed in SPEEDS_MPS) + " |")
    print("|---|" + "---|" * len(SPEEDS_MPS))
    for exposure in EXPOSURES:
        print(f"| 1/{1 / exposure:.0f} s | " + " | ".join(f"{1000 * speed * exposure:.0f} mm" for speed in SPEEDS_MPS) + " |")


if __name__ == "__main__":
    main()
