// Administration: index versions with roll back, usage, keys, settings at run time.
import { json } from "./api.js";
import { fill, make, table } from "./elements.js";
import * as reviews from "./reviews.js";
import { moment, t } from "./words.js";

let fault = () => {};
export function begin(report) {
  fault = report;
  document.getElementById("setting-form").addEventListener("submit", (event) => {
    event.preventDefault();
    const text = document.getElementById("setting-value").value.trim();
    change(document.getElementById("setting-key").value, parsedValue(text)).catch(report);
  });
}

export async function show(me) {
  document.getElementById("own-index").hidden = !me.owns_index;
  const dagster = document.getElementById("dagster");
  dagster.hidden = !me.dagster_url;
  if (me.dagster_url) dagster.firstElementChild.href = me.dagster_url;
  const own = me.owns_index ? [showVersions(), reviews.show(fault)] : [];
  await Promise.all([...own, showUsage(), showKeys(), showSettings()]);
}

async function showVersions() {
  const { versions } = await json("/v1/index/versions");
  const rows = versions.map((one) => [one.version, moment(one.built_at), one.rows,
    one.current ? t(one.pinned ? "pinned" : "current") : make("button", { type: "button", text: t("publish"), onclick: () => publish({ version: one.version }) })]);
  const back = versions.length > 1 ? make("button", { type: "button", id: "roll-back", text: t("roll_back"), onclick: () => publish({ roll_back: true }) }) : null;
  const free = versions.some((one) => one.pinned) ? make("button", { type: "button", id: "unpin", text: t("unpin"), onclick: () => publish({ unpin: true }) }) : null;
  const actions = [back, free].filter(Boolean);
  fill(document.getElementById("versions"), table([t("version"), t("built"), t("rows"), ""], rows), ...actions);
}

async function publish(body) {
  try { await json("/v1/index/published", { method: "PUT", body }); } catch (error) { fault(error); }
  await showVersions();
}

async function showUsage() {
  const usage = await json("/v1/usage");
  const names = { questions: "questions", answered: "answered", cached: "cached", rated_good: "rated_good", rated_bad: "rated_bad", cost_usd: "cost" };
  fill(document.getElementById("usage"), table([t("name"), t("value")], Object.entries(names).map(([name, word]) => [t(word), usage[name]])));
}

async function showKeys() {
  const { keys } = await json("/v1/keys");
  const rows = keys.map((one) => [one.name, one.org_id, one.role, moment(one.last_used_at),
    one.revoked_at ? "–" : make("button", { type: "button", text: t("revoke"), "aria-label": `${t("revoke")}: ${one.name}`, onclick: () => revoke(one) })]);
  fill(document.getElementById("keys"), table([t("name"), t("org"), t("role"), t("used"), ""], rows));
}

async function revoke(one) {
  await json(`/v1/keys/${one.key_id}`, { method: "DELETE" });
  await showKeys();
}

async function showSettings() {
  const { settings } = await json("/v1/settings");
  const choose = document.getElementById("setting-key");
  if (!choose.options.length) choose.append(...settings.map((one) => make("option", { text: one.key })));
  const changed = settings.filter((one) => one.is_runtime);
  fill(document.getElementById("settings"), table([t("setting"), t("value"), t("from"), ""], changed.map((one) => [one.key, JSON.stringify(one.value), one.place,
    make("button", { type: "button", text: t("drop_value"), "aria-label": `${t("drop_value")}: ${one.key}`, onclick: () => change(one.key, null) })])));
}

async function change(key, value) {
  await json("/v1/settings", { method: "PUT", body: { values: { [key]: value } } });
  await showSettings();
}

function parsedValue(text) { try { return JSON.parse(text); } catch { return text; } }
