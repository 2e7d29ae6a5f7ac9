"""The OpenAI protocol by the `openai` package, as any chat client would use it."""

import re

import openai
import pytest
from running_server import running_server

from kohaku_lib.testing.openai_server import OpenAIServer

QUESTION = {"role": "user", "content": "How much electricity did the whole Kohaku Workshop use in 2023?"}


@pytest.fixture(scope="module")
def client(server):
    with openai.OpenAI(base_url=f"{server.url}/v1", api_key="none", max_retries=0) as opened:
        yield opened


def test_the_levels_are_models(client):
    names = [model.id for model in client.models.list()]
    assert names == ["kohaku", "kohaku-basic", "kohaku-standard", "kohaku-enhanced", "kohaku-maximum"]
    assert client.models.retrieve("kohaku-basic").owned_by == "kohaku"


@pytest.mark.parametrize("model", ["kohaku", "kohaku-maximum"])
def test_a_completion_has_footnotes_and_annotations(client, server, model):
    completion = client.chat.completions.create(model=model, messages=[QUESTION])
    [choice] = completion.choices
    text = choice.message.content
    assert "41800" in text.replace(",", "")
    assert "[1] [Energy Report of the Kohaku Workshop, 2023, 1 Introduction, page 1](" in text
    cited = choice.message.annotations[0].url_citation
    assert text[cited.start_index : cited.end_index] == "[1]"
    assert cited.url.startswith(f"{server.url}/#node=kohaku-energy-report:")
    assert completion.kohaku["sources"][0]["page_number"] == 1
    assert completion.usage.total_tokens > completion.usage.completion_tokens > 0


def test_a_stream_gives_the_same_text_and_its_usage(client):
    whole = client.chat.completions.create(model="kohaku", messages=[QUESTION]).choices[0].message.content
    options = {"include_usage": True}
    chunks = list(
        client.chat.completions.create(model="kohaku", messages=[QUESTION], stream=True, stream_options=options)
    )
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices) == whole
    assert [chunk.choices[0].finish_reason for chunk in chunks if chunk.choices][-1] == "stop"
    assert chunks[-1].usage.completion_tokens > 0


def test_messages_before_make_a_question_complete_by_session_and_without(client):
    first = client.chat.completions.create(model="kohaku", messages=[QUESTION])
    said = {"role": "assistant", "content": first.choices[0].message.content}
    follow_up = {"role": "user", "content": [{"type": "text", "text": "And in 2022?"}]}
    known = client.chat.completions.create(model="kohaku", messages=[QUESTION, said, follow_up])
    assert "38,000" in known.choices[0].message.content
    assert known.kohaku["session_id"] == first.kohaku["session_id"]
    edited = {"role": "assistant", "content": "Something else."}
    unknown = client.chat.completions.create(model="kohaku", messages=[QUESTION, edited, follow_up])
    assert "38,000" in unknown.choices[0].message.content
    assert unknown.kohaku["session_id"] != first.kohaku["session_id"]


def test_mistakes_are_errors_of_the_protocol(client):
    with pytest.raises(openai.NotFoundError, match="there is no model 'gpt-9'"):
        client.chat.completions.create(model="gpt-9", messages=[QUESTION])
    with pytest.raises(openai.BadRequestError, match="the last of messages must be one of the role user"):
        client.chat.completions.create(model="kohaku", messages=[{"role": "system", "content": "Be kind."}])


def test_marks_count_the_annotations_and_a_reply_reaches_no_other_site(fresh):
    said = (
        "It used 29,260 kWh [Source 3], of 41,800 [Source 1] [Source 3] [Source 99]. ![x](https://evil.example/x.png)"
    )
    with OpenAIServer(reply=lambda body: said) as model:
        home = fresh().home
        with (home / "kohaku.toml").open("a") as file:
            file.write(
                f'\n[answer]\nby = "model"\n[llm]\nprovider = "openai"\nmodel = "test"\nbase_url = "{model.base_url}"\n'
            )
        with running_server(home) as running, openai.OpenAI(base_url=f"{running.url}/v1", api_key="none") as client:
            completion = client.chat.completions.create(model="kohaku", messages=[QUESTION])
            stream = client.chat.completions.create(model="kohaku", messages=[QUESTION], stream=True)
            streamed = "".join(chunk.choices[0].delta.content or "" for chunk in stream)
            text, sources = completion.choices[0].message.content, completion.kohaku["sources"]
            first, *_ = text.partition("\n\n")
            assert first == "It used 29,260 kWh [1], of 41,800 [2] [1]. ! [x] (https://evil.example/x.png)"
            cited = [one.url_citation.url for one in completion.choices[0].message.annotations]
            wanted = [f"{running.url}/#node={sources[number]['chunk_id']}" for number in (0, 1, 0)]
            assert cited == wanted
            assert [line.partition("](")[2] for line in text.splitlines() if line.startswith(("[1]", "[2]"))] == [
                f"{wanted[0]})  ",
                f"{wanted[1]})",
            ]
            assert streamed == text


