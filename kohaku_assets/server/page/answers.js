// One answer: what it says, its sources as cards that open the document, and what people say about it.
import { json } from "./api.js";
import { openSource } from "./document_panel.js";
import { answerNodes, make, passageNodes } from "./elements.js";
import { aboutDocuments, suggestions } from "./start.js";
import { t } from "./words.js";
import { showWhy } from "./why.js";

const CITATIONS = /\s*\[Source \d+\]/g;

// `answer` is a response of the server, or a message of a conversation that is opened again: without who gave it.
export function showAnswer(article, answer, message = null) {
  const level = answer.confidence_score > 0 && answer.answer?.outcome !== "silent" ? answer.confidence_level : null;
  const by = answer.answer?.answered_by;
  const worth = [level && `${t("confidence")}: ${t(level)}`, level && by && (by === "the built-in reader" ? t("by_reader") : t("by", { name: by })), answer.cached && t("from_memory")];
  article.replaceChildren(
    ...notesOf(answer, message),
    make("div", { class: "content" }, ...contentNodes(answer)),
    sourceCards(answer),
    make("div", { class: "meta" }, make("span", { text: worth.filter(Boolean).join(" · ") }), ...actions(answer)),
    ...(answer.suggested_questions?.length ? [suggestions(answer.suggested_questions)] : []),
    ...(answer.answer?.outcome === "silent" ? [aboutDocuments()] : []),
  );
}

// A follow-up is searched for as the question it was completed to.
function notesOf(answer, message) {
  const asked = answer.answer?.question, plain = (text) => text.trim().replace(/\s+/g, " ");
  const searched = message && asked && plain(asked) !== plain(message) ? asked : null;
  const sufficiency = answer.context_sufficiency;
  const missing = answer.confidence_score > 0 ? [] : sufficiency?.missing_aspects ?? [];
  return [
    searched && make("p", { class: "faint", text: `${t("searched")}: ${searched}` }),
    sufficiency?.has_conflicts && make("p", { class: "nothing", text: t("conflicts") }),
    missing.length && make("p", { class: "faint", text: `${t("missing")}: ${missing.join(", ")}` }),
  ].filter(Boolean);
}

// Quotes stand on the cards; what the server says beside them is shown in the language of the page.
function contentNodes({ content, sources = [], answer = null }) {
  const cite = (number) => sources[number - 1] && openSource(sources[number - 1]);
  const hasCards = answer?.form !== "text" && sources.some((one) => one.cited && one.quote);
  const blocks = content.split(/\n{2,}/).filter((block) => block.trim());
  const isQuote = (block) => block.startsWith(">");
  const said = saidBefore(answer), own = blocks.filter((block) => !isQuote(block)).map((block, place) => said[place] ?? block);
  if (answer?.other_values.length) own.push(own.pop().replace(/^[^:]*:/, t("otherwise")));
  const shown = hasCards ? own : blocks.map((block) => (isQuote(block) ? block : own.shift()));
  const nodes = answerNodes(shown.join("\n\n"), cite, (n) => t("source", { n }));
  if (hasCards && answer?.outcome === "value") nodes[0]?.classList.add("value");
  return nodes;
}

// What an answer without a value begins with; an answer of several parts says it of each in its own text.
function saidBefore(answer) {
  if (!answer || answer.form === "text" || answer.outcome === "value") return [];
  if (answer.outcome === "passage") return [t("passage")];
  return [answer.error ?? t(answer.needs_whole ? "needs_whole" : "silent"), t("nearest")];
}

function sourceCards({ sources = [] }) {
  const cited = sources.map((source, place) => ({ source, number: place + 1 })).filter(({ source }) => source.cited);
  return make("ol", { class: "sources", "aria-label": t("sources") }, ...cited.map(({ source, number }) => {
    const where = placeIn(source).join(" · ");
    const name = make("button", { type: "button", class: "open", onclick: () => openSource(source) },
      make("span", { class: "number", text: String(number) }), " ", make("strong", { text: source.document_name || source.document_id }), where && ` · ${where}`);
    const quote = source.quote ? make("div", { class: "quote" }, ...passageNodes(source.quote, { bold: source.marked })) : null;
    return make("li", { class: "card" }, name, quote);
  }));
}

function placeIn({ heading, page_number: page }) { return [heading, page && `${t("page")} ${page}`].filter(Boolean); }

function actions(answer) {
  const copied = make("span", { role: "status" });
  const copy = make("button", { type: "button", text: t("copy"), onclick: async () => {
    await navigator.clipboard.writeText(plainText(answer));
    copied.textContent = t("copied");
  } });
  return answer.answer_id ? [copy, ...judgement(answer.answer_id, copied)] : [copy, copied];
}

// An answer as text: without the numbers of its sources where these are not told, else with a list of them.
export function plainText({ content, sources = [] }) {
  const cited = sources.map((source, place) => ({ source, number: place + 1 })).filter(({ source }) => source.cited);
  if (!cited.length) return content.replace(CITATIONS, "");
  const list = cited.map(({ source, number }) => `[${number}] ${[source.document_name, ...placeIn(source)].join(", ")}`);
  return `${content.replace(/\[Source (\d+)\]/g, "[$1]")}\n\n${list.join("\n")}`;
}

function judgement(answerId, said) {
  const good = make("button", { type: "button", "aria-pressed": "false", text: t("good"), onclick: () => judge(1) });
  const bad = make("button", { type: "button", "aria-pressed": "false", text: t("bad"), onclick: () => judge(-1) });
  async function judge(rating, correction) {
    await json("/v1/feedback", { method: "POST", body: { answer_id: answerId, rating, correction } });
    good.setAttribute("aria-pressed", String(rating === 1));
    bad.setAttribute("aria-pressed", String(rating === -1));
    said.textContent = t("thanks");
    const form = bad.parentElement.parentElement.querySelector(".correction");
    if (rating === 1 || correction) form?.remove();
    else if (!form) bad.parentElement.after(correctionForm((text) => judge(-1, text)));
  }
  return [good, bad, make("button", { type: "button", text: t("why"), onclick: () => showWhy(answerId) }), said];
}

function correctionForm(give) {
  const field = make("input", { "aria-label": t("correction"), placeholder: t("correction"), maxlength: "4000" });
  const submit = (event) => { event.preventDefault(); if (field.value.trim()) give(field.value.trim()); };
  return make("form", { class: "correction", onsubmit: submit }, field, make("button", { text: t("send_correction") }));
}
