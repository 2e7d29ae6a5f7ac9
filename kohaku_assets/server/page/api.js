// Requests to the server, with the key where one is needed.
let key = null;
try { key = sessionStorage.getItem("kohaku.key"); } catch { /* a private window forgets it */ }
let askForKey = async () => null;

export function onKeyNeeded(ask) { askForKey = ask; }
export function hasKey() { return key !== null; }

export function setKey(value) {
  key = value || null;
  try { value ? sessionStorage.setItem("kohaku.key", value) : sessionStorage.removeItem("kohaku.key"); } catch { /* as above */ }
}

export class Refused extends Error {
  constructor(status, detail) { super(detail); this.status = status; }
}

export async function request(path, { method = "GET", body, form, headers = {}, signal } = {}) {
  const all = { "Accept-Language": document.documentElement.lang, ...headers };
  if (key) all.Authorization = `Bearer ${key}`;
  if (body !== undefined) all["Content-Type"] = "application/json";
  const response = await fetch(path, { method, headers: all, body: form ?? (body === undefined ? undefined : JSON.stringify(body)), signal });
  if (response.status === 401) {
    const given = await askForKey();
    if (given) { setKey(given); return request(path, { method, body, form, headers, signal }); }
  }
  if (!response.ok) throw new Refused(response.status, await problemText(response));
  return response;
}

export async function json(path, options) {
  const response = await request(path, options);
  return response.status === 204 ? null : response.json();
}

export async function blob(path) { return (await request(path)).blob(); }

export async function* events(path, body, signal) {
  const response = await request(path, { method: "POST", body, headers: { Accept: "text/event-stream" }, signal });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let waiting = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    waiting += value;
    for (let end = waiting.indexOf("\n\n"); end >= 0; end = waiting.indexOf("\n\n")) {
      const found = parsed(waiting.slice(0, end));
      waiting = waiting.slice(end + 2);
      if (found) yield found;
    }
  }
}

export function upload(files, onProgress) {
  const form = new FormData();
  for (const file of files) form.append("file", file);
  return new Promise((resolve, reject) => {
    const sending = new XMLHttpRequest();
    sending.open("POST", "/v1/documents");
    sending.setRequestHeader("Accept-Language", document.documentElement.lang);
    if (key) sending.setRequestHeader("Authorization", `Bearer ${key}`);
    sending.upload.onprogress = (at) => onProgress(at.total ? at.loaded / at.total : 0);
    sending.onerror = () => reject(new Refused(0, ""));
    sending.onload = () => {
      const reply = parseJson(sending.responseText);
      sending.status === 201 ? resolve(reply) : reject(new Refused(sending.status, reply?.detail ?? sending.statusText));
    };
    sending.send(form);
  });
}

function parsed(text) {
  const event = /^event: (.*)$/m.exec(text);
  const data = /^data: (.*)$/m.exec(text);
  return event && data ? { name: event[1], data: JSON.parse(data[1]) } : null;
}

async function problemText(response) { return parseJson(await response.text())?.detail ?? response.statusText; }
function parseJson(text) { try { return JSON.parse(text); } catch { return null; } }
