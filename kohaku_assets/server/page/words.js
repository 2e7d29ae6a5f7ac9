// The words of the page in English and German; elements name theirs by data-t.
const WORDS = {
  en: {
    skip: "Skip to the question", views: "Views", ask: "Ask", documents: "Documents", admin: "Administration", theme: "Colours",
    key: "Key", conversations: "Conversations", new: "New conversation", messages: "Messages", question: "Your question",
    placeholder: "Ask your documents", level: "Level", level_default: "as set", level_basic: "basic", level_standard: "standard",
    level_enhanced: "enhanced", level_maximum: "maximum", collection: "Collection", folder: "Folder", send: "Ask",
    drop: "Drop files here, or choose some", document: "Document", pages: "Pages", state: "State", actions: "Actions",
    versions: "Index versions", usage: "Usage", keys: "Keys", settings: "Settings that change while it runs", setting: "Setting",
    value: "Value", set: "Set", close: "Close", key_title: "Your key", use: "Use", other_language: "Deutsch", other_code: "de",
    key_text: "This server needs a key. It is kept until you close this tab.",
    searching: "Searching the documents", answering: "Writing the answer", stop: "Stop", stopped: "Stopped.", rate: ", about {n} tokens a second", why: "Why this answer", good: "Right", bad: "Wrong",
    thanks: "Noted, thank you.", correction: "What would be right?", send_correction: "Send", sources: "Sources",
    high: "high", medium: "medium", low: "low", confidence: "Confidence", by: "by {name}",
    passage: "This passage comes closest:", silent: "The documents do not say.",
    conflicts: "The documents contradict each other.", missing: "Not found", from_memory: "from memory", page: "page",
    source: "Source {n}", delete: "Delete", delete_upload: "Delete “{name}”? It goes to the trash, where it is kept for 30 days.", leave_out: "Leave “{name}” out of the answers? The file itself stays where it is; “kohaku documents --include” takes it in again.", show: "Show", indexed: "searchable", pending: "waiting for the next run",
    parsed: "read, not published", failed: "failed", needs_ocr: "needs OCR", no_file: "no file", left_out: "left out", understood: "Understood as", searched: "Searched for", claims: "Claims",
    supported: "supported", unsupported: "not supported", ranks: "Ranks by channel", times: "Times", dropped: "Left out", version: "Index version",
    uploading: "Uploading", queued: "The run waits", running: "Indexing", done: "Done: you can ask now.", run_failed: "The run failed", empty: "There is no document yet.",
    no_index: "There is no index yet. Put documents into the folder of corpus.documents and run 'kohaku refresh', or upload some under Documents.",
    offline: "The server does not answer.", hello: "What would you like to know?", answer_with: "Answer with {name} ({server})", answers_now: "{name} answers from now on, and stands in kohaku.toml.", current: "published", publish: "Publish", roll_back: "Roll back",
    built: "Built", rows: "Rows", name: "Name", role: "Role", org: "Organisation", used: "Last used", from: "From", revoke: "Revoke",
    questions: "Questions", answered: "answered", cached: "from memory", rated_good: "judged right", rated_bad: "judged wrong", cost: "Cost in US dollars", drop_value: "Drop",
    pinned: "published, pinned", unpin: "Unpin: publish the newest", dagster: "Runs, assets and checks in Dagster", reviews: "Questions to look at",
    question_asked: "Question", answer: "Answer", reason: "Why", asked: "Asked", accept: "Accept", dismiss: "Dismiss", cancel: "Cancel", unit: "Unit",
    nothing_to_review: "There is nothing to look at.", truth_sources: "Ids of the documents that say so, separated by commas",
    corrected: "corrected", "thumbs down": "judged wrong", unanswered: "unanswered", "low confidence": "low confidence", "new topic": "new topic",
  },
  de: {
    skip: "Zur Frage springen", views: "Ansichten", ask: "Fragen", documents: "Dokumente", admin: "Verwaltung", theme: "Farben",
    key: "Schlüssel", conversations: "Gespräche", new: "Neues Gespräch", messages: "Nachrichten", question: "Ihre Frage",
    placeholder: "Fragen Sie Ihre Dokumente", level: "Stufe", level_default: "wie eingestellt", level_basic: "einfach", level_standard: "normal",
    level_enhanced: "gründlich", level_maximum: "am gründlichsten", collection: "Sammlung", folder: "Ordner", send: "Fragen",
    drop: "Dateien hierher ziehen oder auswählen", document: "Dokument", pages: "Seiten", state: "Stand", actions: "Aktionen",
    versions: "Fassungen des Index", usage: "Nutzung", keys: "Schlüssel", settings: "Einstellungen im laufenden Betrieb", setting: "Einstellung",
    value: "Wert", set: "Setzen", close: "Schließen", key_title: "Ihr Schlüssel", use: "Verwenden", other_language: "English", other_code: "en",
    key_text: "Dieser Server verlangt einen Schlüssel. Er bleibt, bis Sie diesen Reiter schließen.",
    searching: "Die Dokumente werden durchsucht", answering: "Die Antwort entsteht", stop: "Anhalten", stopped: "Angehalten.", rate: ", etwa {n} Tokens in der Sekunde", why: "Warum diese Antwort", good: "Richtig", bad: "Falsch",
    thanks: "Vermerkt, danke.", correction: "Was wäre richtig?", send_correction: "Senden", sources: "Quellen",
    high: "hoch", medium: "mittel", low: "gering", confidence: "Sicherheit", by: "von {name}", "the built-in reader": "eingebauter Leser",
    passage: "Diese Stelle kommt der Frage am nächsten:", silent: "Das steht nicht in den Dokumenten.",
    conflicts: "Die Dokumente widersprechen einander.", missing: "Nicht gefunden", from_memory: "aus dem Gedächtnis", page: "Seite",
    source: "Quelle {n}", delete: "Löschen", delete_upload: "„{name}“ löschen? Die Datei kommt in den Papierkorb und bleibt dort 30 Tage.", leave_out: "„{name}“ bei Antworten auslassen? Die Datei selbst bleibt, wo sie ist; „kohaku documents --include“ nimmt sie wieder auf.", show: "Zeigen", indexed: "durchsuchbar", pending: "wartet auf den nächsten Lauf",
    parsed: "gelesen, nicht veröffentlicht", failed: "gescheitert", needs_ocr: "braucht Texterkennung", no_file: "ohne Datei", left_out: "ausgelassen", understood: "Verstanden als", searched: "Gesucht nach", claims: "Aussagen",
    supported: "belegt", unsupported: "nicht belegt", ranks: "Ränge nach Kanal", times: "Zeiten", dropped: "Weggelassen", version: "Fassung des Index",
    uploading: "Wird hochgeladen", queued: "Der Lauf wartet", running: "Wird eingelesen", done: "Fertig: Sie können jetzt fragen.", run_failed: "Der Lauf ist gescheitert", empty: "Es gibt noch kein Dokument.",
    no_index: "Es gibt noch keinen Index. Legen Sie Dokumente in den Ordner von corpus.documents und rufen Sie „kohaku refresh“ auf, oder laden Sie welche unter Dokumente hoch.",
    offline: "Der Server antwortet nicht.", hello: "Was möchten Sie wissen?", answer_with: "Mit {name} antworten ({server})", answers_now: "Ab jetzt antwortet {name}; so steht es in kohaku.toml.", current: "veröffentlicht", publish: "Veröffentlichen", roll_back: "Zurückgehen",
    built: "Gebaut", rows: "Zeilen", name: "Name", role: "Rolle", org: "Organisation", used: "Zuletzt benutzt", from: "Woher", revoke: "Widerrufen",
    questions: "Fragen", answered: "beantwortet", cached: "aus dem Gedächtnis", rated_good: "als richtig beurteilt", rated_bad: "als falsch beurteilt", cost: "Kosten in US-Dollar", drop_value: "Weglassen",
    pinned: "veröffentlicht, festgehalten", unpin: "Loslassen: die neueste veröffentlichen", dagster: "Läufe, Assets und Prüfungen in Dagster", reviews: "Fragen zur Durchsicht",
    question_asked: "Frage", answer: "Antwort", reason: "Warum", asked: "Gefragt", accept: "Annehmen", dismiss: "Verwerfen", cancel: "Abbrechen", unit: "Einheit",
    nothing_to_review: "Es gibt nichts durchzusehen.", truth_sources: "Kennungen der Dokumente, die es sagen, durch Kommas getrennt",
    corrected: "berichtigt", "thumbs down": "als falsch beurteilt", unanswered: "unbeantwortet", "low confidence": "unsicher", "new topic": "neues Thema",
  },
};

