// Conversations: sessions, questions, streamed answers with their sources, and feedback.
import { events, json } from "./api.js";
import { answerNodes, make } from "./elements.js";
import { isShown, showStart, suggestions } from "./start.js";
import { showNode, showWhy } from "./viewer.js";
import { t } from "./words.js";

const list = document.getElementById("messages");
const field = document.getElementById("message");
const send = document.getElementById("send");
let sessionId = null;

export function begin(report) {
  document.getElementById("composer").addEventListener("submit", (event) => { event.preventDefault(); ask(field.value, report); });
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) { event.preventDefault(); ask(field.value, report); }
  });
  document.getElementById("new-session").addEventListener("click", () => { newSession(); field.focus(); });
}

// What is asked while the index opens, while a file is added or in the other language stays on the page.
export function greet() { return list.querySelector(".user") ? undefined : newSession(); }

function newSession() {
  sessionId = null;
  mark();
  return showStart();
}

export async function listSessions() {
  const { sessions } = await json("/v1/sessions");
  document.getElementById("sessions").replaceChildren(...sessions.map((one) => make("li", {},
    make("button", { type: "button", "data-session": one.session_id, text: one.title, title: one.title, onclick: () => openSession(one.session_id) }),
    make("button", { type: "button", text: "×", "aria-label": `${t("delete")}: ${one.title}`, onclick: () => removeSession(one) }))));
  mark();
}

function mark() {
  for (const one of document.querySelectorAll("[data-session]")) {
    one.dataset.session === sessionId ? one.setAttribute("aria-current", "true") : one.removeAttribute("aria-current");
  }
}

async function openSession(id) {
  const { messages } = await json(`/v1/sessions/${encodeURIComponent(id)}`);
  sessionId = id;
  list.replaceChildren();
  for (const message of messages) {
    if (message.role === "user") list.append(make("div", { class: "user", text: message.content }));
    else list.append(await storedAnswer(message));
  }
  list.lastElementChild?.scrollIntoView({ block: "end" });
  mark();
}

async function storedAnswer(message) {
  let sources = [];
  const cite = async (number) => {
    if (!sources.length) ({ sources } = await json(`/v1/answers/${encodeURIComponent(message.answer_id)}`));
    if (sources[number - 1]) showNode(sources[number - 1].chunk_id, sources[number - 1].page_number);
  };
  const content = make("div", { class: "content" }, ...answerNodes(message.content, cite, (n) => t("source", { n })));
  return make("article", { class: "answer" }, content, make("div", { class: "meta" }, ...judgement(message.answer_id)));
}

async function removeSession(one) {
  if (!confirm(t("delete_sure", { name: one.title }))) return;
  await json(`/v1/sessions/${encodeURIComponent(one.session_id)}`, { method: "DELETE" });
  if (one.session_id === sessionId) newSession();
  listSessions();
}

export async function ask(text, report) {
  const message = text.trim();
  if (!message || send.disabled) return;
  if (isShown()) list.replaceChildren();
  field.value = "";
  send.disabled = true;
  const stopping = new AbortController(), { working, say, end } = progress(() => stopping.abort());
  const passage = make("blockquote", { class: "faint", hidden: true });
  const content = make("div", { class: "content" });
  const article = make("article", { class: "answer", "aria-busy": "true" }, working, passage, content);
  list.append(make("div", { class: "user", text: message }), article);
  article.scrollIntoView({ block: "end" });
  let received = "";
  try {
    for await (const { name, data } of events("/v1/chat", { message, session_id: sessionId ?? undefined, stream: true, ...choices() }, stopping.signal)) {
      if (name === "step") say(data.name);
      if (name === "passage") { passage.textContent = data.text; passage.hidden = false; }
      if (name === "token") { passage.hidden = true; say("answering", true); content.replaceChildren(...answerNodes((received += data.text), () => {}, (n) => t("source", { n }))); }
      if (name === "response") finish(article, data, message);
      if (name === "error") throw new Error(data.detail);
    }
    report(null);
  } catch (error) {
    working.remove();
    if (stopping.signal.aborted) content.append(make("p", { class: "faint", role: "status", text: t("stopped") }));
    else content.replaceChildren(make("p", { class: "nothing", role: "alert", text: error.message || t("offline") }));
    report(stopping.signal.aborted ? null : error);
  } finally {
    end();
    article.removeAttribute("aria-busy");
    send.disabled = false;
    if (!article.contains(document.activeElement)) field.focus(); // who reads the answer by keyboard already stays there
  }
  listSessions().catch(report);
}

