// Conversations: sessions, questions, streamed answers with their sources, and feedback.
import { events, json } from "./api.js";
import { plainText, showAnswer } from "./answers.js";
import { forget, prepare } from "./document_panel.js";
import { asked } from "./documents.js";
import { answerNodes, make } from "./elements.js";
import { isShown, showStart } from "./start.js";
import { t } from "./words.js";

const list = document.getElementById("messages");
const field = document.getElementById("message");
const send = document.getElementById("send");
const search = document.getElementById("session-search");
const PREPARED = 2; // sources whose document is fetched before anybody opens it
const KEPT_AS = "kohaku.session";
const LATER_MS = 4000; // an answer that nobody waited for may be there by then
let sessionId = null;
let isListed = false;
let version = null; // of the index that the last answer is from

export function begin(report) {
  document.getElementById("composer").addEventListener("submit", (event) => { event.preventDefault(); ask(field.value, report); });
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) { event.preventDefault(); ask(field.value, report); }
  });
  document.getElementById("new-session").addEventListener("click", () => { newSession(); field.focus(); });
  document.getElementById("export-session").addEventListener("click", () => exportSession().catch(report));
  const shown = document.getElementById("show-sessions"); // on a narrow screen, where the list is folded
  shown.addEventListener("click", () => shown.setAttribute("aria-expanded", String(shown.closest("aside").classList.toggle("is-open"))));
  search.addEventListener("input", () => listSessions().catch(report));
  document.addEventListener("visibilitychange", () => { if (!document.hidden && isListed) listSessions().catch(report); }); // another tab may have asked
}

// What is asked while the index opens, while a file is added or in the other language stays on the page.
// A reload opens the conversation again that was open in this tab.
export function greet() {
  if (list.querySelector(".user")) return undefined;
  const id = remembered();
  return id === null ? newSession() : openSession(id).catch(newSession);
}

function newSession() {
  remember(null);
  list.ariaLive = "off";
  return showStart();
}

function remember(id) {
  sessionId = id;
  try { id === null ? sessionStorage.removeItem(KEPT_AS) : sessionStorage.setItem(KEPT_AS, id); } catch { /* a private window forgets it */ }
  mark();
}

function remembered() {
  try { return sessionStorage.getItem(KEPT_AS); } catch { return null; }
}

export async function listSessions() {
  const words = search.value.trim();
  const { sessions } = await json(`/v1/sessions${words ? `?words=${encodeURIComponent(words)}` : ""}`);
  if (search.value.trim() !== words) return;
  isListed = true;
  document.getElementById("sessions").replaceChildren(...sessions.map((one) => make("li", {},
    make("button", { type: "button", "data-session": one.session_id, text: one.title, title: one.title, onclick: () => openSession(one.session_id) }),
    make("button", { type: "button", text: "×", "aria-label": `${t("delete")}: ${one.title}`, onclick: () => removeSession(one) }))));
  if (words && !sessions.length) document.getElementById("sessions").append(make("li", { class: "faint", text: t("no_conversation") }));
  mark();
}

function mark() {
  document.getElementById("export-session").hidden = sessionId === null;
  for (const one of document.querySelectorAll("[data-session]")) {
    one.dataset.session === sessionId ? one.setAttribute("aria-current", "true") : one.removeAttribute("aria-current");
  }
}

async function openSession(id, isLater = false) {
  const { messages } = await json(`/v1/sessions/${encodeURIComponent(id)}`);
  if (!messages.length) return newSession();
  remember(id);
  list.ariaLive = "off"; // a whole conversation is no news
  list.replaceChildren();
  const answered = new Set(messages.filter((one) => one.role !== "user").map((one) => one.answer_id));
  for (const message of messages) {
    if (message.role === "user") {
      list.append(questionNode(message.content));
      if (!answered.has(message.answer_id)) list.append(make("p", { class: "faint", text: t("not_answered") }));
    } else {
      const article = make("article", { class: "answer" });
      showAnswer(article, message);
      list.append(article);
    }
  }
  list.lastElementChild.scrollIntoView({ block: "end" });
  const isLastOpen = messages.at(-1).role === "user";
  if (isLastOpen && !isLater) setTimeout(() => { if (sessionId === id && !send.disabled) openSession(id, true).catch(() => {}); }, LATER_MS);
}

