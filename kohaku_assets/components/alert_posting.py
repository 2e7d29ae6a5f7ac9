"""Posts alerts to a webhook."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from kohaku_lib.errors import KohakuError
from kohaku_lib.masking import masked
from kohaku_lib.settings.operations_settings import WatchSettings

MAX_REPLY_BYTES = 100_000


@dataclass(frozen=True, slots=True)
class Alert:
    """One finding: its kind ("failed run", "failed check", "stale index") and a sentence."""

    kind: str
    text: str


def post_alerts(address: str, project: str, alerts: Sequence[Alert], watch: WatchSettings) -> None:
    """Post `alerts` of `project` to the URL `address` as one message; keys and passwords in it are masked.

    Raises:
        KohakuError: The server cannot be reached or refuses the message.
    """
    import httpx

    from kohaku_lib.http_exchange import ExchangeError, exchange_client

    content = alert_message(project, alerts, watch.webhook_format)
    try:
        with exchange_client(MAX_REPLY_BYTES, timeout=watch.webhook_timeout_s) as client:
            client.post(address, json=content).raise_for_status()
    except httpx.HTTPStatusError as error:
        raise _not_posted(watch, f"answered {error.response.status_code}") from None
    except (httpx.HTTPError, httpx.InvalidURL, ExchangeError) as error:
        raise _not_posted(watch, f"cannot be reached ({type(error).__name__})") from None


def alert_message(project: str, alerts: Sequence[Alert], form: str) -> dict[str, Any]:
    r"""Return the body of the message: {"text"} for Slack, else with the project and every alert as an object, too.

    Slack's form: https://api.slack.com/messaging/webhooks

    >>> alert_message("energy", [Alert("failed run", "run 1 failed: <disk> full")], "slack")
    {'text': 'energy\n• failed run: run 1 failed: &lt;disk&gt; full'}
    """
    listed = [Alert(alert.kind, masked(alert.text)) for alert in alerts]
    text = "\n".join([project, *(f"• {alert.kind}: {alert.text}" for alert in listed)])
    if form == "slack":
        return {"text": text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")}
    return {"project": project, "alerts": [asdict(alert) for alert in listed], "text": text}


def _not_posted(watch: WatchSettings, why: str) -> KohakuError:
    return KohakuError(
        f"the alerts were not posted, as the server of {watch.webhook_env} {why}; they are posted again later"
    )
