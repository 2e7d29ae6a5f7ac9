"""The files of containers: services that may write little, entry points that exist, configurations that Dagster accepts."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from dagster._core.instance.config import dagster_instance_config

ROOT = Path(__file__).resolve().parents[1]
BIN = Path(sys.executable).parent
COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
OURS = [name for name in COMPOSE["services"] if name not in ("postgres", "puppygraph")]
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", OURS)
def test_our_services_have_a_read_only_root_no_rights_and_a_health_check(name):
    service = COMPOSE["services"][name]
    assert service["read_only"] is True
    assert (service["cap_drop"], service["security_opt"]) == (["ALL"], ["no-new-privileges:true"])
    assert service["tmpfs"] == ["/tmp:mode=1777"]
    assert service["healthcheck"]["test"][0] == "CMD"
    for port in service.get("ports", ()):
        assert port.startswith("127.0.0.1:")


@pytest.mark.parametrize("name", [name for name in OURS if "entrypoint" in COMPOSE["services"][name]])
def test_the_programs_of_services_and_health_checks_know_their_options(name):
    service = COMPOSE["services"][name]
    for command in (service["entrypoint"], service["healthcheck"]["test"][1:]):
        if command[0] == "python":
            compile(command[2], name, "exec")
            continue
        words = command[: next((at for at, word in enumerate(command) if word.startswith("-")), len(command))]
        result = subprocess.run([BIN / words[0], *words[1:], "--help"], capture_output=True, text=True, check=False)
        assert result.returncode == 0, result.stderr
        for option in (word for word in command if word.startswith("-")):
            assert re.search(rf"(^|[\s,]){option}\b", result.stdout), (command, option)


def test_dagster_accepts_the_configuration_and_reads_every_variable_that_compose_sets(tmp_path, monkeypatch):
    shutil.copy(ROOT / "deploy" / "dagster.yaml", tmp_path)
    variables = set(re.findall(r"env: (\w+)", (tmp_path / "dagster.yaml").read_text()))
    assert variables <= set(COMPOSE["services"]["code"]["environment"])
    for name in variables:
        monkeypatch.setenv(name, "x")
    config, _ = dagster_instance_config(str(tmp_path))
    assert config["storage"]["postgres"]["postgres_db"]["port"] == 5432


def test_the_image_runs_as_its_own_user_and_has_a_health_check():
    assert DOCKERFILE.count("\nFROM ") == 2
    last = DOCKERFILE.rpartition("\nFROM ")[2]
    assert "\nUSER 10001:10001\n" in last
    assert "\nHEALTHCHECK " in last
    copied = re.findall(r"^COPY (?:--\S+ )*(.+) \S+$", DOCKERFILE, flags=re.MULTILINE)
    sources = [source for line in copied for source in line.split() if not source.startswith("/opt")]
    assert [source for source in sources if not (ROOT / source).exists()] == []
    allowed = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    assert {source.split("/")[0] for source in sources} <= allowed
