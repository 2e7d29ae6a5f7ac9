"""Random requests of three organisations to one store, through every way in; what comes back is searched for leaks."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

import duckdb
from organisations import NAMES, SECRETS, SUBJECTS, YEARS, leaked

from kohaku_assets.operations.inspection import map_nodes
from kohaku_assets.operations.summaries import document_counts, index_counts
from kohaku_assets.pipeline.project import Project
from kohaku_assets.records.sql_views import write_sql_views
from kohaku_lib.composition import load_settings
from kohaku_lib.conversation import Assistant, AssistantRequest, open_assistant
from kohaku_lib.errors import KohakuError
from kohaku_lib.index import Snapshot, tenant_node
from kohaku_lib.llm import summarise_ledger
from kohaku_lib.project import OpenProject, open_project, open_published_index
from kohaku_lib.testing.openai_server import OpenAIServer

CHANNELS = {  # settings under which one channel alone is searched, or all and the figures
    "dense": {"retrieval.lexical_weight": 0.0},
    "lexical": {"retrieval.dense_weight": 0.0, "retrieval.lexical_weight": 1.0},
    "graph": {"retrieval.dense_weight": 0.0, "retrieval.lexical_weight": 0.0, "retrieval.graph_weight": 1.0},
    "figures": {"retrieval.with_images": True, "retrieval.top_k_images": 3},
}
LEVELS = (None, "basic", "standard", "enhanced", "maximum")


@dataclass
class Findings:
    """How many requests of each kind were made, told something of the own organisation, or were refused; and every leak."""

    made: Counter[str] = field(default_factory=Counter)
    told: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    leaks: list[str] = field(default_factory=list)


@dataclass
class Requests:
    """What random requests go to, and what they may name of other organisations."""

    rng: random.Random
    assistant: Assistant
    chatting: Assistant  # with a chat model
    server: OpenAIServer  # the chat model
    projects: dict[str, Project]
    opened: dict[tuple[str, str], OpenProject]  # by organisation and channel
    snapshot: Snapshot
    node_ids: list[str]
    sessions: list[str] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)

    def question(self) -> str:
        """Return a question, often about what is another organisation's, or a follow-up question."""
        rng = self.rng
        subject, name, year = rng.choice(SUBJECTS), rng.choice([*NAMES.values()]), rng.choice(YEARS)
        return rng.choice(
            [
                f"How many kWh did the {subject} of {name} use in {year}?",
                f"How many kWh did the {subject} use in {year}?",
                f"Who maintains the {subject} of {name}?",
                f"Who maintains the {subject}?",
                f"List all {subject} figures of {name}",
                f"How many litres of water did the {subject} use in {year}, and who maintains it?",
                f"Compare the {subject} and the {rng.choice(SUBJECTS)}",
                f"And in {year}?",
                "Who maintains it?",
                f"{name}?",
            ]
        )

    def chat(self, org_id: str) -> object:
        """Ask the assistant, often within a session that may be another organisation's."""
        response = self.assistant.respond(self._message(org_id, self.rng.choice(["chat", "chat", "agent"])))
        self.sessions.append(response.session_id)
        self.answers.append(response.answer_id)
        return response.as_json(), response.trace

    def chat_by_model(self, org_id: str) -> object:
        """Ask an assistant with a chat model, which must be shown nothing of others either."""
        before = len(self.server.requests)
        response = self.chatting.respond(self._message(org_id, self.rng.choice(["chat", "agent"])))
        return response.as_json(), self.server.requests[before:]

    def search_tool(self, org_id: str) -> object:
        """Search as an agent does."""
        category = self.rng.choice([None, None, "manuals"])
        return repr(self.assistant.search_knowledge_base(self.question(), org_id, self.rng.randint(1, 50), category))

    def search_channel(self, org_id: str) -> object:
        """Search one channel, or the figures."""
        opened = self.opened[org_id, self.rng.choice([*CHANNELS])]
        folders = (self.rng.choice([*NAMES]),) if self.rng.random() < 0.2 else ()
        [result] = opened.retrieve([self.question()], folders=folders)
        return repr(result)

    def inspect(self, org_id: str) -> object:
        """Look at a node, and at its figure's bytes, by an id that may be another organisation's."""
        return repr(tenant_node(self.snapshot, org_id, self.rng.choice(self.node_ids)))

    def count(self, org_id: str) -> object:
        """Count what the index holds."""
        return index_counts(self.snapshot, org_id), document_counts(self.snapshot, org_id)

    def map(self, org_id: str) -> object:
        """Map the nodes."""
        return repr(map_nodes(self.projects[org_id], self.rng.choice(["sentence", "paragraph"]), 50, "pca"))

    def served(self, org_id: str) -> object:
        """Read what was served, and the ledger."""
        rows = self.assistant.served_questions(org_id).to_pylist()[-50:]
        calls = summarise_ledger(self.projects[org_id].store / "llm_calls", org_id).to_pylist()
        return repr(rows), repr(calls)

    def judge(self, org_id: str) -> object:
        """Give feedback on an answer that may be another organisation's."""
        answer_id = self.rng.choice(self.answers) if self.answers else "none"
        self.assistant.give_feedback(answer_id, 1, org_id=org_id)
        own = self.assistant.served_questions(org_id).column("answer_id").to_pylist()
        assert answer_id in own
        return None

    def choose(self, org_id: str) -> object:
        """Change settings of a session that may be another organisation's."""
        session_id = self.rng.choice(self.sessions) if self.sessions else "none"
        return self.assistant.session_settings(session_id, {"retrieval.top_k_final": 7}, org_id=org_id)

    def views(self, org_id: str) -> object:
        """Read all SQL views."""
        project = self.projects[org_id]
        write_sql_views(project)
        with duckdb.connect(project.store / "kohaku.duckdb", read_only=True) as connection:
            found = connection.sql("SELECT schema_name, view_name FROM duckdb_views() WHERE NOT internal").fetchall()
            names = [f"{schema}.{view}" for schema, view in found if view != "index_meta"]
            return repr([connection.sql(f"SELECT * FROM {name}").fetchall() for name in names])

    def _message(self, org_id: str, mode: str) -> AssistantRequest:
        session_id = self.rng.choice(self.sessions[-30:]) if self.sessions and self.rng.random() < 0.3 else None
        folder = self.rng.choice([*NAMES]) if self.rng.random() < 0.1 else None
        level = self.rng.choice(LEVELS)
        return AssistantRequest(
            message=self.question(),
            session_id=session_id,
            org_id=org_id,
            mode=mode,
            folder_id=folder,
            intelligence_level=level,
        )


