// Documents: listed, searched and sorted, chosen to be asked, dropped or uploaded, followed until they are searchable.
import { json, upload } from "./api.js";
import { openDocument } from "./document_panel.js";
import { make } from "./elements.js";
import { day, moment, t } from "./words.js";

const form = document.getElementById("upload");
const files = document.getElementById("files");
const drop = document.getElementById("drop");
const state = document.getElementById("upload-state");
const bar = document.getElementById("upload-progress");
const readChanged = document.getElementById("read-changed");
const refusedFiles = document.getElementById("upload-refused");
const body = document.getElementById("document-rows");
const search = document.getElementById("document-search");
const place = document.getElementById("document-place");
const chooseAll = document.getElementById("choose-shown");
const EVERY_MS = 500, SHOWN_AT_ONCE = 200;
const chosen = new Set(); // ids of documents, to be asked alone
let scope = null; // a whole folder or collection, to be asked alone
let rows = [], sorted = [], mayChange = false; // all documents, and those that are shown in their order
let gone = []; // paths that answers come from until the next run, though their files are gone
let order = { by: "name", isUp: true };
let fault = () => {}, published = () => {};
let latest = null; // the upload or run that the line and the bar tell of; earlier ones go on in silence
const underWay = new Set(); // uploads and runs

export function begin(report, onPublished) {
  [fault, published] = [report, onPublished];
  takeFiles(drop, files, (some) => send(some, onPublished));
  search.addEventListener("input", draw);
  place.addEventListener("change", draw);
  chooseAll.addEventListener("change", () => chooseShown(chooseAll.checked));
  document.getElementById("ask-all").addEventListener("click", () => { chosen.clear(); scope = null; draw(); });
  for (const head of document.querySelectorAll("#view-documents [data-sort]")) head.addEventListener("click", () => sortBy(head.dataset.sort));
  readChanged.addEventListener("click", () => readThem().catch(report));
  document.getElementById("changes").addEventListener("toggle", (event) => { if (event.target.open) showChanges().catch(report); });
  new IntersectionObserver((seen) => { if (seen[0].isIntersecting) showMore(); }, { root: document.getElementById("view-documents"), rootMargin: "1000px" }).observe(document.getElementById("more-documents"));
}

// Calls `take` with the files that are dropped on `zone` or chosen in its `field`.
export function takeFiles(zone, field, take) {
  field.addEventListener("change", () => {
    const some = [...field.files];
    field.value = ""; // so that the same files can be chosen again
    take(some);
  });
  for (const name of ["dragover", "dragleave", "drop"]) {
    zone.addEventListener(name, (event) => {
      event.preventDefault();
      event.stopPropagation();
      zone.classList.toggle("over", name === "dragover");
      if (name === "drop") take([...event.dataTransfer.files]);
    });
  }
}

// What a question is asked of, as the server takes it; nothing where it is asked of all documents.
export function asked() {
  if (scope) return { [scope.kind]: scope.name };
  return chosen.size ? { document_ids: [...chosen] } : {};
}

export function showUnread() { document.querySelector("#document-rows .failed")?.scrollIntoView({ block: "center" }); }

export async function list() {
  const found = await json("/v1/documents");
  [rows, gone, mayChange] = [found.documents.map(withParts), found.gone, found.may_upload];
  form.hidden = !mayChange;
  files.accept = found.formats.join(",");
  const ids = new Set(rows.filter((row) => row.indexed).map((row) => row.document_id));
  for (const id of chosen) if (!ids.has(id)) chosen.delete(id);
  const option = (kind, name) => make("option", { value: `${kind} ${name}`, text: kind === "folder_id" ? `${name}/` : name, selected: place.value === `${kind} ${name}` });
  const paths = new Set(rows.map((row) => row.path)); // a file that holds others is no folder
  const folders = [...new Set(rows.flatMap((row) => row.folders))].filter((name) => !paths.has(name)).sort(), collections = [...new Set(rows.map((row) => row.collection).filter(Boolean))].sort();
  place.replaceChildren(make("option", { value: "", text: t("everywhere") }), ...folders.map((name) => option("folder_id", name)), ...collections.map((name) => option("collection_filter", name)));
  place.hidden = place.options.length < 2;
  draw();
  drawUnread();
  if (document.getElementById("changes").open) await showChanges();
}

function withParts(row) {
  const parts = (row.path || row.document_id || "").split("/");
  const kind = row.status === "parsed" && row.indexed ? "indexed" : row.is_left_out ? "left_out" : row.status;
  return { ...row, name: parts.at(-1), folders: parts.slice(0, -1).map((_, at) => parts.slice(0, at + 1).join("/")), kind, state: t(kind) };
}

function shown() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean), [kind, name] = [place.value.split(" ", 1)[0], place.value.slice(place.value.indexOf(" ") + 1)];
  const isThere = (row) => !place.value || (kind === "folder_id" ? row.folders.includes(name) : row.collection === name);
  return rows.filter((row) => isThere(row) && words.every((word) => `${row.path} ${row.title}`.toLowerCase().includes(word)));
}

