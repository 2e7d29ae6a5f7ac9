"""Named sets of defaults: published systems, complete, and a fast starting point."""

from __future__ import annotations

from typing import Any

from kohaku_lib.settings.profiles.assistant import ASSISTANT
from kohaku_lib.settings.profiles.fast import FAST
from kohaku_lib.settings.profiles.fork import FORK, LOCAL
from kohaku_lib.settings.profiles.kohaku import KOHAKU, WATTBOT
from kohaku_lib.settings.profiles.profile import Profile
from kohaku_lib.settings.profiles.triple_hybrid import TRIPLE_HYBRID

ALL_PROFILES: tuple[Profile, ...] = (KOHAKU, WATTBOT, LOCAL, FORK, TRIPLE_HYBRID, ASSISTANT, FAST)

PROFILES: dict[str, dict[str, Any]] = {profile.name: profile.values for profile in ALL_PROFILES}

__all__ = ["ALL_PROFILES", "PROFILES", "Profile"]
