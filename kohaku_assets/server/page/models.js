// A language model on this machine: what it is, what it changes, a question to try it on, and the way back.
import { json } from "./api.js";
import { make } from "./elements.js";
import { t } from "./words.js";

const SECOND_MS = 1000, GIGABYTE = 1e9;

// Fills `place` for whoever may choose what answers; `question` is one to try a model on.
export async function showModels(place, { inUse, mayChoose, onChange, report }, question) {
  if (inUse) return place.replaceChildren(...wayBack(inUse, onChange, report));
  if (!mayChoose) return undefined;
  const { models } = await json("/v1/local-models");
  if (models.length) place.replaceChildren(...offer(models, question, onChange, report));
  return undefined;
}

function offer(models, question, onChange, report) {
  const choice = make("select", { "aria-label": t("model") }, ...models.map((one, at) => make("option", { value: String(at), text: told(one) })));
  const chosen = () => models[Number(choice.value)];
  const field = make("input", { "aria-label": t("question"), value: question ?? "", placeholder: t("question"), maxlength: "4000", required: true });
  const results = make("div", { role: "status" });
  const attempt = (event) => { event.preventDefault(); tryOn(chosen(), field.value.trim(), results).catch(report); };
  const take = () => answerWith(chosen(), onChange).catch(report);
  return [
    make("h3", { text: t("model_found") }), make("p", { text: t("model_changes") }), choice,
    make("form", { class: "correction", onsubmit: attempt }, field, make("button", { text: t("try_model") })), results,
    make("button", { type: "button", text: t("take_model"), onclick: take }),
  ];
}

function told({ name, server, size_bytes: bytes }) { return `${name} (${[server, bytes && `${(bytes / GIGABYTE).toFixed(1)} GB`].filter(Boolean).join(", ")})`; }

// The same question to the built-in reader and to the model, each shown as it comes, with its time.
async function tryOn(model, question, results) {
  if (!question) return;
  const shown = [["the built-in reader", "/v1/answers", { question }], [model.name, "/v1/local-models/tried", { ...named(model), question }]].map(([name, path, body]) => {
    const answer = make("p", { text: t("trying") });
    return { part: make("div", {}, make("strong", { text: t(name) }), answer), fill: async () => {
      const began = performance.now();
      try { answer.textContent = `${answerText(await json(path, { method: "POST", body }))} (${((performance.now() - began) / SECOND_MS).toFixed(1)} s)`; } catch (error) { answer.textContent = error.message || t("offline"); }
    } };
  });
  results.replaceChildren(...shown.map(({ part }) => part));
  for (const { fill } of shown) await fill(); // one after the other, so that each has the processor
}

function answerText({ answer, passages = [], error, warning }) { return [answer || passages[0]?.text || t("silent"), error, warning].filter(Boolean).join(" · "); }

function named({ name, base_url, digest }) { return { name, base_url, digest }; }

async function answerWith(model, onChange) {
  await json("/v1/local-models/chosen", { method: "PUT", body: named(model) });
  await onChange(t("answers_now", { name: model.name }));
}

function wayBack(name, onChange, report) {
  const back = async () => {
    await json("/v1/local-models/chosen", { method: "DELETE" });
    await onChange(t("reader_answers_now"));
  };
  return [make("p", { class: "faint", text: t("model_answers", { name }) }), make("button", { type: "button", text: t("reader_again"), onclick: () => back().catch(report) })];
}
