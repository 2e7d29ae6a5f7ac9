// The document beside an answer: its pages or its text, opened at a place that is marked, with the file itself.
import { blob, json } from "./api.js";
import { make, passageNodes } from "./elements.js";
import { day, t } from "./words.js";

const panel = document.getElementById("document-panel");
const heading = document.getElementById("document-title");
const facts = document.getElementById("document-facts");
const said = document.getElementById("document-said"); // for a screen reader
const tools = document.getElementById("document-tools");
const body = document.getElementById("document-body");
const SVG = "http://www.w3.org/2000/svg";
const MOST_KEPT = 24, FEWEST_HEADINGS = 3;
const OPENED_BY_BROWSER = ["application/pdf", "image/png", "image/jpeg", "image/gif", "image/webp"];
const kept = new Map(); // of requests that were made last, by path: a page that was shown is there at once
let current = null; // the place that is shown
let opener = null; // what had the focus before
let report = () => {};

export function begin(onFault) {
  report = onFault;
  document.getElementById("document-close").addEventListener("click", leave);
  panel.addEventListener("keydown", (event) => { if (event.key === "Escape") leave(); });
  addEventListener("popstate", () => showAddressed().catch(report));
}

// The place in the address of the page: that of a link, of the back button and of a citation in another client.
export async function showAddressed() {
  const asked = new URLSearchParams(location.hash.slice(1)), nodeId = asked.get("node");
  if (!nodeId) return close();
  const [start, end] = ["start", "end"].map((name) => Number(asked.get(name)) || null);
  const node = await once(`/v1/nodes/${encodeURIComponent(nodeId)}`);
  await show({ nodeId, documentId: node.document_id, page: Number(asked.get("page")) || node.page, start, end });
}

export function openSource(source) {
  prepare([source]);
  const words = source.marked ? [...source.quote].slice(...source.marked).join("") : null;
  return open({ nodeId: source.chunk_id, documentId: source.document_id, page: source.page_number, start: source.char_start, end: source.char_end, words });
}

export function openDocument(documentId) { return open({ documentId, page: 1 }); }

// The first sources of an answer are fetched and drawn before anybody opens them.
export function prepare(sources) {
  for (const one of sources) {
    once(textPath(one.document_id)).catch(() => {});
    if (one.box && one.page_number) once(pagePath(placeOf(one), one.page_number), pageElement).catch(() => {});
  }
}

function placeOf(source) { return { nodeId: source.chunk_id, documentId: source.document_id, start: source.char_start, end: source.char_end }; }

function open(place) {
  if (!panel.contains(document.activeElement)) opener = document.activeElement;
  const values = { node: place.nodeId, page: place.page, start: place.start, end: place.end };
  const named = Object.entries(values).filter(([, value]) => value !== null && value !== undefined);
  if (place.nodeId) history.pushState(null, "", `#${new URLSearchParams(named)}`);
  return show(place).catch((error) => { report(error); close(); });
}

function leave() {
  history.replaceState(null, "", location.pathname);
  close();
}

function close() {
  if (panel.hidden) return;
  panel.hidden = true;
  current = null;
  (opener?.checkVisibility() ? opener : document.querySelector("nav [aria-current]")).focus();
}

async function show(place) {
  current = place;
  panel.hidden = false;
  panel.setAttribute("aria-busy", "true");
  heading.textContent = t("opening");
  facts.replaceChildren();
  tools.replaceChildren();
  said.textContent = "";
  body.replaceChildren(make("div", { class: "placeholder" }));
  panel.focus({ preventScroll: true });
  opener?.scrollIntoView({ block: "nearest" }); // what was clicked stays in sight, though it is narrower now
  const found = await once(textPath(place.documentId));
  if (current !== place) return;
  panel.removeAttribute("aria-busy");
  heading.textContent = found.name;
  if (panel.contains(document.activeElement)) heading.focus({ preventScroll: true });
  const isNamed = found.name.replace(/\.[^.]*$/, "") === found.title;
  const pages = found.pages && t(found.pages === 1 ? "one_page" : "page_count", { n: found.pages });
  const told = [!isNamed && found.title, pages, found.modified_at && t("changed_on", { day: day(found.modified_at) })];
  facts.replaceChildren(told.filter(Boolean).join(" · "), ...fileButtons(found), ...attachmentButtons(found));
  if (found.has_page_images && place.page) showPage(found, place, place.page);
  else showText(found, place);
}

