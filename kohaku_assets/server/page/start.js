// The start of a conversation: what was read, questions to begin with, where to add files, and models on this machine.
import { json } from "./api.js";
import * as documents from "./documents.js";
import { make } from "./elements.js";
import { t } from "./words.js";

const list = document.getElementById("messages");
const field = document.getElementById("message");
let actions = { mayUpload: false, showDocuments: () => {}, send: () => {} };

// Where files may be added, what shows the documents, and what sends chosen files.
export function begin(given) { actions = given; }

export function isShown() { return list.firstElementChild?.tagName === "H2"; }

export async function showStart() {
  const greeting = make("h2", { text: t("hello") });
  list.replaceChildren(greeting);
  try {
    const [{ questions }, overview] = await Promise.all([json("/v1/suggestions"), json("/v1/overview")]);
    if (greeting.isConnected && list.children.length === 1) {
      list.append(suggestions(questions ?? []), whatWasRead(overview), ...dropZone());
    }
  } catch { /* without an index there is nothing to tell */ }
}

// Without an index: what to do first.
export function showEmpty() {
  const text = t(actions.mayUpload ? "no_index" : "no_index_reader");
  if (list.querySelector(".user") || list.textContent.includes(text)) return;
  list.replaceChildren(make("h2", { text: t("hello") }), make("p", { id: "nothing-read", text }), ...dropZone());
}

function whatWasRead({ documents: count, pages, languages, unread, reasons }) {
  const names = new Intl.DisplayNames([document.documentElement.lang], { type: "language" });
  const facts = [`${t("documents")}: ${count}`, pages && `${t("pages")}: ${pages}`, languages.length && `${t("languages")}: ${languages.map((one) => names.of(one)).join(", ")}`];
  const told = make("div", { id: "overview", class: "faint" }, make("p", { text: facts.filter(Boolean).join(" · ") }), make("button", { type: "button", text: t("show_documents"), onclick: () => actions.showDocuments() }));
  if (unread) {
    const why = reasons.map(({ reason, count: times }) => (reasons.length > 1 ? `${reason} (${times})` : reason)).join("; ");
    const show = make("button", { type: "button", text: t("show_unread"), onclick: () => actions.showDocuments().then(documents.showUnread) });
    told.append(make("p", {}, `${t("unread", { n: unread })}: ${why} `, show));
  }
  return told;
}

function dropZone() {
  if (!actions.mayUpload) return [];
  const files = make("input", { type: "file", multiple: true, id: "start-files" });
  const zone = make("label", { class: "drop" }, make("span", { text: t("drop") }), files);
  documents.takeFiles(zone, files, (chosen) => actions.showDocuments().then(() => actions.send(chosen)));
  return [zone];
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
