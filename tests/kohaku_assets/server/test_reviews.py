"""The review queue over HTTP: the same rows and the same decisions as by `kohaku review`."""

import csv
import json

from joined_client import joined_client

UNANSWERED, CORRECTED = "Who won the chess championship of Iceland?", "How long did the training of Gintaras-L last?"


def ask_and_blame(client):
    client.post("/v1/chat", json={"message": UNANSWERED})
    answer_id = client.post("/v1/chat", json={"message": CORRECTED}).json()["answer_id"]
    feedback = {"answer_id": answer_id, "rating": -1, "correction": "310 hours", "right_source": "model-card"}
    assert client.post("/v1/feedback", json=feedback).status_code == 204
    return answer_id


def test_questions_are_listed_accepted_and_dismissed_as_by_the_verb(kohaku_checked):
    home = kohaku_checked.project.home
    with joined_client(kohaku_checked.project) as client:
        answer_id = ask_and_blame(client)
        queue = client.get("/v1/reviews").json()["questions"]
        listed = json.loads(kohaku_checked("review", "--json").stdout)
        assert [{name: one[name] for name in listed[0]} for one in queue] == listed
        [corrected] = [one for one in queue if one["answer_id"] == answer_id]
        assert (corrected["proposed_value"], corrected["sources"]) == ("310 hours", ["model-card"])
        accepted = client.post(f"/v1/reviews/{answer_id}/accept", json={"unit": "hours", "value": "310"})
        assert accepted.status_code == 200, accepted.text
        row = accepted.json()["accepted"]
        assert (row["answer_value"], row["answer_unit"], row["accepted_by"]) == ("310", "hours", "administrator")
        [other] = [one for one in queue if one["question"] == UNANSWERED]
        refused = client.post(f"/v1/reviews/{other['answer_id']}/accept", json={})
        assert (refused.status_code, "nobody answered" in refused.json()["detail"]) == (400, True)
        assert client.post(f"/v1/reviews/{other['answer_id']}/dismiss").status_code == 204
        assert client.post(f"/v1/reviews/{other['answer_id']}/dismiss").status_code == 404
        assert client.get("/v1/reviews").json() == {"questions": []}
    assert json.loads(kohaku_checked("review", "--json").stdout) == []
    with (home / "accepted_questions.csv").open(newline="") as file:
        assert [one["question"] for one in csv.DictReader(file)] == [CORRECTED]


def test_only_administrators_of_the_index_review(kohaku_checked):
    keys = [
        kohaku_checked("keys", "add", *arguments).stdout.strip()
        for arguments in (("ann",), ("eve", "--org", "acme", "--role", "admin"))
    ]
    with joined_client(kohaku_checked.project) as client:
        for key in keys:
            headers = {"Authorization": f"Bearer {key}"}
            assert client.get("/v1/reviews", headers=headers).status_code == 403
            assert client.post("/v1/reviews/x/dismiss", headers=headers).status_code == 403
            assert client.post("/v1/reviews/x/accept", json={}, headers=headers).status_code == 403