async function removeSession(one) {
  if (!confirm(t("delete_sure", { name: one.title }))) return;
  await json(`/v1/sessions/${encodeURIComponent(one.session_id)}`, { method: "DELETE" });
  if (one.session_id === sessionId) newSession();
  await listSessions();
  search.focus();
}

// A question, with buttons to ask it once more or to change it first.
function questionNode(text) {
  const again = make("button", { type: "button", text: t("ask_again"), onclick: () => { field.value = text; document.getElementById("composer").requestSubmit(); } });
  const edit = make("button", { type: "button", text: t("edit"), onclick: () => { field.value = text; field.focus(); } });
  return make("div", { class: "user" }, make("p", { text }), make("div", { class: "meta" }, again, edit));
}

// The conversation that is shown, as a Markdown file.
async function exportSession() {
  if (sessionId === null) return;
  const { messages } = await json(`/v1/sessions/${encodeURIComponent(sessionId)}`);
  const parts = messages.map((one) => one.role === "user" ? `## ${one.content.replace(/\s+/g, " ")}` : plainText(one));
  const address = URL.createObjectURL(new Blob([`${parts.join("\n\n")}\n`], { type: "text/markdown" }));
  const title = messages[0].content.replace(/[^\p{L}\p{N}]+/gu, " ").trim().slice(0, 60).trim() || t("conversation");
  make("a", { href: address, download: `${title} ${messages[0].created_at.slice(0, 10)}.md` }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60000);
}

export async function ask(text, report) {
  const message = text.trim();
  if (!message || send.disabled) return;
  field.focus(); // a question that was suggested is gone with its button
  if (isShown()) list.replaceChildren();
  field.value = "";
  send.disabled = true;
  const stopping = new AbortController(), { working, say, end } = progress(() => stopping.abort());
  const passage = make("blockquote", { class: "faint", hidden: true });
  const content = make("div", { class: "content" });
  const article = make("article", { class: "answer" }, working, passage, content);
  list.append(questionNode(message), article);
  list.ariaLive = "polite";
  list.ariaBusy = "true"; // what streams is read out when it is complete
  article.scrollIntoView({ block: "end" });
  let received = "";
  try {
    if (sessionId === null) remember((await json("/v1/sessions", { method: "POST", signal: stopping.signal })).session_id); // known before the answer is there
    for await (const { name, data } of events("/v1/chat", { message, session_id: sessionId, stream: true, ...choices() }, stopping.signal)) {
      if (name === "step") say(data.name);
      if (name === "passage") { passage.textContent = data.text; passage.hidden = false; }
      if (name === "token") { passage.hidden = true; say("answering", true); content.replaceChildren(...answerNodes((received += data.text), () => {}, (n) => t("source", { n }))); }
      if (name === "response") {
        if (data.index_version !== version) forget();
        version = data.index_version;
        list.ariaBusy = null;
        showAnswer(article, data, message);
        prepare(data.sources.filter((one) => one.cited).slice(0, PREPARED));
        article.previousElementSibling.scrollIntoView({ block: "start" });
      }
      if (name === "error") throw new Error(data.detail);
    }
    report(null);
  } catch (error) {
    working.remove();
    if (stopping.signal.aborted) content.append(make("p", { class: "faint", role: "status", text: t("stopped") }));
    else content.replaceChildren(make("p", { class: "nothing", role: "alert", text: error.message || t("offline") }));
    report(null); // the answer says it
  } finally {
    end();
    list.ariaBusy = null;
    send.disabled = false;
    if (!article.contains(document.activeElement)) field.focus(); // who reads the answer by keyboard already stays there
  }
  listSessions().catch(report);
}

// What is done now, for how long, and how fast words come; a button ends it. The seconds are no news to a screen reader.
function progress(stop) {
  const name = make("span", { role: "status" }), time = make("span", { "aria-hidden": "true" });
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
  return { intelligence_level: document.getElementById("level").value || undefined, ...asked() };
}
