"""Nothing leaves by default, of no dependency."""

import json
import subprocess
import sys

from kohaku_lib.telemetry import SILENT


def environment_after_import(package, **given):
    code = f"import json, os, {package}; print(json.dumps(dict(os.environ)))"
    done = subprocess.run(
        [sys.executable, "-c", code], env={"PATH": "/usr/bin", **given}, capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


def test_whoever_imports_a_package_of_ours_keeps_its_dependencies_silent():
    for package in ("kohaku_lib", "kohaku_assets.cli"):
        assert SILENT.items() <= environment_after_import(package).items(), package


def test_a_user_who_wants_it_otherwise_is_obeyed():
    assert environment_after_import("kohaku_lib", ORT_DISABLE_TELEMETRY="0")["ORT_DISABLE_TELEMETRY"] == "0"
