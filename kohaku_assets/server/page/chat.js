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
let sessionId = null;
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
}

// What is asked while the index opens, while a file is added or in the other language stays on the page.
export function greet() { return list.querySelector(".user") ? undefined : newSession(); }

function newSession() {
  sessionId = null;
  list.ariaLive = "off";
  mark();
  return showStart();
}

export async function listSessions() {
  const words = search.value.trim();
  const { sessions } = await json(`/v1/sessions${words ? `?words=${encodeURIComponent(words)}` : ""}`);
  if (search.value.trim() !== words) return;
  document.getElementById("sessions").replaceChildren(...sessions.map((one) => make("li", {},
    make("button", { type: "button", "data-session": one.session_id, text: one.title, title: one.title, onclick: () => openSession(one.session_id) }),
    make("button", { type: "button", text: "×", "aria-label": `${t("delete")}: ${one.title}`, onclick: () => removeSession(one) }))));
  mark();
}

function mark() {
  document.getElementById("export-session").hidden = sessionId === null;
  for (const one of document.querySelectorAll("[data-session]")) {
    one.dataset.session === sessionId ? one.setAttribute("aria-current", "true") : one.removeAttribute("aria-current");
  }
}

async function openSession(id) {
  const { messages } = await json(`/v1/sessions/${encodeURIComponent(id)}`);
  sessionId = id;
  list.ariaLive = "off"; // a whole conversation is no news
  list.replaceChildren();
  for (const message of messages) {
    if (message.role === "user") list.append(questionNode(message.content));
    else {
      const article = make("article", { class: "answer" });
      showAnswer(article, message);
      list.append(article);
    }
  }
  list.lastElementChild?.scrollIntoView({ block: "end" });
  mark();
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
  make("a", { href: address, download: `${t("conversation")}.md` }).click();
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
    for await (const { name, data } of events("/v1/chat", { message, session_id: sessionId ?? undefined, stream: true, ...choices() }, stopping.signal)) {
      if (name === "step") say(data.name);
      if (name === "passage") { passage.textContent = data.text; passage.hidden = false; }
      if (name === "token") { passage.hidden = true; say("answering", true); content.replaceChildren(...answerNodes((received += data.text), () => {}, (n) => t("source", { n }))); }
      if (name === "response") {
        sessionId = data.session_id;
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
