"""What tests of this folder share lies beside them, or beside those of the tracker: scenes.py."""

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1] / "tracker")]