// What is done now, for how long, and how fast words come; a button ends it. The seconds are no news to a screen reader.
function progress(stop) {
  const name = make("span"), time = make("span", { "aria-hidden": "true" });
  const working = make("p", { class: "working" }, name, " ", time, " ", make("button", { type: "button", text: t("stop"), onclick: stop }));
  const began = performance.now();
  let parts = 0, first = 0;
  const tick = () => {
    const now = performance.now(), rate = parts > 1 ? parts / ((now - first) / 1000) : 0;
    time.textContent = `${Math.round((now - began) / 1000)} s${rate ? t("rate", { n: rate.toFixed(1) }) : ""}`;
  };
  const timer = setInterval(tick, 1000);
  const say = (step, isPart = false) => {
    if (isPart && !parts++) first = performance.now();
    const text = t(step);
    if (name.textContent !== text) name.textContent = text;
  };
  say("searching");
  tick();
  return { working, say, end: () => clearInterval(timer) };
}

function choices() {
  const value = (id) => document.getElementById(id).value.trim() || undefined;
  return { intelligence_level: value("level"), collection_filter: value("collection"), folder_id: value("folder") };
}

const SILENT = "The documents do not say."; // as the server says it, told in the language of the page

// A follow-up is searched for as the question it was completed to.
function searchedFor(message, answer) {
  const asked = answer.answer?.question, plain = (text) => text.trim().replace(/\s+/g, " ");
  return asked && plain(asked) !== plain(message) ? asked : null;
}

function finish(article, answer, message) {
  sessionId = answer.session_id;
  const cite = (number) => { const source = answer.sources[number - 1]; if (source) showNode(source.chunk_id, source.page_number); };
  const isSupported = answer.confidence_score > 0;
  const sufficiency = answer.context_sufficiency;
  const notes = [], searched = searchedFor(message, answer);
  if (searched) notes.push(make("p", { class: "faint", text: `${t("searched")}: ${searched}` }));
  const isQuoted = Boolean(answer.answer?.passages.length) && answer.answer.outcome !== "value", isSilent = answer.content === SILENT;
  if (isSilent || (isQuoted && !(isSupported && answer.answer.outcome === "silent"))) notes.push(make("p", { text: answer.answer.error ?? t(answer.answer.outcome) }));
  if (sufficiency.has_conflicts) notes.push(make("p", { class: "nothing", text: t("conflicts") }));
  if (!isSupported && sufficiency.missing_aspects.length) notes.push(make("p", { text: `${t("missing")}: ${sufficiency.missing_aspects.join(", ")}` }));
  const words = isSupported ? `${t("confidence")}: ${t(answer.confidence_level)} (${answer.confidence_score.toFixed(2)})${answer.answer?.answered_by ? `, ${t("by", { name: t(answer.answer.answered_by) })}` : ""}` : "";
  article.replaceChildren(
    ...notes,
    make("div", { class: "content" }, ...(isQuoted ? quotes(answer, cite) : isSilent ? [] : answerNodes(answer.content, cite, (n) => t("source", { n })))),
    sourceList(answer, cite),
    make("div", { class: "meta" }, make("span", { text: words + (answer.cached ? ` · ${t("from_memory")}` : "") }), ...judgement(answer.answer_id)),
    suggestions(answer.suggested_questions),
  );
  article.scrollIntoView({ block: "end" });
}

// The passages that a response without a value quotes, the n-th with its n-th source; offsets count code points.
// What answers is marked; nothing is beside a silence.
function quotes({ answer, sources, confidence_score: confidence }, cite) {
  const mark = answer.outcome === "passage" || confidence > 0 ? "strong" : "span";
  return answer.passages.slice(0, sources.length).map(({ text, marked: [start, end] }, place) => {
    const signs = [...text], part = (from, to) => signs.slice(from, to).join("");
    const source = { type: "button", class: "cite", text: String(place + 1), "aria-label": t("source", { n: place + 1 }), onclick: () => cite(place + 1) };
    return make("blockquote", {}, part(0, start), make(mark, { text: part(start, end) }), part(end), " ", make("button", source));
  });
}

function sourceList(answer, cite) {
  const rows = answer.sources.map((source, place) => [source, place + 1]).filter(([source]) => source.cited);
  return make("ul", { class: "sources", "aria-label": t("sources") }, ...rows.map(([source, number]) => {
    const where = [source.document_title, source.heading, source.page_number && `${t("page")} ${source.page_number}`].filter(Boolean).join(", ");
    return make("li", {}, make("button", { type: "button", text: `${number} · ${where}`, onclick: () => cite(number) }));
  }));
}

function judgement(answerId) {
  const said = make("span", { role: "status" });
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
