// The review queue: served questions that a person accepts as truth or dismisses.
import { json } from "./api.js";
import { fill, make, table } from "./elements.js";
import { t } from "./words.js";

const dialog = document.getElementById("truth-dialog");
const [value, unit, sources] = ["value", "unit", "sources"].map((name) => document.getElementById(`truth-${name}`));

export async function show(report) {
  const { questions } = await json("/v1/reviews");
  const act = (word, one, work) => make("button", { type: "button", text: t(word), "aria-label": `${t(word)}: ${one.question}`,
    onclick: () => work(one).then(() => show(report)).catch(report) });
  const rows = questions.map((one) => [one.question, one.proposed_value, one.reasons.map((reason) => t(reason)).join(", "), one.asked,
    make("span", {}, act("accept", one, accept), " ", act("dismiss", one, dismiss))]);
  const shown = rows.length ? table([t("question_asked"), t("answer"), t("reason"), t("asked"), ""], rows) : make("p", { text: t("nothing_to_review") });
  fill(document.getElementById("reviews"), shown);
}

async function dismiss(one) { await json(`/v1/reviews/${encodeURIComponent(one.answer_id)}/dismiss`, { method: "POST" }); }

async function accept(one) {
  document.getElementById("truth-title").textContent = one.question;
  value.value = one.reasons.includes("unanswered") && !one.correction ? "" : one.proposed_value;
  unit.value = "";
  sources.value = one.sources.join(", ");
  if (await decision() !== "accept") return;
  const named = sources.value.split(",").map((name) => name.trim()).filter(Boolean);
  const body = { value: value.value.trim() || null, unit: unit.value.trim() || null, sources: named };
  await json(`/v1/reviews/${encodeURIComponent(one.answer_id)}/accept`, { method: "POST", body });
}

function decision() {
  return new Promise((resolve) => {
    dialog.returnValue = "";
    dialog.addEventListener("close", () => resolve(dialog.returnValue), { once: true });
    dialog.showModal();
    value.focus();
  });
}
