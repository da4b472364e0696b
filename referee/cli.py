"""The command line: `cueref COMMAND`. The one place that turns errors into a line and an exit code.

Exit codes: 0 done; 1 done, but something is undecided or below quality; 2 bad input, told in one line.
A command's module is imported only when it is called, so that `cueref judge` needs neither NumPy nor OpenCV.
"""

import gc
import importlib
import os
import sys
from collections.abc import Sequence

import click

from calibration.errors import InputError

COMMANDS = {
    "calibrate": "Find the table in a picture or video and write a table file.",
    "detect": "Find and name the balls in pictures.",
    "track": "Follow the balls through a video.",
    "shots": "Read the shots out of tracks.",
    "judge": "Judge worked cases and compare with their expected rulings.",
    "review": "Referee a recorded match.",
    "live": "Referee at the table, from a camera.",
    "rejudge": "Judge a match log again and list what changes.",
    "report": "Write the report of a match log.",
}

DEBIAN_LINE = "apt-get install -y libgl1 libglib2.0-0 libxcb1"


class LazyGroup(click.Group):
    """A group whose commands live in `referee.commands.NAME` as `command`, imported on demand."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names in the order of a match day."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, imported now; None where there is none."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"referee.commands.{cmd_name}")
        command = module.command
        if not isinstance(command, click.Command):
            raise TypeError(f"referee.commands.{cmd_name}.command must be a click command, found {type(command)}")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands from the table above, importing none of them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="cueref")
def cueref() -> None:
    """Automatic referee for cue sports: an overhead camera in, rulings with clause, picture and doubt out."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and give the exit code."""
    try:
        result = cueref.main(args=None if arguments is None else list(arguments), prog_name="cueref", standalone_mode=False)
        return result if isinstance(result, int) else 0
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.UsageError as error:
        error.show()
        return 2
    except click.Abort:
        return _tell("stopped; nothing half-written was left", 130)
    except (InputError, click.ClickException) as error:
        return _tell(error.message if isinstance(error, click.ClickException) else str(error), 2)
    except ImportError as error:
        if ".so" in str(error):
            return _tell(f"a system library that OpenCV needs is missing ({error}); on Debian run: {DEBIAN_LINE}", 2)
        raise
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        return _tell(f"{place}{error.strerror or error}", 2)


def _tell(message: str, code: int) -> int:
    sys.stderr.write(f"cueref: {' '.join(message.split())}\n")
    return code


def run() -> None:
    """Entry point of the console script."""
    # Our matrices are small: NumPy's own threads would only wait in circles, and take a core from the decoder.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    code = main()
    gc.freeze()  # All of it ends now: the interpreter's last round of looking for garbage would take a quarter of a second.
    sys.exit(code)
