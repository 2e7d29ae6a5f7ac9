"""Who calls: the tenant, the user and the role that a key gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

Role = Literal["reader", "editor", "admin"]  # each may do what those before it may
ROLES: tuple[Role, ...] = get_args(Role)


@dataclass(frozen=True, slots=True)
class Principal:
    """A caller; `user_id` owns the sessions and is None without a key, `key_id` names the key in logs and limits."""

    org_id: str
    role: Role
    user_id: str | None = None
    key_id: str | None = None

    def may(self, role: Role) -> bool:
        """Return whether the caller may do what needs `role`.

        >>> Principal("org", "editor").may("reader"), Principal("org", "editor").may("admin")
        (True, False)
        """
        return ROLES.index(self.role) >= ROLES.index(role)
