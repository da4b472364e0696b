"""The one error that means "what was given cannot be used"; plain module, standard library only.

InputError   A file, option or picture from outside is not what it must be. The message is one line: what is
             wrong, where, and what to do next. The command line prints it and exits with code 2.

Failures of the world (no such file, no camera, disk full) stay `OSError` and its subclasses.
"""


class InputError(ValueError):
    """What was given cannot be used; `str(error)` is one line for the person who gave it."""