function draw() {
  const value = { name: (row) => row.name.toLowerCase(), size: (row) => row.size_bytes ?? -1, date: (row) => row.modified_at ?? "", state: (row) => row.state }[order.by];
  sorted = shown().sort((a, b) => (value(a) < value(b) ? -1 : value(a) > value(b) ? 1 : 0) * (order.isUp ? 1 : -1));
  const focus = focusHeld(), drawn = Math.max(SHOWN_AT_ONCE, focus?.row + 1 || 0);
  body.replaceChildren(...sorted.slice(0, drawn).map(documentRow));
  if (!sorted.length) body.append(make("tr", {}, make("td", { colspan: "6", text: t(rows.length ? "no_match" : "empty") })));
  for (const head of document.querySelectorAll("#view-documents [data-sort]")) head.closest("th").setAttribute("aria-sort", head.dataset.sort !== order.by ? "none" : order.isUp ? "ascending" : "descending");
  giveFocus(focus);
  drawChosen();
}

// The rows that follow, as far as somebody has scrolled.
function showMore() { if (body.rows.length < sorted.length) body.append(...sorted.slice(body.rows.length, body.rows.length + SHOWN_AT_ONCE).map(documentRow)); }

// Which document and which cell of its row have the focus, which a list that is drawn anew would lose.
function focusHeld() {
  const cell = body.contains(document.activeElement) && document.activeElement.closest("td");
  return cell ? { key: cell.parentElement.dataset.key, row: cell.parentElement.rowIndex - 1, cell: cell.cellIndex } : null;
}

// Of a document that is gone, the one that follows has it.
function giveFocus(held) {
  if (!held) return;
  const row = [...body.rows].find((one) => one.dataset.key === held.key) ?? body.rows[Math.min(held.row, body.rows.length - 1)];
  (row.cells[held.cell]?.querySelector("button, input") ?? row.querySelector("button, input") ?? search).focus();
}

// What has changed in the folder waits for a run, which is offered unless one is under way.
function drawUnread() {
  const unread = rows.filter((row) => row.kind === "pending").length;
  const words = [unread && t(unread === 1 ? "read_one" : "read_some", { n: unread }), gone.length && t(gone.length === 1 ? "take_out_one" : "take_out_some", { n: gone.length })].filter(Boolean);
  readChanged.hidden = !mayChange || !words.length || underWay.size > 0;
  readChanged.textContent = words.join(" · ");
}

function drawChosen() {
  const askable = sorted.filter((row) => row.indexed);
  chooseAll.checked = askable.length > 0 && (isScope() || askable.every((row) => chosen.has(row.document_id)));
  chooseAll.disabled = !askable.length;
  tellChosen();
}

function sortBy(name) {
  order = { by: name, isUp: order.by === name ? !order.isUp : true };
  draw();
}

function isScope() { return Boolean(scope) && place.value === `${scope.kind} ${scope.name}` && !search.value.trim(); }

// What is taken out of a folder that is asked as a whole leaves the others of it.
function choose(row, isOn) {
  if (isScope()) for (const one of sorted) if (one.indexed) chosen.add(one.document_id);
  scope = null;
  isOn ? chosen.add(row.document_id) : chosen.delete(row.document_id);
  drawChosen();
}

// A whole folder or collection is asked by its name, so that what is added to it later is asked too.
function chooseShown(isOn) {
  const [kind, name] = [place.value.split(" ", 1)[0], place.value.slice(place.value.indexOf(" ") + 1)];
  scope = isOn && place.value && !search.value.trim() ? { kind, name } : null;
  for (const row of shown()) if (row.indexed) isOn && !scope ? chosen.add(row.document_id) : chosen.delete(row.document_id);
  draw();
}

function tellChosen() {
  const text = scope ? t("asking_in", { name: scope.name }) : chosen.size ? t(chosen.size === 1 ? "asking_one" : "asking", { n: chosen.size }) : "";
  for (const one of document.querySelectorAll(".asking")) {
    one.hidden = !text;
    say(one.querySelector("span"), text);
  }
}

// The same words again are no news to a screen reader.
function say(place, text) { if (place.textContent !== text) place.textContent = text; }

function documentRow(row) {
  const look = row.kind === "indexed" ? "fresh" : row.kind === "failed" || row.kind === "needs_ocr" ? "failed" : "";
  const words = row.reason && row.kind !== "left_out" ? `${row.state}: ${row.reason}` : row.state;
  const tick = row.indexed && make("input", { type: "checkbox", "aria-label": t("ask_this", { name: row.name }), checked: isScope() || chosen.has(row.document_id), onchange: (event) => choose(row, event.target.checked) });
  const name = row.indexed ? make("button", { type: "button", class: "link", text: row.name, onclick: () => openDocument(row.document_id) }) : row.name;
  const isTold = row.title && row.title !== row.path && row.title !== row.name.replace(/\.[^.]*$/, "");
  const details = [isTold && row.title, row.folders.at(-1), row.pages && t(row.pages === 1 ? "one_page" : "page_count", { n: row.pages })].filter(Boolean).join(" · ");
  return make("tr", { "data-key": keyOf(row) }, make("td", {}, tick), make("td", {}, name, details && make("div", { class: "faint", text: details })),
    make("td", { text: row.size_bytes === null ? "" : size(row.size_bytes) }), make("td", { text: row.modified_at ? day(row.modified_at) : "" }),
    make("td", { class: look, text: words }), make("td", {}, actionOf(row)));
}

