// The page: views, colours, language, key, and what to do where nothing can be answered yet.
import { hasKey, json, onKeyNeeded, setKey } from "./api.js";
import * as admin from "./admin.js";
import * as chat from "./chat.js";
import { begin as beginPanel, forget, showAddressed } from "./document_panel.js";
import * as documents from "./documents.js";
import * as start from "./start.js";
import { otherLanguage, store, stored, t, translate } from "./words.js";

const RETRY_MS = 1500;
const views = [...document.querySelectorAll("[data-view]")];
const notice = document.getElementById("notice");
const keyDialog = document.getElementById("key-dialog");
const prefersDark = matchMedia("(prefers-color-scheme: dark)");

function report(error) { tell(error ? error.message || t("offline") : "", true); }

function tell(sentence, isFault = false) {
  notice.textContent = sentence;
  notice.classList.toggle("failed", isFault);
}

function show(name) {
  if (document.getElementById(`view-${name}`).hidden) closePanel();
  for (const one of views) {
    const isShown = one.dataset.view === name;
    document.getElementById(`view-${one.dataset.view}`).hidden = !isShown;
    isShown ? one.setAttribute("aria-current", "page") : one.removeAttribute("aria-current");
  }
  if (document.activeElement.closest("main > [hidden]")) document.querySelector(`[data-view=${name}]`).focus();
  if (name === "documents") return documents.list().catch(report);
  if (name === "admin") admin.show(me).catch(report);
}

// The document beside a view goes with it; its place leaves the address.
function closePanel() {
  history.replaceState(null, "", location.pathname);
  showAddressed();
}

// The part of the documents that tells what has changed.
async function showChanges() {
  await show("documents");
  const changes = document.getElementById("changes");
  changes.open = true;
  changes.querySelector("summary").focus();
}

function colour() {
  const theme = stored("theme") ?? (prefersDark.matches ? "dark" : "light");
  document.documentElement.dataset.theme = theme;
  return theme;
}

let me = {};
let asking = null;
function askForKey() {
  asking ??= new Promise((resolve) => {
    const input = document.getElementById("key-input");
    input.value = "";
    keyDialog.addEventListener("close", () => { asking = null; resolve(input.value.trim()); }, { once: true });
    keyDialog.showModal();
  });
  return asking;
}

function mayUpload() { return me.owns_index && me.role !== "reader"; }

async function begin() {
  await whoIsIt();
  document.querySelector('[data-view="admin"]').hidden = me.role !== "admin";
  document.getElementById("key-button").hidden = !hasKey();
  await ready();
}

async function whoIsIt() {
  me = await json("/v1/me");
  start.begin({
    mayUpload: mayUpload(),
    showDocuments: async () => show("documents"),
    showChanges: () => showChanges().catch(report),
    send: (chosen) => documents.send(chosen, published),
    models: { inUse: me.local_model, mayChoose: me.may_choose_model, onChange: answeredOtherwise, report },
  });
}

function published() {
  forget();
  return begin().catch(report);
}

let waiting = null;
function ready() { return waiting ??= becomeReady().finally(() => { waiting = null; }); }

async function becomeReady() {
  while (me.missing) {
    if (me.missing !== "opening") report(me.missing === "no_index" ? null : new Error(t(me.missing)));
    if (me.missing === "no_index") start.showEmpty();
    await new Promise((resolve) => setTimeout(resolve, me.missing === "opening" ? RETRY_MS / 5 : RETRY_MS));
    await whoIsIt();
  }
  report(null);
  await Promise.all([chat.listSessions(), chat.greet()]);
  await showAddressed();
}

// What answers has changed: another start, and a sentence on it.
async function answeredOtherwise(sentence) {
  await begin();
  tell(sentence);
}

colour();
translate();
prefersDark.addEventListener("change", colour);
onKeyNeeded(askForKey);
document.getElementById("theme").addEventListener("click", () => { store("theme", colour() === "dark" ? "light" : "dark"); colour(); });
document.getElementById("language").addEventListener("click", () => { otherLanguage(); chat.greet(); });
document.getElementById("key-button").addEventListener("click", () => { setKey(null); location.reload(); });
document.getElementById("choose-documents").addEventListener("click", () => show("documents"));
for (const name of ["dragover", "drop"]) addEventListener(name, (event) => {
  event.preventDefault(); // else the browser leaves the page for the file
  if (name === "drop" && mayUpload()) Promise.resolve(show("documents")).then(() => documents.send([...event.dataTransfer.files], published));
});
for (const one of views) one.addEventListener("click", () => show(one.dataset.view));
chat.begin(report);
beginPanel(report);
documents.begin(report, published);
admin.begin(report);
begin().catch(report);