let language = stored("language") ?? (navigator.language.startsWith("de") ? "de" : "en");

export function t(name, values = {}) {
  const text = WORDS[language][name] ?? name;
  return text.replace(/\{(\w+)\}/g, (whole, key) => values[key] ?? whole);
}

// A moment of the server (ISO 8601, UTC) in the reader's language and time zone; "–" where there is none.
export function moment(text) {
  return text ? new Date(text).toLocaleString(language, { dateStyle: "medium", timeStyle: "short" }) : "–";
}

export function otherLanguage() {
  language = language === "de" ? "en" : "de";
  store("language", language);
  translate();
}

export function translate() {
  document.documentElement.lang = language;
  for (const one of document.querySelectorAll("[data-t]")) one.textContent = t(one.dataset.t);
  for (const one of document.querySelectorAll("[data-t-label]")) one.setAttribute("aria-label", t(one.dataset.tLabel));
  for (const one of document.querySelectorAll("[data-t-placeholder]")) one.placeholder = t(one.dataset.tPlaceholder);
  const button = document.getElementById("language");
  button.textContent = t("other_language");
  button.lang = t("other_code");
}

export function stored(name) {
  try { return localStorage.getItem(`kohaku.${name}`); } catch { return null; }
}

export function store(name, value) {
  try { localStorage.setItem(`kohaku.${name}`, value); } catch { /* a private window forgets it */ }
}
