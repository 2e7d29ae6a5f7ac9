"""The blocks of the pages, and which test runs or checks each: the tests draw their blocks from this table."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: the name of its page, its number on it from 1, its language, "" for none, and its text."""

    page: str
    number: int
    language: str
    text: str

    @property
    def name(self) -> str:
        return f"{self.page}-{self.number}"

    @property
    def commands(self) -> list[str]:
        """The lines without the comments behind them."""
        lines = (re.split(r"\s{2,}#", line)[0].strip() for line in self.text.splitlines())
        return [line for line in lines if line]


def blocks_run_by(test: str) -> list[Block]:
    """Return the blocks that the test of this name runs or checks."""
    return [block for block in page_blocks() if RUN_BY[test](block)]


def page_blocks() -> list[Block]:
    """Return every fenced block of the README, CONTRIBUTING.md and docs/, page by page."""
    return [
        Block(page.name, number, *match.groups())
        for page in PAGES
        for number, match in enumerate(FENCE.finditer(page.read_text(encoding="utf-8")), start=1)
    ]


def _on(*pages: str, language: str = "bash", holding: str = "", but: str | None = None) -> Callable[[Block], bool]:
    """Blocks of a language on these pages that hold one text and not another."""
    return lambda block: (
        block.page in pages
        and block.language == language
        and holding in block.text
        and (but is None or but not in block.text)
    )


def _in(language: str) -> Callable[[Block], bool]:
    return lambda block: block.language == language


def _any(*rules: Callable[[Block], bool]) -> Callable[[Block], bool]:
    return lambda block: any(rule(block) for rule in rules)


ONE_AFTER_THE_OTHER = ("tutorial.md", "experiments.md", "releasing.md", "conversations.md")
RUN_BY: dict[str, Callable[[Block], bool]] = {
    "test_a_command_of_the_pages_runs": _any(
        _on("documents.md", "how-it-works.md"), _on("README.md", holding="kohaku ask", but="kohaku init")
    ),
    "test_the_way_to_ones_own_documents_runs": _on("README.md", holding="kohaku init"),
    "test_the_commands_of_a_page_run_one_after_the_other": _any(
        _on(*ONE_AFTER_THE_OTHER), _on(*ONE_AFTER_THE_OTHER, language="sql")
    ),
    "test_the_commands_of_a_page_that_makes_its_own_project_run": _on("figures.md", "tenants.md"),
    "test_a_backup_of_the_page_on_operations_is_made_checked_and_restored": _on(
        "operations.md", holding="kohaku backup"
    ),
    "test_the_examples_of_the_pages_on_http_and_serving_are_answered": _any(
        _on("http.md", language="json"),
        _on("http.md", language="", holding="curl"),
        _on("serving.md", language="python"),
        _on("serving.md", language="", holding="# serving on"),
    ),
    "test_the_keys_of_the_page_on_serving_are_added_listed_and_revoked": _on(
        "serving.md", language="", holding="kohaku keys"
    ),
    "test_a_client_lists_and_calls_the_tools_and_reads_the_resources": _on("serving.md", language="json"),
    "test_the_python_of_a_page_runs": _on("how-it-works.md", language="python", but="array_cosine_distance"),
    "test_sql_over_the_vectors_ranks_as_the_search_by_meaning_alone": _on(
        "how-it-works.md", language="python", holding="array_cosine_distance"
    ),
    "test_the_queries_of_the_page_take_an_answer_back_and_tell_two_apart": _on("how-it-works.md", language="sql"),
    "test_the_command_for_a_local_model_asks_its_server_without_a_key": _on("local-model.md"),
    "test_the_page_on_python_shows_what_happens": _on("python.md", language="python"),
    "test_the_settings_of_a_page_load": lambda block: block.language == "toml" and block.page != "extending.md",
    "test_the_page_on_own_kinds_shows_the_package_and_what_happens": lambda block: block.page == "extending.md",
    "test_the_questions_of_a_page_are_read_without_a_problem": _in("csv"),
    "test_make_and_git_know_what_a_page_has_them_do": _any(
        _on("CONTRIBUTING.md"), _on("README.md", holding="make demo")
    ),
    "test_the_page_on_deployments_shows_the_repository": lambda block: block.page == "deployments.md",
    "test_the_installation_names_what_the_wheel_holds": _on("install.md", language=""),
    "test_the_report_of_a_refresh_is_as_the_page_prints_it": _on("operations.md", language="", holding="changed since"),
    "test_the_containers_get_the_project_that_the_page_prepares": _on("operations.md", holding="cp -r kohaku.toml"),
    "test_the_commands_for_a_cluster_name_files_extras_and_variables_that_exist": _any(
        _on("operations.md", holding="compose.docker-runs"), _on("operations.md", holding="kubectl")
    ),
    "test_the_commands_for_puppygraph_name_what_compose_verbs_and_settings_have": _on(
        "operations.md", holding="--profile graph"
    ),
    "test_the_variables_for_all_pods_are_those_that_settings_and_dagster_read": _on(
        "operations.md", language="", holding="KOHAKU_PG_HOST="
    ),
    "test_the_generated_pages_are_those_of_the_code": _any(  # whose examples are doctests of their modules
        _on("cli.md", language=""), _on("api.md", language="python")
    ),
}
