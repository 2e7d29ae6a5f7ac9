"""Runs in pods and containers of their own: the Helm values, the server's manifest and the Docker launcher's configuration.

The deep checks need the extras [k8s] and [docker] and are skipped without; no cluster and no Docker is asked.
"""

import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml
from click.testing import CliRunner
from dagster._config import process_config, resolve_to_config_type
from dagster._core.instance.config import dagster_instance_config

from kohaku_assets.assets.step_resources import K8S_CONFIG, run_tags
from kohaku_lib.settings import leaf_fields
from kohaku_lib.settings.operations_settings import ResourcesSettings, StepResources

ROOT = Path(__file__).resolve().parents[1]
DEPLOY = ROOT / "deploy"
BIN = Path(sys.executable).parent


def read(path):
    return yaml.safe_load(path.read_text(encoding="utf-8"))


VALUES = read(DEPLOY / "values.yaml")
[USER_CODE] = VALUES["dagster-user-deployments"]["deployments"]
LAUNCHER = VALUES["runLauncher"]["config"]["k8sRunLauncher"]
SERVE, SERVICE = yaml.safe_load_all((DEPLOY / "serve.yaml").read_text(encoding="utf-8"))
POD = SERVE["spec"]["template"]["spec"]
[CONTAINER] = POD["containers"]
COMPOSE, RUNS = read(ROOT / "compose.yaml"), read(DEPLOY / "compose.docker-runs.yaml")
DOCKER = read(DEPLOY / "dagster-docker.yaml")
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
SAFE = {"readOnlyRootFilesystem": True, "allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}
SETTING = re.compile(r"\bKOHAKU_[A-Z0-9_]+")
OTHERS = {"KOHAKU_CONFIG", "KOHAKU_ALERT_WEBHOOK", "KOHAKU_PG_HOST", "KOHAKU_PG_USER", "KOHAKU_PG_PASSWORD"}
OTHERS |= {"KOHAKU_PG_DATABASE", "KOHAKU_IMAGE", "KOHAKU_VARIANT"}  # read by the files themselves


DEPLOYED = [path.name for path in DEPLOY.glob("*.yaml")]
RAY_HEAD, RAY_WORKER, RAY_SERVICE = yaml.safe_load_all((DEPLOY / "ray.yaml").read_text(encoding="utf-8"))
RAY = read(DEPLOY / "compose.ray.yaml")


def without_run_launcher(config):
    return {key: value for key, value in config.items() if key != "run_launcher"}


def snake_case(name):
    return re.sub(r"[A-Z]", lambda sign: f"_{sign.group().lower()}", name)


@pytest.mark.parametrize("name", DEPLOYED)
def test_every_variable_is_a_setting_or_known(name):
    names = set(SETTING.findall((DEPLOY / name).read_text(encoding="utf-8")))
    keys = {one: one.removeprefix("KOHAKU_").lower().replace("__", ".") for one in names - OTHERS}
    assert [one for one, key in keys.items() if key not in leaf_fields()] == []


def test_the_code_location_starts_our_definitions_by_options_that_exist():
    assert USER_CODE["dagsterApiGrpcArgs"][1] == "kohaku_assets.definitions"
    told = subprocess.run([BIN / "dagster", "api", "grpc", "--help"], capture_output=True, text=True, check=True).stdout
    assert USER_CODE["dagsterApiGrpcArgs"][0] in told
    assert USER_CODE["includeConfigInLaunchedRuns"]["enabled"] is True


def test_the_server_starts_by_options_that_exist_on_the_port_of_its_service_and_probes():
    from kohaku_assets.cli import main

    words = CONTAINER["args"]
    told = CliRunner().invoke(main, [words[1], "--help"]).output
    assert [word for word in words if word.startswith("-") and word not in told] == []
    [port] = CONTAINER["ports"]
    assert (str(port["containerPort"]), port["name"]) == (words[words.index("--port") + 1], "http")
    assert [one["targetPort"] for one in SERVICE["spec"]["ports"]] == ["http"]
    assert SERVICE["spec"]["selector"].items() <= SERVE["spec"]["template"]["metadata"]["labels"].items()
    probed = {name: CONTAINER[name]["httpGet"]["path"] for name in ("startupProbe", "livenessProbe", "readinessProbe")}
    assert probed == {"startupProbe": "/healthz", "livenessProbe": "/healthz", "readinessProbe": "/readyz"}


def test_pods_have_the_user_of_the_image_a_read_only_root_and_no_rights():
    run = LAUNCHER["runK8sConfig"]
    for pod, container in (
        (POD["securityContext"], CONTAINER["securityContext"]),
        (USER_CODE["podSecurityContext"], USER_CODE["securityContext"]),
        (run["podSpecConfig"]["securityContext"], run["containerConfig"]["securityContext"]),
    ):
        assert f"\nUSER {pod['runAsUser']}:{pod['runAsGroup']}\n" in DOCKERFILE
        assert (pod["runAsNonRoot"], container) == (True, SAFE)


@pytest.mark.parametrize(("pod", "mounts"), [(POD, CONTAINER), (USER_CODE, USER_CODE)], ids=["serve", "code"])
def test_what_is_written_lies_on_volumes(pod, mounts):
    named = {volume["name"] for volume in pod["volumes"]}
    mounted = {mount["mountPath"]: mount["name"] for mount in mounts["volumeMounts"]}
    assert set(mounted) == {"/project", "/tmp", f"{VALUES['global']['dagsterHome']}/storage"}
    assert set(mounted.values()) == named
    assert f"DAGSTER_HOME={VALUES['global']['dagsterHome']} " in DOCKERFILE


def test_the_image_takes_whole_commands_as_the_launchers_give_them():
    assert "ENTRYPOINT" not in DOCKERFILE
    assert COMPOSE["services"]["serve"]["command"][0] == CONTAINER["args"][0] == "kohaku"


def test_one_run_at_a_time_writes_the_store():
    coordinator = VALUES["dagsterDaemon"]["runCoordinator"]
    assert coordinator["config"]["queuedRunCoordinator"] == {"maxConcurrentRuns": 1}
    assert DOCKER["concurrency"]["runs"]["max_concurrent_runs"] == 1


def test_the_docker_launcher_is_all_that_differs_from_the_other_configuration():
    assert without_run_launcher(DOCKER) == read(DEPLOY / "dagster.yaml")


def test_a_container_of_a_run_is_as_closed_as_the_services_and_gets_their_variables_network_and_volumes():
    config, service = DOCKER["run_launcher"]["config"], COMPOSE["services"]["code"]
    kwargs = config["container_kwargs"]
    assert {name: kwargs[name] for name in ("read_only", "cap_drop", "security_opt")} == {
        name: service[name] for name in ("read_only", "cap_drop", "security_opt")
    }
    assert [f"{path}:{options}" for path, options in kwargs["tmpfs"].items()] == service["tmpfs"]
    assert set(config["env_vars"]) == set(service["environment"])
    assert config["network"] == f"{COMPOSE['name']}_default"
    volumes = {
        f"{volume['name']}:{place}"
        for volume, place in zip(RUNS["volumes"].values(), ("/project", "/dagster"), strict=True)
    }
    assert set(kwargs["volumes"]) == volumes
    assert config["image"] == {"env": "KOHAKU_IMAGE"}


def test_only_what_starts_and_ends_runs_reaches_the_docker_socket():
    socket = "/var/run/docker.sock:/var/run/docker.sock"
    assert {name for name, service in RUNS["services"].items() if socket in service["volumes"]} == {
        "daemon",
        "webserver",
    }
    for service in RUNS["services"].values():
        assert service["build"]["args"]["EXTRAS"].split(",")[-1] == "docker"
        assert service["image"] == service["environment"]["KOHAKU_IMAGE"]
        assert "./deploy/dagster-docker.yaml:/dagster/dagster.yaml:ro" in service["volumes"]


def test_dagster_makes_a_docker_launcher_of_its_configuration(tmp_path, monkeypatch):
    kind = pytest.importorskip("dagster_docker").DockerRunLauncher
    from dagster._serdes import ConfigurableClassData

    (tmp_path / "dagster.yaml").write_text((DEPLOY / "dagster-docker.yaml").read_text())
    for name in re.findall(r"env: (\w+)", (tmp_path / "dagster.yaml").read_text()):
        monkeypatch.setenv(name, "kohaku:cpu")
    config, _ = dagster_instance_config(str(tmp_path))
    launcher = config["run_launcher"]
    data = ConfigurableClassData(launcher["module"], launcher["class"], yaml.safe_dump(launcher["config"]))
    made = data.rehydrate(as_type=kind)
    assert (made.image, made.networks) == ("kohaku:cpu", ["kohaku_default"])


def launcher_config():
    """What the chart writes of the launcher's values into dagster.yaml."""
    own = {snake_case(name): value for name, value in LAUNCHER.items()}
    own["run_k8s_config"] = {snake_case(name): value for name, value in own["run_k8s_config"].items()}
    given = {"service_account_name": "dagster", "instance_config_map": "dagster-instance", "job_namespace": "default"}
    secret = VALUES["global"]["postgresqlSecretName"]
    home = VALUES["global"]["dagsterHome"]
    return {**own, **given, "postgres_password_secret": secret, "dagster_home": home, "load_incluster_config": True}


def user_code_context():
    """What the chart tells the launcher of the deployment whose configuration runs share."""
    return {
        "k8s": {
            "image_pull_policy": USER_CODE["image"]["pullPolicy"],
            "env": USER_CODE["env"],
            "env_secrets": [one["name"] for one in USER_CODE["envSecrets"]],
            "volumes": USER_CODE["volumes"],
            "volume_mounts": USER_CODE["volumeMounts"],
        }
    }


def test_dagster_makes_a_job_of_the_values_in_which_the_resources_of_the_settings_win():
    context_kind = pytest.importorskip("dagster_k8s.container_context").K8sContainerContext
    jobs = pytest.importorskip("dagster_k8s.job")
    user_config = jobs.UserDefinedDagsterK8sConfig.from_dict

    checked = process_config(
        resolve_to_config_type(jobs.DagsterK8sJobConfig.config_type_run_launcher()), launcher_config()
    )
    assert checked.success, checked.errors
    tags = run_tags("index", ResourcesSettings(embed=StepResources(memory_gib=16, gpus=1)))
    context = (
        context_kind(run_k8s_config=user_config(checked.value["run_k8s_config"]))
        .merge(context_kind.create_from_config(user_code_context()))
        .merge(context_kind(run_k8s_config=user_config(tags[K8S_CONFIG])))
    )
    image = "{repository}:{tag}".format(**USER_CODE["image"])
    launcher = SimpleNamespace(dagster_home="/dagster", instance_config_map="dagster-instance")
    job_config = context.get_k8s_job_config(
        image, SimpleNamespace(**vars(launcher), postgres_password_secret="kohaku-postgres")
    )
    job = jobs.construct_dagster_k8s_job(
        job_config, ["dagster", "api", "execute_run"], "run", user_defined_k8s_config=context.run_k8s_config
    ).to_dict()
    pod = job["spec"]["template"]["spec"]
    [container] = pod["containers"]
    assert container["resources"]["limits"] == {"memory": "16384Mi", "nvidia.com/gpu": "1"}
    assert container["resources"]["requests"] == {"cpu": "1", "memory": "16384Mi"}
    assert (pod["security_context"]["run_as_user"], container["security_context"]["read_only_root_filesystem"]) == (
        10001,
        True,
    )
    assert {"/project", "/tmp", "/dagster/storage"} <= {mount["mount_path"] for mount in container["volume_mounts"]}
    assert {one["secret_ref"]["name"] for one in container["env_from"] if one["secret_ref"]} == {"kohaku"}
    assert job["spec"]["ttl_seconds_after_finished"] == 86400


def test_kubernetes_has_every_field_of_the_servers_manifest():
    models, k8s = pytest.importorskip("dagster_k8s.models"), pytest.importorskip("kubernetes.client")

    for manifest, kind in ((SERVE, k8s.V1Deployment), (SERVICE, k8s.V1Service)):
        models.k8s_model_from_dict(kind, models.k8s_snake_case_dict(kind, manifest))


def commands_of_ray():
    pods = (RAY_HEAD, RAY_WORKER)
    own = [container["args"] for pod in pods for container in pod["spec"]["template"]["spec"]["containers"]]
    return own + [service["command"] for service in RAY["services"].values() if "command" in service]


def test_nodes_of_ray_are_started_by_options_that_exist():
    scripts = pytest.importorskip("ray.scripts.scripts", reason="the extra [ray] is not installed")
    known = {option for parameter in scripts.start.params for option in parameter.opts}
    for words in commands_of_ray():
        assert words[:2] == ["ray", "start"]
        assert [word for word in words[2:] if word.partition("=")[0] not in known] == []


def test_nodes_of_ray_see_the_project_where_runs_do_and_are_reached_where_they_listen():
    for pod in (RAY_HEAD, RAY_WORKER):
        spec = pod["spec"]["template"]["spec"]
        [container] = spec["containers"]
        assert (spec["securityContext"], container["securityContext"]) == (POD["securityContext"], SAFE)
        assert {"name": "project", "mountPath": "/project"} in container["volumeMounts"]
        assert container["env"] == [{"name": "KOHAKU_CONFIG", "value": "/project/kohaku.toml"}]
        assert pod["spec"]["selector"]["matchLabels"] == pod["spec"]["template"]["metadata"]["labels"]
    assert RAY_SERVICE["spec"]["selector"] == RAY_HEAD["spec"]["selector"]["matchLabels"]
    assert {port["port"] for port in RAY_SERVICE["spec"]["ports"]} == {6379, 10001}
    assert RAY["services"]["ray"]["volumes"] == COMPOSE["x-kohaku"]["volumes"][:1]
    assert RAY["services"]["code"]["environment"] == {"KOHAKU_PARALLEL__KIND": "ray", "RAY_ADDRESS": "ray://ray:10001"}