function fileButtons(found) {
  if (!found.modified_at) return [];
  const path = `/v1/documents/${encodeURIComponent(found.document_id)}/file`;
  const save = (isOpened) => async () => {
    try {
      const content = await blob(path), address = URL.createObjectURL(content);
      if (isOpened && OPENED_BY_BROWSER.includes(content.type)) window.open(address, "_blank");
      else make("a", { href: address, download: found.name }).click();
      setTimeout(() => URL.revokeObjectURL(address), 60000);
    } catch (error) { report(error); }
  };
  const buttons = [make("button", { type: "button", text: t("download"), onclick: save(false) })];
  if (found.has_page_images) buttons.unshift(make("button", { type: "button", text: t("open_file"), onclick: save(true) }));
  return buttons;
}

function attachmentButtons(found) {
  const named = (one, word) => make("button", { type: "button", text: `${t(word)}: ${one.name}`, onclick: () => openDocument(one.document_id) });
  return [...(found.attached_to ? [named(found.attached_to, "attached_to")] : []), ...found.attachments.map((one) => named(one, "attachment"))];
}

function showText(found, place) {
  const button = found.has_page_images && make("button", { type: "button", text: t("as_pages"), onclick: () => showPage(found, place, place.page ?? 1) });
  drawTools(button, outline(found, place));
  const nodes = [];
  let page = null, marked = null;
  for (const part of found.parts) {
    if (part.page && part.page !== page) nodes.push(make("p", { class: "page-number", text: `${t("page")} ${part.page}` }));
    page = part.page ?? page;
    const isPlace = part.node_id === place.nodeId || Boolean(place.nodeId?.startsWith(`${part.node_id}:s`) && part.kind === "paragraph");
    const node = part.kind === "section"
      ? make(`h${Math.min(6, part.level + 2)}`, { class: "part", text: part.text })
      : make("div", { class: "part" }, ...passageNodes(part.text, isPlace ? marksOf(part, place) : {}));
    if (isPlace) { node.classList.add("is-place"); marked = node.querySelector("mark, tr.marked") ?? node; }
    nodes.push(node);
  }
  body.replaceChildren(...nodes);
  panel.scrollTop = body.scrollTop = 0;
  marked?.scrollIntoView({ block: "center" });
}

// The headings of a document with what stands first below each, where there are some; each leads there.
function outline(found, place) {
  const sections = found.parts.map((part, at) => ({ part, first: found.parts[at + 1] })).filter(({ part }) => part.kind === "section" && part.text.trim());
  if (sections.length < FEWEST_HEADINGS) return null;
  const goTo = (part) => (found.has_page_images && part.page ? showPage(found, place, part.page) : showText(found, { ...place, nodeId: part.node_id, start: null, end: null }));
  return make("details", { class: "outline" }, make("summary", { text: t("contents") }), make("ol", {}, ...sections.map(({ part, first }) =>
    make("li", {}, make("button", { type: "button", class: "link", text: part.text, onclick: () => goTo(part) }), first?.kind === "paragraph" && make("span", { class: "faint", text: ` ${beginning(first.text)}` })))));
}

function beginning(text) {
  const line = text.split("\n").find((one) => one.trim() && !/^\s*\|/.test(one)) ?? "";
  return line.length > 140 ? `${line.slice(0, 139)}…` : line;
}

