"""What went wrong between us and an API server, in one sentence that says what to do."""

import socket
import ssl
from typing import NamedTuple

import aiohttp
import msgspec

from bot.adapters.cluster.access import Access
from bot.domain.errors import ClusterError

_UNKNOWN_AUTHORITY = (
    18,
    19,
    20,
    21,
)  # X509_V_ERR_*: self-signed, self-signed in chain, no local issuer, no leaf issuer
_EXPIRED, _NOT_YET_VALID = 10, 9
_WRONG_NAME = (62, 64)


class Cause(NamedTuple):
    """One entry of a Status object's `details.causes`."""

    reason: str
    message: str
    field: str


class RefusedError(Exception):
    """The API server answered, but not with what was asked for. `reason`, `message`, `causes`: its Status object's.

    audit_id: under which its audit log has the request, where it said so.
    """

    def __init__(
        self,
        status: int,
        reason: str,
        message: str,
        retry_after_seconds: float | None = None,
        causes: tuple[Cause, ...] = (),
        audit_id: str = "",
    ) -> None:
        super().__init__(f"{status} {reason}: {message}")
        self.status = status
        self.reason = reason
        self.message = message
        self.retry_after_seconds = retry_after_seconds
        self.causes = causes
        self.audit_id = audit_id


TROUBLE = (aiohttp.ClientError, OSError, TimeoutError, RefusedError, msgspec.DecodeError)
"""What reading from an API server can raise; `explain` takes them all."""


def explain(error: BaseException, access: Access) -> ClusterError:
    """The sentence people read. Nothing secret is in it: no header, no token, no answer's body beyond its message."""
    if isinstance(error, RefusedError):
        return _refused(error, access)
    retryable = not isinstance(error, aiohttp.ClientConnectorCertificateError | aiohttp.InvalidURL)
    return ClusterError(
        f"Cannot reach {access.base_url} ({_why(error)}): {_what_to_do(error, access)}", retryable=retryable
    )


def _refused(error: RefusedError, access: Access) -> ClusterError:
    if error.status == 401:
        return ClusterError(
            f"{access.base_url} does not accept the credentials (401): the token or certificate has expired or belongs "
            f"to another cluster. Log in anew; they come from {access.described}.",
            retryable=False,
        )
    if error.status == 403:
        return ClusterError(
            f"{access.base_url} knows the credentials of {access.described} but forbids this: {error.message[:300]}",
            retryable=False,
        )
    return ClusterError(
        f"{access.base_url} answered {error.status} ({error.reason or 'no reason given'}): {error.message[:300]}",
        retryable=error.status >= 429,
    )


def _why(error: BaseException) -> str:
    certificate = _certificate_error(error)
    if certificate is not None:
        return certificate.verify_message or "its certificate is not accepted"
    match error:
        case aiohttp.ClientConnectorDNSError():
            return "the name is not known"
        case aiohttp.ClientProxyConnectionError() | aiohttp.ClientHttpProxyError():
            return "the proxy does not answer or refuses"
        case aiohttp.ClientConnectorError() if isinstance(error.os_error, ConnectionRefusedError):
            return "connection refused"
        case aiohttp.ClientSSLError() | ssl.SSLError():
            return "TLS handshake failed"
        case msgspec.DecodeError():
            return "its answer is not what an API server sends"
        case TimeoutError():
            return "no answer in time"
        case aiohttp.InvalidURL():
            return "not a valid address"
        case aiohttp.ServerDisconnectedError():
            return "it closed the connection without an answer"
        case OSError() if error.strerror:
            return error.strerror.lower()
    return type(error).__name__


def _what_to_do(error: BaseException, access: Access) -> str:
    from_where = f"{access.described[:1].upper()}{access.described[1:]} names it."
    certificate = _certificate_error(error)
    if certificate is not None:
        return _mend_certificate(certificate, access)
    if isinstance(error, aiohttp.ClientProxyConnectionError | aiohttp.ClientHttpProxyError):
        return "check proxy-url, HTTPS_PROXY and NO_PROXY."
    if isinstance(error, aiohttp.ClientSSLError | ssl.SSLError):
        return f"does it speak TLS, and want a client certificate that is not given? {from_where}"
    if isinstance(error, aiohttp.ClientConnectorDNSError | socket.gaierror):
        return f"is the name right, and can this machine look it up? {from_where}"
    return f"is the address right and the API server up? {from_where}"


def _mend_certificate(error: ssl.SSLCertVerificationError, access: Access) -> str:
    code = error.verify_code
    if code == _EXPIRED:
        return "the server's certificate has expired: renew it, or check this machine's clock."
    if code == _NOT_YET_VALID:
        return "the server's certificate is not valid yet: check this machine's clock."
    if code in _WRONG_NAME:
        return f"the server's certificate is for another name: set tls-server-name in {access.described}."
    if code in _UNKNOWN_AUTHORITY:
        return f"its certificate is from an authority that {access.described} does not name: set certificate-authority."
    return f"check certificate-authority in {access.described}."


def _certificate_error(error: BaseException) -> ssl.SSLCertVerificationError | None:
    if isinstance(error, aiohttp.ClientConnectorCertificateError):
        error = error.certificate_error
    return error if isinstance(error, ssl.SSLCertVerificationError) else None
