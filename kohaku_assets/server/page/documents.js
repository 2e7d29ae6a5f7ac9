// Documents: listed with their states, dropped or chosen, followed until they are searchable.
import { json, upload } from "./api.js";
import { make } from "./elements.js";
import { openDocument } from "./document_panel.js";
import { t } from "./words.js";

const form = document.getElementById("upload");
const files = document.getElementById("files");
const drop = document.getElementById("drop");
const state = document.getElementById("upload-state");
const bar = document.getElementById("upload-progress");
const EVERY_MS = 1000;

export function begin(report, onPublished) { takeFiles(drop, files, (chosen) => send(chosen, report, onPublished)); }

// Calls `take` with the files that are dropped on `zone` or chosen in its `field`.
export function takeFiles(zone, field, take) {
  field.addEventListener("change", () => take([...field.files]));
  for (const name of ["dragover", "dragleave", "drop"]) {
    zone.addEventListener(name, (event) => {
      event.preventDefault();
      zone.classList.toggle("over", name === "dragover");
      if (name === "drop") take([...event.dataTransfer.files]);
    });
  }
}

export function showUnread() { document.querySelector("#document-rows .failed")?.scrollIntoView({ block: "center" }); }

export async function list() {
  const { documents, formats, may_upload: mayUpload } = await json("/v1/documents");
  form.hidden = !mayUpload;
  files.accept = formats.join(",");
  const rows = documents.length ? documents.map((row) => documentRow(row, mayUpload)) : [make("tr", {}, make("td", { colspan: "4", text: t("empty") }))];
  document.getElementById("document-rows").replaceChildren(...rows);
}

function documentRow(row, mayDelete) {
  const kind = row.status === "parsed" && row.indexed ? "indexed" : row.status;
  const look = kind === "indexed" ? "fresh" : kind === "failed" || kind === "needs_ocr" ? "failed" : "";
  const words = row.reason ? `${t(kind)}: ${row.reason}` : t(kind);
  const show = row.indexed && make("button", { type: "button", text: t("show"), "aria-label": `${t("show")}: ${row.title}`, onclick: () => openDocument(row.document_id) });
  const remove = mayDelete && row.path && row.document_id && make("button", { type: "button", text: t("delete"), "aria-label": `${t("delete")}: ${row.title}`, onclick: () => removeDocument(row) });
  return make("tr", {},
    make("td", { text: row.title || row.path || row.document_id }), make("td", { text: row.pages ?? "" }),
    make("td", { class: look, text: words }), make("td", {}, show || null, " ", remove || null));
}

export async function send(chosen, report, onPublished) {
  if (!chosen.length) return;
  bar.hidden = false;
  state.textContent = t("uploading");
  try {
    const { run } = await upload(chosen, (share) => { bar.value = share; });
    files.value = "";
    await follow(run, onPublished);
  } catch (error) {
    state.textContent = error.message || t("offline");
    report(error);
  } finally {
    bar.hidden = true;
  }
}

async function follow(run, onPublished) {
  await list();
  bar.removeAttribute("value");
  while (run.status === "queued" || run.status === "running") {
    state.textContent = run.stages.length ? `${t("running")}: ${run.stages.at(-1)}` : t(run.status);
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
    run = await json(`/v1/runs/${run.run_id}`);
  }
  state.textContent = run.status === "succeeded" ? t("done") : `${t("run_failed")}: ${run.messages.at(-1) ?? ""}`;
  await list();
  if (run.status === "succeeded") onPublished();
}

async function removeDocument(row) {
  if (!confirm(t(row.is_upload ? "delete_upload" : "leave_out", { name: row.path }))) return;
  const { run } = await json(`/v1/documents/${encodeURIComponent(row.document_id)}`, { method: "DELETE" });
  bar.hidden = false;
  try { await follow(run, () => {}); } finally { bar.hidden = true; }
}
