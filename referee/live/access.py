"""Who may officiate, which origins may connect, how much may be sent; pure, times are arguments.

Reading and officiating are two rights. The secret is made at start, stands only in the link that is printed, and is
compared in constant time. The cookie holds its hash with a salt of this start, so that neither page nor log ever sees it,
and a cookie of yesterday is worth nothing unless the same secret is kept.
"""

import hmac
import secrets
from collections.abc import Mapping
from hashlib import sha256
from ipaddress import ip_address
from urllib.parse import urlsplit

COOKIE = "cueref_official"
MOST_BYTES = 16 * 1024
"""Longest message of a page: the largest there is, a corrected shot line, has 6 kB."""
RATE_HZ = 20.0
"""Messages a page may send a second: a person taps five times; more is a script that has run wild."""
BURST = 40.0
"""Messages at once: a page that was offline sends what it had kept."""
PATIENCE = 60
"""Refusals for flooding before a page is disconnected."""
BASE_HEADERS: Mapping[str, str] = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
    "cache-control": "no-store",
}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; media-src 'self'; connect-src 'self'; "
    "font-src 'self'; manifest-src 'self'; frame-ancestors {ancestors}; base-uri 'none'; form-action 'none'"
)


class Keeper:
    """Knows the secret of this start."""

    def __init__(self, secret: str | None = None) -> None:
        """With a secret, or a new one that nobody can guess (128 bits and more)."""
        self.secret = secret or secrets.token_urlsafe(18)
        self._cookie = hmac.new(secrets.token_bytes(16), self.secret.encode(), sha256).hexdigest()

    @property
    def cookie(self) -> str:
        """The value of an official's cookie."""
        return self._cookie

    def opens(self, key: str | None) -> bool:
        """Whether that is the secret."""
        return key is not None and hmac.compare_digest(key.encode("utf-8", "replace"), self.secret.encode())

    def is_official(self, cookie: str | None) -> bool:
        """Whether that cookie is an official's."""
        return cookie is not None and hmac.compare_digest(cookie.encode("utf-8", "replace"), self._cookie.encode())


def is_own_origin(origin: str | None, host: str | None) -> bool:
    """Whether a WebSocket comes from a page of this server.

    A browser always names the origin; one that is missing is no browser, and has no cookie that a page could misuse, but
    is refused all the same: nothing but our pages is meant to connect.

    >>> is_own_origin("http://hall:8080", "hall:8080"), is_own_origin("http://evil.example", "hall:8080"), is_own_origin(None, "hall:8080")
    (True, False, False)
    """
    if not origin or not host:
        return False
    try:
        parts = urlsplit(origin)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.netloc) and parts.netloc.lower() == host.lower()


def is_known_host(host: str | None, known: frozenset[str]) -> bool:
    """Whether a request was addressed to this server by a number or one of its names: a foreign name that resolves here (DNS
    rebinding) would make a foreign page's origin look like our own.

    >>> is_known_host("127.0.0.1:8080", frozenset()), is_known_host("hall.local", frozenset({"hall.local"}))
    (True, True)
    >>> is_known_host("evil.example:8080", frozenset({"localhost"}))
    False
    """
    try:
        name = urlsplit(f"//{host or ''}").hostname or ""
    except ValueError:
        return False
    try:
        ip_address(name)
    except ValueError:
        return name.lower() in known
    return True


def headers(*, framed: bool = False) -> dict[str, str]:
    """Headers of every answer; only the overlay may be framed."""
    return {
        **BASE_HEADERS,
        "content-security-policy": POLICY.format(ancestors="*" if framed else "'none'"),
        **({} if framed else {"x-frame-options": "DENY"}),
    }


class RateLimit:
    """How many messages one page may send: a bucket that fills at `RATE_HZ` and holds `BURST`."""

    def __init__(self, now_s: float) -> None:
        """Full."""
        self._tokens, self._at_s, self.refused = BURST, now_s, 0

    def allows(self, now_s: float) -> bool:
        """Whether one more is allowed now."""
        self._tokens = min(BURST, self._tokens + RATE_HZ * max(0.0, now_s - self._at_s))
        self._at_s = now_s
        if self._tokens < 1.0:
            self.refused += 1
            return False
        self._tokens -= 1.0
        return True

    @property
    def is_exhausted(self) -> bool:
        """The page has been told often enough."""
        return self.refused > PATIENCE
