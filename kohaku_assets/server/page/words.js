// The words of the page in English and German; elements name theirs by data-t.
const WORDS = {
  en: {
    skip: "Skip to the question", views: "Views", ask: "Ask", documents: "Documents", admin: "Administration", theme: "Light or dark",
    key: "Key", conversations: "Conversations", new: "New conversation", messages: "Messages", question: "Your question",
    placeholder: "Ask your documents", level: "Level", level_default: "default", level_basic: "basic", level_standard: "standard",
    level_enhanced: "enhanced", level_maximum: "maximum", collection: "Collection", folder: "Folder", send: "Ask",
    drop: "Drop files here, or choose some", document: "Document", pages: "Pages", state: "State", actions: "Actions",
    versions: "Index versions", usage: "Usage", keys: "Keys", settings: "Settings of the running server", setting: "Setting",
    value: "Value", set: "Save", close: "Close", key_title: "Your key", use: "Use", other_language: "Deutsch", other_code: "de",
    key_text: "This server needs a key. Your browser keeps it until you close this tab.",
    searching: "Searching the documents", answering: "Writing the answer", stop: "Stop", stopped: "Stopped.", rate: ", about {n} tokens a second", why: "Why this answer", good: "Right", bad: "Wrong",
    thanks: "Noted, thank you.", correction: "What is the right answer?", send_correction: "Send", sources: "Sources",
    high: "high", medium: "medium", low: "low", confidence: "Confidence", by: "by {name}",
    passage: "This passage comes closest:", silent: "The documents do not say.", needs_whole: "No single row or item answers this: it takes the whole table or list.", otherwise: "Other documents say otherwise:",
    conflicts: "The documents contradict each other.", missing: "Not found", from_memory: "answered before", page: "page",
    source: "Source {n}", delete: "Delete", delete_sure: "Delete the conversation “{name}”?", delete_upload: "Delete “{name}”? It is kept in the trash for 30 days; whoever runs this server brings it back with “kohaku documents --restore”.", show: "Show", indexed: "searchable", pending: "not read yet",
    parsed: "read, not searchable yet", failed: "could not be read", needs_ocr: "needs text recognition (OCR)", no_file: "no file", left_out: "left out", understood: "Understood as", searched: "Searched for", claims: "Claims",
    supported: "supported", unsupported: "not supported", ranks: "Ranks by channel", times: "Times", dropped: "Left out", version: "Index version",
    uploading: "Uploading the files", queued: "Waiting to start", running: "Reading the documents", done: "Done: you can ask now.", not_stored: "Not stored:", read_one: "Read 1 new or changed file", read_some: "Read {n} new or changed files", take_out_one: "Take out 1 file that is gone", take_out_some: "Take out {n} files that are gone", run_failed: "The documents could not be read", empty: "There is no document yet.",
    no_index: "No document has been read yet. Drop some here, or put them into the project's folder of documents and run “kohaku refresh”.",
    unreadable: "The index cannot be opened. Whoever runs this server can run “kohaku doctor”.",
    no_index_reader: "No document has been read yet. Whoever runs this server can add some.",
    languages: "Languages", show_unread: "Show them",
    offline: "The server does not answer.", hello: "What would you like to know?", answers_now: "{name} answers from now on. The setting is saved in kohaku.toml.", current: "published", publish: "Publish", roll_back: "Back to the previous version",
    built: "Created", rows: "Rows", name: "Name", role: "Role", org: "Organisation", used: "Last used", from: "From", revoke: "Revoke",
    questions: "Questions", answered: "answered", cached: "answered before", rated_good: "judged right", rated_bad: "judged wrong", cost: "Cost in US dollars", drop_value: "Reset",
    pinned: "published, pinned", unpin: "Unpin and publish the newest", dagster: "Runs, assets and checks in Dagster", reviews: "Questions to review",
    question_asked: "Question", answer: "Answer", reason: "Why", asked: "Asked", accept: "Accept", dismiss: "Dismiss", cancel: "Cancel", unit: "Unit",
    nothing_to_review: "There are no questions to review.", truth_sources: "Ids of the documents that say so, separated by commas",
    corrected: "corrected", "thumbs down": "judged wrong", unanswered: "unanswered", "low confidence": "low confidence", "new topic": "new topic",
    options: "Options", opening: "Opening the document …", download: "Download", open_file: "Open the file", as_text: "Text", as_pages: "Pages",
    page_of: "Page {n} of {all}", page_before: "Previous page", page_after: "Next page", drawing: "Drawing the page …", page_count: "{n} pages", one_page: "1 page", changed_on: "changed on {day}",
    attached_to: "Attached to", attachment: "Attachment", nearest: "The nearest passages:", copy: "Copy", copied: "Copied.",
    ask_again: "Ask again", edit: "Edit", export: "Save this conversation", conversation: "Conversation", search_sessions: "Search conversations",
    everywhere: "All folders", what_changed: "What has changed", added: "added", changed_files: "changed", removed: "removed", and_more: " and {n} more", nothing_changed: "Nothing has changed since the documents were first read.", contents: "Contents", show_documents: "Show the documents", no_match: "No document matches.", asking_in: "Answers come only from “{name}”.", asking_one: "Answers come from one document only.", asking: "Answers come from {n} documents only.", ask_this: "Answer only from {name}",
    leave_out: "Leave out", include: "Include again", search_documents: "Search documents", size: "Size", changed: "Changed", ask_all: "Answer from all documents",
    choose_shown: "Answer only from the documents shown here", choose_documents: "Choose others", making_searchable: "Making the documents searchable", reading_of: "Reading document {n} of {all}",
    model: "Language model", model_found: "A language model runs on this machine",
    model_changes: "Now the built-in reader answers: it quotes values and passages. A model also explains and summarises in its own words, and each sentence is checked against its source. It takes longer. Nothing leaves this machine.",
    try_model: "Try it", trying: "Answering …", take_model: "Use this model for answers", model_answers: "{name}, a language model on this machine, answers.",
    not_answered: "This question was not answered.",
    unread_files: "{n} files could not be read.", unread_file: "One file could not be read.", why_it: "It {why}.", why_each: "Each {why}.", why_one: "One {why}.", why_some: "Each of {n} {why}.",
    by_reader: "by the built-in reader", no_conversation: "No conversation has these words.",
    reader_again: "Use the built-in reader again", reader_answers_now: "The built-in reader answers from now on. The model has been taken out of kohaku.toml.",
  },
  de: {
    skip: "Zur Frage springen", views: "Ansichten", ask: "Fragen", documents: "Dokumente", admin: "Verwaltung", theme: "Hell oder dunkel",
    key: "Schlüssel", conversations: "Gespräche", new: "Neues Gespräch", messages: "Nachrichten", question: "Ihre Frage",
    placeholder: "Fragen Sie Ihre Dokumente", level: "Stufe", level_default: "Voreinstellung", level_basic: "einfach", level_standard: "normal",
    level_enhanced: "gründlich", level_maximum: "am gründlichsten", collection: "Sammlung", folder: "Ordner", send: "Fragen",
    drop: "Dateien hierher ziehen oder auswählen", document: "Dokument", pages: "Seiten", state: "Stand", actions: "Aktionen",
    versions: "Index-Versionen", usage: "Nutzung", keys: "Schlüssel", settings: "Einstellungen des laufenden Servers", setting: "Einstellung",
    value: "Wert", set: "Speichern", close: "Schließen", key_title: "Ihr Schlüssel", use: "Verwenden", other_language: "English", other_code: "en",
    key_text: "Dieser Server verlangt einen Schlüssel. Der Browser behält ihn, bis Sie diesen Tab schließen.",
    searching: "Die Dokumente werden durchsucht", answering: "Die Antwort wird geschrieben", stop: "Abbrechen", stopped: "Abgebrochen.", rate: ", etwa {n} Token pro Sekunde", why: "Warum diese Antwort", good: "Richtig", bad: "Falsch",
    thanks: "Vermerkt, danke.", correction: "Was wäre richtig?", send_correction: "Senden", sources: "Quellen",
    high: "hoch", medium: "mittel", low: "gering", confidence: "Sicherheit", by: "von {name}", "the built-in reader": "Der eingebaute Leser",
    passage: "Diese Stelle kommt der Frage am nächsten:", silent: "Das steht nicht in den Dokumenten.", needs_whole: "Keine einzelne Zeile beantwortet das: Dazu braucht es die ganze Tabelle oder Liste.", otherwise: "In anderen Dokumenten steht etwas anderes:",
    conflicts: "Die Dokumente widersprechen einander.", missing: "Nicht gefunden", from_memory: "schon einmal beantwortet", page: "Seite",
    source: "Quelle {n}", delete: "Löschen", delete_sure: "Gespräch „{name}“ löschen?", delete_upload: "„{name}“ löschen? Die Datei kommt in den Papierkorb und bleibt dort 30 Tage; wer diesen Server betreibt, holt sie mit „kohaku documents --restore“ zurück.", show: "Anzeigen", indexed: "durchsuchbar", pending: "noch nicht eingelesen",
    parsed: "eingelesen, noch nicht durchsuchbar", failed: "nicht lesbar", needs_ocr: "braucht Texterkennung", no_file: "ohne Datei", left_out: "ausgelassen", understood: "Verstanden als", searched: "Gesucht nach", claims: "Aussagen",
    supported: "belegt", unsupported: "nicht belegt", ranks: "Ränge nach Kanal", times: "Zeiten", dropped: "Weggelassen", version: "Index-Version",
    uploading: "Die Dateien werden hochgeladen", queued: "Wartet auf den Start", running: "Die Dokumente werden eingelesen", done: "Fertig: Sie können jetzt fragen.", not_stored: "Nicht gespeichert:", read_one: "1 neue oder geänderte Datei einlesen", read_some: "{n} neue oder geänderte Dateien einlesen", take_out_one: "1 Datei herausnehmen, die es nicht mehr gibt", take_out_some: "{n} Dateien herausnehmen, die es nicht mehr gibt", run_failed: "Die Dokumente konnten nicht eingelesen werden", empty: "Es gibt noch kein Dokument.",
    no_index: "Noch ist kein Dokument eingelesen. Ziehen Sie welche hierher, oder legen Sie sie in den Dokumentenordner des Projekts, und rufen Sie „kohaku refresh“ auf.",
    unreadable: "Der Index kann nicht geöffnet werden. Wer diesen Server betreibt, kann „kohaku doctor“ aufrufen.",
    no_index_reader: "Noch ist kein Dokument eingelesen. Wer diesen Server betreibt, kann welche hinzufügen.",
    languages: "Sprachen", show_unread: "Anzeigen",
    offline: "Der Server antwortet nicht.", hello: "Was möchten Sie wissen?", answers_now: "Ab jetzt antwortet {name}. Die Einstellung steht in kohaku.toml.", current: "veröffentlicht", publish: "Veröffentlichen", roll_back: "Zurück zur vorherigen Version",
    built: "Erstellt", rows: "Zeilen", name: "Name", role: "Rolle", org: "Organisation", used: "Zuletzt benutzt", from: "Quelle", revoke: "Widerrufen",
    questions: "Fragen", answered: "beantwortet", cached: "schon einmal beantwortet", rated_good: "als richtig beurteilt", rated_bad: "als falsch beurteilt", cost: "Kosten in US-Dollar", drop_value: "Zurücksetzen",
    pinned: "veröffentlicht, festgehalten", unpin: "Festhalten beenden und die neueste veröffentlichen", dagster: "Läufe, Assets und Prüfungen in Dagster", reviews: "Fragen zur Durchsicht",
    question_asked: "Frage", answer: "Antwort", reason: "Warum", asked: "Gefragt", accept: "Annehmen", dismiss: "Verwerfen", cancel: "Abbrechen", unit: "Einheit",
    nothing_to_review: "Keine Fragen zur Durchsicht.", truth_sources: "Kennungen der Dokumente, in denen es steht, durch Kommas getrennt",
    corrected: "berichtigt", "thumbs down": "als falsch beurteilt", unanswered: "unbeantwortet", "low confidence": "unsicher", "new topic": "neues Thema",
    options: "Optionen", opening: "Das Dokument wird geöffnet …", download: "Herunterladen", open_file: "Datei öffnen", as_text: "Text", as_pages: "Seiten",
    page_of: "Seite {n} von {all}", page_before: "Vorige Seite", page_after: "Nächste Seite", drawing: "Die Seite wird gezeichnet …", page_count: "{n} Seiten", one_page: "1 Seite", changed_on: "geändert am {day}",
    attached_to: "Anhang von", attachment: "Anhang", nearest: "Am nächsten kommen diese Stellen:", copy: "Kopieren", copied: "Kopiert.",
    ask_again: "Noch einmal fragen", edit: "Ändern", export: "Dieses Gespräch speichern", conversation: "Gespräch", search_sessions: "Gespräche durchsuchen",
    everywhere: "Alle Ordner", what_changed: "Was sich geändert hat", added: "hinzugekommen", changed_files: "geändert", removed: "entfernt", and_more: " und {n} weitere", nothing_changed: "Seit dem ersten Einlesen hat sich nichts geändert.", contents: "Inhalt", show_documents: "Dokumente anzeigen", no_match: "Kein Dokument passt dazu.", asking_in: "Geantwortet wird nur aus „{name}“.", asking_one: "Geantwortet wird nur aus einem Dokument.", asking: "Geantwortet wird nur aus {n} Dokumenten.", ask_this: "Nur aus {name} antworten",
    leave_out: "Auslassen", include: "Wieder aufnehmen", search_documents: "Dokumente durchsuchen", size: "Größe", changed: "Geändert", ask_all: "Aus allen Dokumenten antworten",
    choose_shown: "Nur aus den hier gezeigten Dokumenten antworten", choose_documents: "Andere wählen", making_searchable: "Die Dokumente werden durchsuchbar gemacht", reading_of: "Dokument {n} von {all} wird eingelesen",
    model: "Sprachmodell", model_found: "Auf diesem Rechner läuft ein Sprachmodell",
    model_changes: "Zurzeit antwortet der eingebaute Leser: Er gibt Werte und Stellen wörtlich wieder. Ein Modell erklärt und fasst auch in eigenen Worten zusammen, und jeder Satz wird an seiner Quelle geprüft. Das dauert länger. Nichts verlässt diesen Rechner.",
    try_model: "Ausprobieren", trying: "Antwortet …", take_model: "Dieses Modell antworten lassen", model_answers: "Es antwortet {name}, ein Sprachmodell auf diesem Rechner.",
    not_answered: "Diese Frage wurde nicht beantwortet.",
    unread_files: "{n} Dateien konnten nicht gelesen werden.", unread_file: "Eine Datei konnte nicht gelesen werden.", why_it: "Sie {why}.", why_each: "Jede {why}.", why_one: "Eine {why}.", why_some: "Jede von {n} {why}.",
    by_reader: "vom eingebauten Leser", no_conversation: "In keinem Gespräch kommt das vor.",
    reader_again: "Wieder den eingebauten Leser verwenden", reader_answers_now: "Ab jetzt antwortet der eingebaute Leser. Das Modell steht nicht mehr in kohaku.toml.",
  },
};

let language = stored("language") ?? (navigator.language.startsWith("de") ? "de" : "en");

export function t(name, values = {}) {
  const text = WORDS[language][name] ?? name;
  return text.replace(/\{(\w+)\}/g, (whole, key) => values[key] ?? whole);
}

// British dates are not American ones: the browser's own kind of the language of the page.
function locale() { return navigator.language.startsWith(language) ? navigator.language : language; }

// A moment of the server (ISO 8601, UTC) in the reader's language and time zone; "–" where there is none.
export function moment(text) {
  return text ? new Date(text).toLocaleString(locale(), { dateStyle: "medium", timeStyle: "short" }) : "–";
}

export function day(text) { return new Date(text).toLocaleDateString(locale(), { dateStyle: "medium" }); }

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
