"""What the tests of this folder share lies beside them: ways.py, scenes.py."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