function keyOf(row) { return row.path || row.document_id; }

function actionOf(row) {
  if (!mayChange || !row.path) return null;
  const word = row.is_left_out ? "include" : row.document_id && row.kind !== "left_out" ? (row.is_upload ? "delete" : "leave_out") : null;
  return word && make("button", { type: "button", text: t(word), "aria-label": `${t(word)}: ${row.name}`, onclick: () => (word === "include" ? includeDocument(row) : removeDocument(row)).catch(fault) });
}

// What was added, changed and removed lately, by the file names that are known.
async function showChanges() {
  const { changes } = await json("/v1/documents/changes"), names = new Map(rows.map((row) => [row.document_id, row.path || row.document_id]));
  const told = (word, ids) => ids.length && `${t(word)}: ${ids.slice(0, MOST_NAMED).map((id) => names.get(id) ?? id).join(", ")}${ids.length > MOST_NAMED ? t("and_more", { n: ids.length - MOST_NAMED }) : ""}`;
  const lines = changes.map((one) => make("li", {}, make("strong", { text: `${moment(one.made_at)} ` }), [told("added", one.added), told("changed_files", one.changed), told("removed", one.removed)].filter(Boolean).join(" · ")));
  document.getElementById("change-list").replaceChildren(...(lines.length ? lines : [make("li", { text: t("nothing_changed") })]));
}
const MOST_NAMED = 12;

function size(bytes) {
  const unit = bytes < 1e6 ? "kilobyte" : "megabyte", number = Math.max(0.1, bytes / { kilobyte: 1e3, megabyte: 1e6 }[unit]);
  return new Intl.NumberFormat(document.documentElement.lang, { style: "unit", unit, maximumFractionDigits: number < 10 ? 1 : 0 }).format(number);
}

export async function send(some, onPublished) {
  if (!some.length) return;
  const teller = newTeller();
  if (!form.contains(document.activeElement)) files.focus(); // the view that they were dropped on may be hidden now
  teller.say(t("uploading"));
  refusedFiles.replaceChildren();
  try {
    const { run, refused } = await upload(some, teller.share);
    if (refused.length) refusedFiles.replaceChildren(make("p", { text: t("not_stored") }), make("ul", {}, ...refused.map((one) => make("li", { text: one.reason }))));
    await follow(run, onPublished, teller);
  } catch (error) {
    teller.say(error.message || t("offline"));
    await list().catch(fault);
  } finally {
    teller.end();
  }
}

// What tells how far an upload or a run is, until a later one does.
function newTeller() {
  const own = latest = {}, ifLatest = (tell) => (value) => { if (own === latest) tell(value); };
  underWay.add(own);
  drawUnread();
  bar.hidden = false;
  const end = () => {
    if (own === latest) bar.hidden = true;
    underWay.delete(own);
    drawUnread();
  };
  return { say: ifLatest((text) => say(state, text)), share: ifLatest((share) => { share === null ? bar.removeAttribute("value") : bar.value = share; }), end };
}

// Documents are searchable a little before the run ends, which tries questions that it suggests.
async function follow(run, onPublished, teller) {
  await list();
  teller.share(null);
  let isTold = false;
  for (;;) {
    const hasEnded = run.status === "succeeded" || run.status === "failed";
    if (run.status === "failed" && !isTold) teller.say(`${t("run_failed")}: ${run.messages.at(-1) ?? ""}`);
    else if (isTold || run.searchable_at) teller.say(t("done"));
    else teller.say(run.status === "queued" ? t("queued") : progressOf(run));
    if (hasEnded || (run.searchable_at && !isTold)) {
      isTold = true;
      await list();
      teller.end();
      if (run.searchable_at) onPublished();
    }
    if (hasEnded) return;
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
    run = await json(`/v1/runs/${run.run_id}`);
  }
}

// Reading documents comes first, and tells how far it is; the rest makes them searchable.
function progressOf({ stages, messages }) {
  if (stages.length && !READING.includes(stages.at(-1))) return t("making_searchable");
  const counted = /^\s*(\d+) of (\d+)/.exec(messages.at(-1) ?? "");
  return counted ? t("reading_of", { n: counted[1], all: counted[2] }) : t("running");
}
const READING = ["source_files", "documents"];

async function removeDocument(row) {
  if (row.is_upload && !confirm(t("delete_upload", { name: row.path }))) return;
  await changed(await json(`/v1/documents/${encodeURIComponent(row.document_id)}`, { method: "DELETE" }));
}

async function includeDocument(row) { await changed(await json("/v1/documents/included", { method: "POST", body: { path: row.path } })); }

async function readThem() {
  const run = await json("/v1/runs", { method: "POST" });
  files.focus(); // the button is hidden now
  await changed({ run });
}

async function changed({ run }) {
  const teller = newTeller();
  try { await follow(run, published, teller); } finally { teller.end(); }
}
