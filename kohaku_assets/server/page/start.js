// The start of a conversation: a greeting, questions to begin with, and models on this machine that may answer.
import { json } from "./api.js";
import { make } from "./elements.js";
import { t } from "./words.js";

const list = document.getElementById("messages");
const field = document.getElementById("message");

export function isShown() { return list.firstElementChild?.tagName === "H2"; }

export async function showStart() {
  const greeting = make("h2", { text: t("hello") });
  list.replaceChildren(greeting);
  try {
    const { questions } = await json("/v1/suggestions");
    if (greeting.isConnected && list.children.length === 1) list.append(suggestions(questions));
  } catch { /* without an index there is nothing to suggest */ }
}

export function suggestions(questions) {
  return buttons(questions.map((text) => [text, () => { field.value = text; document.getElementById("composer").requestSubmit(); }]));
}

// An administrator at this machine may have a model answer that a server on it offers.
export async function offerModels(onChosen, report) {
  const { models } = await json("/v1/local-models");
  if (!models.length || !isShown()) return;
  list.append(buttons(models.map((one) => [t("answer_with", { name: one.name, server: one.server }), () => answerWith(one, onChosen, report)])));
}

async function answerWith({ name, base_url, digest }, onChosen, report) {
  try {
    const { settings } = await json("/v1/local-models/chosen", { method: "PUT", body: { name, base_url, digest } });
    await onChosen(settings["llm.model"]);
  } catch (error) { report(error); }
}

function buttons(actions) {
  return make("div", { class: "suggestions" }, ...actions.map(([text, onclick]) => make("button", { type: "button", text, onclick })));
}
