// The dialog that shows a page with a box, the passage of a text, or how an answer came about.
import { json } from "./api.js";
import { make, passageNodes, table } from "./elements.js";
import { t } from "./words.js";

const dialog = document.getElementById("viewer");
const body = document.getElementById("viewer-body");
const SVG = "http://www.w3.org/2000/svg";
dialog.querySelector(".close").addEventListener("click", () => dialog.close());

function open(title, ...children) {
  document.getElementById("viewer-title").textContent = title;
  body.replaceChildren(...children);
  dialog.showModal();
}

export async function showNode(nodeId, cited) {
  const node = await json(`/v1/nodes/${encodeURIComponent(nodeId)}`);
  const number = cited ?? node.page;  // a passage may go on over several pages
  const title = number ? `${node.document_title}, ${t("page")} ${number}` : node.document_title;
  const passage = make("div", { class: "passage" }, ...passageNodes(node.text));
  open(title, passage);
  if (!number) return;
  try {
    const path = `/v1/documents/${encodeURIComponent(node.document_id)}/pages/${number}?node=${encodeURIComponent(nodeId)}`;
    const page = await json(path);
    if (passage.isConnected && dialog.open) passage.before(pageElement(page, title));  // else it was closed meanwhile
  } catch { /* the format has no page images: the passage is shown */ }
}

function pageElement(page, title) {
  const bytes = Uint8Array.from(atob(page.webp_base64), (letter) => letter.charCodeAt(0));
  const address = URL.createObjectURL(new Blob([bytes], { type: "image/webp" }));
  const image = make("img", { src: address, alt: title, onload: () => URL.revokeObjectURL(address) });
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
  image.addEventListener("load", () => drawing.firstElementChild?.scrollIntoView({ block: "center" }));
  return make("div", { class: "page" }, image, drawing);
}

export async function showDocument(row) {
  const found = await json(`/v1/documents/${encodeURIComponent(row.document_id)}/text`);
  open(found.title, ...found.parts.map((part) => part.kind === "section" ? make("h3", { class: "part", text: part.text }) : make("div", { class: "part" }, ...passageNodes(part.text))));
}

export async function showWhy(answerId) {
  const why = await json(`/v1/answers/${encodeURIComponent(answerId)}`);
  const channels = [...new Set(why.ranking.flatMap((one) => Object.keys(one.ranks)))];
  const ranks = why.ranking.map((one) => [one.text.slice(0, 160), ...channels.map((name) => one.ranks[name]), one.score.toFixed(3)]);
  const lost = Object.entries(why.trace.lost_channels ?? {}).map(([name, reason]) => `${name}: ${reason}`);
  const left = [...why.dropped.map((one) => (typeof one === "string" ? one : JSON.stringify(one))), ...lost];
  open(
    t("why"),
    fact("understood", why.question),
    fact("searched", (why.trace.queries ?? []).join("; ")),
    ...heading("claims", (why.trace.claims ?? []).map((one) => `${one.supported ? "✓" : "✗"} ${t(one.supported ? "supported" : "unsupported")}: ${one.text}`)),
    make("h3", { text: t("ranks") }),
    make("div", { class: "scroll", tabindex: "0" }, table([t("source", { n: "" }).trim(), ...channels, "Σ"], ranks)),
    ...heading("dropped", left),
    make("h3", { text: t("times") }),
    table(["", "ms"], Object.entries(why.timings_ms).map(([name, ms]) => [name, ms.toFixed(1)])),
    fact("version", `${why.index_version ?? "–"}${why.cached ? ` (${t("from_memory")})` : ""}`),
  );
}

function fact(name, text) { return make("p", {}, make("strong", { text: `${t(name)}: ` }), text || "–"); }

function heading(name, lines) {
  return lines.length ? [make("h3", { text: t(name) }), make("ul", {}, ...lines.map((text) => make("li", { text })))] : [];
}
