// The dialog that tells how an answer came about.
import { json } from "./api.js";
import { make, table } from "./elements.js";
import { t } from "./words.js";

const dialog = document.getElementById("viewer");
const body = document.getElementById("viewer-body");
const BOLD = /\*\*([^*\n]+)\*\*/g;
dialog.querySelector(".close").addEventListener("click", () => dialog.close());

function open(title, ...children) {
  document.getElementById("viewer-title").textContent = title;
  body.replaceChildren(...children);
  dialog.showModal();
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
    ...heading("claims", (why.trace.claims ?? []).map((one) => `${one.supported ? "✓" : "✗"} ${t(one.supported ? "supported" : "unsupported")}: ${one.text.replace(BOLD, "$1")}`)),
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