WEIGHTS = {
    "chat": 40,
    "search_tool": 20,
    "search_channel": 20,
    "inspect": 40,
    "chat_by_model": 4,
    "count": 2,
    "map": 1,
    "served": 2,
    "judge": 4,
    "choose": 4,
    "views": 1,
}


def make_requests(project: Project, number: int, seed: int = 0) -> Findings:
    """Make `number` random requests of three organisations in `project` and return what came of them."""
    findings = Findings()
    with _opened(project, random.Random(seed)) as requests:
        kinds = requests.rng.choices([*WEIGHTS], [*WEIGHTS.values()], k=number - len(WEIGHTS))
        for kind in [*WEIGHTS, *kinds]:
            org_id = requests.rng.choice([*NAMES])
            findings.made[kind] += 1
            work: Callable[[str], object] = getattr(requests, kind)
            try:
                text = json.dumps(work(org_id), ensure_ascii=False, default=str)
            except KohakuError as error:
                findings.refused[kind] += 1
                text = str(error)
            findings.told[kind] += SECRETS[org_id] in text
            findings.leaks += [f"{kind} by {org_id}: {mark}" for mark in leaked(org_id, text)]
    return findings


@contextmanager
def _opened(project: Project, rng: random.Random) -> Iterator[Requests]:
    home = project.home
    projects = {
        org_id: Project(load_settings(overrides=[f"corpus.org_id={org_id}"], environment={}, folder=home))
        for org_id in NAMES
    }
    snapshot = open_published_index(project.store)
    with ExitStack() as stack:
        server = stack.enter_context(OpenAIServer(reply=_quoting_reply))
        llm = {
            "llm.provider": "openai",
            "answer.by": "model",
            "llm.base_url": server.base_url,
            "llm.model": "tiny-1b",
            "llm.call_retries": 0,
        }
        yield Requests(
            rng,
            stack.enter_context(open_assistant(home)),
            stack.enter_context(open_assistant(home, settings={"planner.kind": "rule", **llm})),
            server,
            projects,
            {
                (org_id, name): open_project(home, settings={"corpus.org_id": org_id, **settings})
                for org_id in NAMES
                for name, settings in CHANNELS.items()
            },
            snapshot,
            snapshot.nodes.column("node_id").to_pylist(),
        )


def _quoting_reply(request: dict[str, object]) -> str:
    """Return all that a prompt holds, as a model does that tells whatever it is shown."""
    return f"{json.dumps(request.get('messages'), ensure_ascii=False)[-1500:]} [Source 1]"
