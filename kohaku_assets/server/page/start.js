// The start of a conversation: questions to begin with, models on this machine, what was read, and where to add files.
import { json } from "./api.js";
import * as documents from "./documents.js";
import { make } from "./elements.js";
import { showModels } from "./models.js";
import { t } from "./words.js";

const list = document.getElementById("messages");
const field = document.getElementById("message");
let actions = { mayUpload: false, showDocuments: () => {}, showChanges: () => {}, send: () => {}, models: {} };

// Where files may be added, what shows the documents and what has changed in them, what sends chosen files, and what a model on this machine may do.
export function begin(given) { actions = given; }

export function isShown() { return list.firstElementChild?.tagName === "H2"; }

export async function showStart() {
  const greeting = make("h2", { text: t("hello") });
  list.replaceChildren(greeting);
  try {
    const [{ questions }, overview] = await Promise.all([json("/v1/suggestions"), json("/v1/overview")]);
    if (greeting.isConnected && list.children.length === 1) {
      const models = make("section", { class: "models", "aria-label": t("model") });
      const suggested = suggestions(questions ?? []);
      list.append(suggested, models, whatWasRead(overview), ...dropZone());
      if (questions === null) suggestOnceTried(suggested).catch(() => {}); // as above
      showModels(models, actions.models, questions?.[0]).catch(() => {}); // nothing else needs them
    }
  } catch { /* without an index there is nothing to tell */ }
}

// Questions are tried for some seconds after an index is published.
async function suggestOnceTried(place) {
  for (let times = 0; times < MOST_LOOKS; times += 1) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    if (!place.isConnected) return;
    const { questions } = await json("/v1/suggestions");
    if (questions) return place.replaceWith(suggestions(questions));
  }
  return undefined;
}
const MOST_LOOKS = 30, LOOK_EVERY_MS = 1000;

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
    const show = make("button", { type: "button", text: t("show_unread"), onclick: () => actions.showDocuments().then(documents.showUnread) });
    told.append(make("p", {}, `${[t(unread === 1 ? "unread_file" : "unread_files", { n: unread }), ...reasons.map((one) => whyUnread(one, unread))].join(" ")} `, show));
  }
  return told;
}

// A reason is what is said of each file, without its name, or a sentence of its own.
function whyUnread({ reason, count, of_file: ofFile }, unread) {
  if (!ofFile) return `${reason[0].toUpperCase()}${reason.slice(1)}.`;
  const word = count === unread ? (count === 1 ? "why_it" : "why_each") : count === 1 ? "why_one" : "why_some";
  return t(word, { n: count, why: t(reason) });
}

function dropZone() {
  if (!actions.mayUpload) return [];
  const files = make("input", { type: "file", multiple: true, id: "start-files" });
  const zone = make("label", { class: "drop" }, make("span", { text: t("drop") }), files);
  documents.takeFiles(zone, files, (chosen) => actions.showDocuments().then(() => actions.send(chosen)));
  return [zone];
}

// Where no document answers, the question may be about the documents themselves.
export function aboutDocuments() {
  return buttons([[t("show_documents"), () => actions.showDocuments()], [t("what_changed"), () => actions.showChanges()]]);
}

export function suggestions(questions) {
  return buttons(questions.map((text) => [text, () => { field.value = text; document.getElementById("composer").requestSubmit(); }]));
}

function buttons(named) {
  return make("div", { class: "suggestions" }, ...named.map(([text, onclick]) => make("button", { type: "button", text, onclick })));
}