EVIL = "https://evil.example"
SAID = (
    f"It used [29,260 kWh]({EVIL}) [Source 3], <img src={EVIL}> of <{EVIL}> 41,800 [Source 1]({EVIL}).\n\n"
    f"![x][1] <script>alert(1)</script> is 70% ![x]({EVIL}).\n\n[1]: {EVIL}\n[x]: {EVIL}"
)
OTHER_SITE = re.compile(rf"""\]\({EVIL}|\]: *{EVIL}|<{EVIL}|<\w+[^>]*{EVIL}|<script|!\[""")


def test_no_door_passes_on_a_link_an_image_or_html_of_a_model(fresh):
    with OpenAIServer(reply=lambda body: SAID) as model:
        home = fresh().home
        with (home / "kohaku.toml").open("a") as file:
            file.write(
                f'\n[answer]\nby = "model"\n[llm]\nprovider = "openai"\nmodel = "test"\nbase_url = "{model.base_url}"\n'
            )
        with running_server(home) as running, openai.OpenAI(base_url=f"{running.url}/v1", api_key="none") as client:
            completion = client.chat.completions.create(model="kohaku", messages=[QUESTION])
            told = running.client.post("/v1/chat", json={"message": QUESTION["content"]}).json()
            streamed = running.client.post("/v1/chat", json={"message": QUESTION["content"], "stream": True}).text
            stored = running.client.get(f"/v1/sessions/{told['session_id']}").text
            replies = [completion.choices[0].message.content, told["content"], streamed, stored]
    assert [OTHER_SITE.findall(reply.replace("\\n", "\n")) for reply in replies] == [[], [], [], []]
    assert all("[29,260 kWh] (https" in reply for reply in replies[:2])
    assert OTHER_SITE.findall(SAID)


GIF = "data:image/gif;base64,R0lGODlhAQABAIAAAP///wAAACwAAAAAAQABAAACAkQBADs="
DAMAGED = "data:image/png;base64,iVBORw0KGgpubyBpbWFnZQ=="


def test_a_picture_of_a_message_is_shown_to_a_model_that_sees_by_both_doors(fresh):
    with OpenAIServer(reply=lambda body: "A white dot [Source 1].") as model:
        home = fresh().home
        with (home / "kohaku.toml").open("a") as file:
            file.write(
                f'\n[answer]\nby = "model"\n[llm]\nprovider = "openai"\nmodel = "gpt-4o"\nbase_url = "{model.base_url}"\n'
            )
        with running_server(home) as running, openai.OpenAI(base_url=f"{running.url}/v1", api_key="none") as client:
            parts = [{"type": "text", "text": "What is this?"}, {"type": "image_url", "image_url": {"url": GIF}}]
            asked = client.chat.completions.create(
                model="kohaku", messages=[{"role": "user", "content": parts}, {"role": "system", "content": "Be kind."}]
            )
            sent = model.requests[-1]["messages"][-1]["content"]
            told = running.client.post("/v1/chat", json={"message": "What is this?", "mode": "vision", "images": [GIF]})
            again = model.requests[-1]["messages"][-1]["content"]
            parts[1]["image_url"]["url"] = "https://example.org/x.png"
            with pytest.raises(openai.BadRequestError, match="addresses are not fetched"):
                client.chat.completions.create(model="kohaku", messages=[{"role": "user", "content": parts}])
            sent_before = len(model.requests)
            parts[1]["image_url"]["url"] = DAMAGED
            with pytest.raises(openai.BadRequestError, match="image 1 is damaged and cannot be opened; save it anew"):
                client.chat.completions.create(model="kohaku", messages=[{"role": "user", "content": parts}])
            damaged = [
                running.client.post(
                    "/v1/chat", json={"message": "?", "mode": "vision", "images": [DAMAGED], "stream": one}
                )
                for one in (False, True)
            ]
            sent_since = len(model.requests) - sent_before
            empty = running.client.post("/v1/chat", json={"message": "?", "mode": "vision", "images": [GIF[:22]]})
            refused = running.client.post("/v1/chat", json={"message": "?", "mode": "vision", "images": ["file:///x"]})
    assert GIF in [part["image_url"]["url"] for part in sent if part["type"] == "image_url"]
    assert GIF in [part["image_url"]["url"] for part in again if part["type"] == "image_url"]
    assert asked.choices[0].message.content.startswith("A white dot")
    assert [one.json()["detail"] for one in damaged] == ["image 1 is damaged and cannot be opened; save it anew"] * 2
    assert ([one.status_code for one in damaged], sent_since) == ([400, 400], 0)
    assert (told.status_code, empty.status_code, refused.status_code) == (200, 422, 422)