// Offsets count code points. The words that answer are looked for in the lines of the quote.
function marksOf(part, { start, end, words }) {
  if (start === null || start === undefined || !end) return {};
  const signs = [...part.text];
  const first = signs.lastIndexOf("\n", start - 1) + 1, after = signs.indexOf("\n", end - 1);
  const line = signs.slice(first, after < 0 ? signs.length : after).join("");
  const place = words ? line.search(new RegExp(`(?<![\\p{L}\\p{N}])${words.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}(?![\\p{L}\\p{N}])`, "u")) : -1;
  const before = first + [...line.slice(0, Math.max(0, place))].length;
  return { mark: [start, end], bold: place < 0 ? null : [before, before + [...words].length] };
}

async function showPage(found, place, number) {
  const goTo = (to) => make("button", { type: "button", text: to < number ? "‹" : "›", "aria-label": t(to < number ? "page_before" : "page_after"), disabled: to < 1 || to > found.pages, onclick: () => showPage(found, place, to) });
  said.textContent = t("page_of", { n: number, all: found.pages });
  drawTools(goTo(number - 1), make("span", { "aria-hidden": "true", text: said.textContent }), goTo(number + 1),
    make("button", { type: "button", text: t("as_text"), onclick: () => showText(found, { ...place, page: number }) }), outline(found, place));
  body.replaceChildren(make("div", { class: "placeholder", text: t("drawing") }));
  panel.scrollTop = body.scrollTop = 0;
  try {
    const drawn = await once(pagePath(place, number), pageElement);
    if (current !== place) return;
    drawn.querySelector("img").alt = `${found.name}, ${t("page")} ${number}`;
    body.replaceChildren(drawn);
    drawn.querySelector("rect")?.scrollIntoView({ block: "center" });
  } catch { if (current === place) showText({ ...found, has_page_images: false }, place); }
}

// Who turned the page by a button keeps it; where it is gone, what it led to has the focus.
function drawTools(...nodes) {
  const nameOf = (one) => one.getAttribute("aria-label") ?? one.textContent;
  const held = tools.contains(document.activeElement) ? nameOf(document.activeElement) : null;
  tools.replaceChildren(...nodes.filter(Boolean));
  if (held !== null) ([...tools.querySelectorAll(":scope > button:enabled")].find((one) => nameOf(one) === held) ?? body).focus({ preventScroll: true });
}

// An image of a known size has its height before it is loaded.
function pageElement(page) {
  const bytes = Uint8Array.from(atob(page.webp_base64), (letter) => letter.charCodeAt(0));
  const address = URL.createObjectURL(new Blob([bytes], { type: "image/webp" }));
  const image = make("img", { src: address, onload: () => URL.revokeObjectURL(address), width: Math.round(page.width), height: Math.round(page.height) });
  const drawing = document.createElementNS(SVG, "svg");
  drawing.setAttribute("viewBox", `0 0 ${page.width} ${page.height}`);
  drawing.setAttribute("preserveAspectRatio", "none");
  drawing.setAttribute("aria-hidden", "true");
  for (const [x0, y0, x1, y1] of page.boxes) {
    const box = document.createElementNS(SVG, "rect");
    const sides = { x: x0 - 2, y: y0 - 2, width: x1 - x0 + 4, height: y1 - y0 + 4 };
    for (const [name, value] of Object.entries(sides)) box.setAttribute(name, value);
    drawing.append(box);
  }
  return make("div", { class: "page" }, image, drawing);
}

function textPath(documentId) { return `/v1/documents/${encodeURIComponent(documentId)}/text`; }

function pagePath({ documentId, nodeId, start, end }, number) {
  const quoted = start !== null && start !== undefined && end ? `&start=${start}&end=${end}` : "";
  return `/v1/documents/${encodeURIComponent(documentId)}/pages/${number}${nodeId ? `?node=${encodeURIComponent(nodeId)}${quoted}` : ""}`;
}

// What is at a path, or what `used` makes of it, requested once.
function once(path, used = (found) => found) {
  const found = kept.get(path) ?? json(path).then(used);
  kept.delete(path);
  kept.set(path, found);
  found.catch(() => kept.delete(path));
  if (kept.size > MOST_KEPT) kept.delete(kept.keys().next().value);
  return found;
}

// After a refresh documents may be others.
export function forget() { kept.clear(); }
