"""TLS: certificate, key and the callers' CA are files, read again when they have changed."""

from __future__ import annotations

import ssl
import threading
import time
from pathlib import Path

import grpc
from structlog.typing import FilteringBoundLogger

from phom_referee.settings import Settings, SettingsError

# A handshake asks for the certificate under a lock of gRPC's and uses the answer after it, so one
# that has just asked may be about to use what the next one replaces: a crash, in 3 of 3 servers
# after 1,000 to 4,000 replacements on a busy machine (https://github.com/grpc/grpc/issues/36693).
# Who replaces waits, within that lock, until the one before it has surely done so.
_SETTLE_SECONDS = 0.2

_Stamps = tuple[tuple[int, int, int], ...]


class Certificates:
    """What the server proves itself with, and, with a CA, what callers have to.

    Every handshake looks whether the files have changed, as Kubernetes and cert-manager change
    them. What cannot be used is said in the log, and what was used before stays in use.
    """

    def __init__(self, settings: Settings, log: FilteringBoundLogger) -> None:
        self._certificate = Path(settings.tls_certificate)
        self._key = Path(settings.tls_key)
        self._client_ca = Path(settings.tls_client_ca) if settings.tls_client_ca else None
        self._log = log
        self._lock = threading.Lock()
        self._stamps: _Stamps | None = None
        self._complaint = ""
        self._asked = 0.0

    def credentials(self) -> grpc.ServerCredentials:
        """For a server's port; SettingsError if the files cannot be used."""
        try:
            first = self._read()
        except (OSError, ssl.SSLError, ValueError) as error:
            raise SettingsError(f"TLS: {_reason(error)}") from None
        return grpc.dynamic_ssl_server_credentials(
            first,
            self._read_again,  # type: ignore[arg-type]  # None is "unchanged", as grpc documents it
            require_client_authentication=self._client_ca is not None,
        )

    def _read_again(self) -> grpc.ServerCertificateConfiguration | None:
        """What the files hold now, or None if that is nothing new, or nothing good."""
        with self._lock:
            asked_before, self._asked = self._asked, time.monotonic()
            try:
                if self._files_stamps() == self._stamps:
                    return None
                config = self._read()
            except (OSError, ssl.SSLError, ValueError) as error:
                if self._complaint != (complaint := _reason(error)):
                    self._complaint = complaint
                    self._log.error("certificates not reloaded", reason=complaint)
                return None
            self._complaint = ""
            self._log.info("certificates reloaded")
            time.sleep(max(0.0, asked_before + _SETTLE_SECONDS - time.monotonic()))
            return config

    def _read(self) -> grpc.ServerCertificateConfiguration:
        """Read the files, and try whether they go together."""
        stamps = self._files_stamps()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self._certificate, self._key)
        if self._client_ca is not None:
            context.load_verify_locations(self._client_ca)
        pair = (self._key.read_bytes(), self._certificate.read_bytes())
        client_ca = self._client_ca.read_bytes() if self._client_ca is not None else None
        if self._files_stamps() != stamps:
            raise ValueError("the files changed while they were read")
        self._stamps = stamps
        return grpc.ssl_server_certificate_configuration([pair], client_ca)

    def _files_stamps(self) -> _Stamps:
        paths = [self._certificate, self._key, *([self._client_ca] if self._client_ca else [])]
        stats = [path.stat() for path in paths]
        return tuple((stat.st_ino, stat.st_mtime_ns, stat.st_size) for stat in stats)


def _reason(error: Exception) -> str:
    if isinstance(error, ssl.SSLError):
        return f"certificate, key and CA do not go together: {error}"
    return str(error)
