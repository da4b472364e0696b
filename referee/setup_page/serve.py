"""The calibration page served until the table is saved or the person stops it."""

import socket
from collections.abc import Callable, Sequence
from contextlib import closing, suppress

import numpy as np
from numpy.typing import NDArray

from calibration.automatic import Finding
from calibration.equipment import TableSpec
from calibration.errors import InputError
from calibration.solve import Lens
from referee.live.access import Keeper
from referee.setup_page.bench import Bench
from referee.setup_page.site import Site, make_server

Image = NDArray[np.uint8]


def serve(
    take: Callable[[], Sequence[Image]],
    spec: TableSpec,
    save: Callable[[Finding], None],
    foot: str | None,
    lens: Lens | None,
    address: tuple[str, int],
    say: Callable[[str], None],
) -> int:
    """Serve the page; 0 where a table was saved, else 1.

    Args:
        take: Gives pictures of the view.
        spec: The table.
        save: Writes a finding.
        foot: Side of the picture where the foot is; None to find out.
        lens: Where it is known.
        address: Host and port.
        say: Tells the person where the page is.

    Raises:
        InputError: If there is no picture, or the address cannot be listened on.
    """
    host, port = address
    listening = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    with closing(listening):
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((host, port))
        except OSError as error:
            raise InputError(f"--host {host} --port {port}: cannot be listened on ({error.strerror}); choose another port") from error
        bench = Bench(take, spec, save, foot=foot, lens=lens)
        keeper = Keeper()
        machine = socket.gethostname().lower()
        site = Site(bench, keeper, frozenset({"localhost", host.lower(), machine, f"{machine}.local"}))
        listening.listen()
        shown = machine if host in ("0.0.0.0", "::") else f"[{host}]" if ":" in host else host
        say(f"open http://{shown}:{listening.getsockname()[1]}/?key={keeper.secret} (Ctrl-C ends it)")
        with suppress(KeyboardInterrupt):
            make_server(site).run(sockets=[listening])
    return 0 if bench.saved is not None else 1
