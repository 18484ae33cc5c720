"""Diagnostics, and the exceptions that carry them."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Diagnostic:
    """A message about a program. Lines and columns count from 1; they are None if it is about no place in a text."""

    severity: str
    code: str
    message: str
    file: str | None = None
    line: int | None = None
    column: int | None = None
    end_line: int | None = None
    end_column: int | None = None
    notes: tuple[str, ...] = ()
    help: tuple[str, ...] = ()
    rendered: str = field(default="", repr=False, compare=False)

    def __str__(self) -> str:
        return self.rendered or f"{self.severity}[{self.code}]: {self.message}"


class Error(Exception):
    """A program that cannot be compiled or run. Its text has the lines of the source, `diagnostics` the errors and warnings."""

    def __init__(self, text: str, diagnostics: list[Diagnostic] | None = None) -> None:
        super().__init__(text)
        self.diagnostics: list[Diagnostic] = list(diagnostics or [])

    # A notebook and a traceback print a newline of their own.
    def __str__(self) -> str:
        return str(self.args[0]).rstrip("\n")


class InternalError(Exception):
    """A mistake of Planish's own."""


class PlanishWarning(UserWarning):
    """A warning about a program, or about what is written of it; `diagnostic` has its parts."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic)
        self.diagnostic = diagnostic

    # Filters compare the beginning of the text; the place is in the rest.
    def __str__(self) -> str:
        return str(self.diagnostic).rstrip("\n")
