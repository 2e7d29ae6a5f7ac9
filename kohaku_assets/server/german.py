"""What the server says in English, in German: why documents are not read, and what the page may be refused."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from starlette.datastructures import Headers
from starlette.types import Scope

# Each English sentence as the code writes it, with {} for what changes and '{}' for a name in quotes.
GERMAN = {
    # why a file is no document
    "not a document format": "kein Format für Dokumente",
    "no file, but a pipe, a socket or a device": "keine Datei, sondern eine Pipe, ein Socket oder ein Gerät",
    "the link leads nowhere (is the drive mounted?)": "die Verknüpfung führt ins Leere (ist das Laufwerk verbunden?)",
    "the link points outside the documents folder; move it here, or set corpus.follow_links = true": (
        "die Verknüpfung führt aus dem Ordner der Dokumente hinaus; verschieben Sie das Ziel hierher, oder setzen Sie "
        "corpus.follow_links = true"
    ),
    "links to folders are not followed; move it here, or set corpus.follow_links = true": (
        "Verknüpfungen zu Ordnern wird nicht gefolgt; verschieben Sie den Ordner hierher, oder setzen Sie "
        "corpus.follow_links = true"
    ),
    "the file's name is not UTF-8; rename it": "der Name der Datei ist kein UTF-8; benennen Sie sie um",
    "a lock file of an office program": "eine Sperrdatei eines Büroprogramms",
    "cannot be read ({})": "kann nicht gelesen werden ({})",
    "same content as '{}'": "gleicher Inhalt wie „{}“",
    "same content as '{}', which is left out": "gleicher Inhalt wie „{}“, das ausgelassen wird",
    "its name is that of '{}' in other code points; rename one of them": (
        "sein Name ist der von „{}“ in anderen Codepunkten; benennen Sie eines um"
    ),
    "the document id '{}' is already that of '{}'": "die Kennung „{}“ hat schon „{}“",
    "its folder and its metadata row name two organisations": "Ordner und Metadaten nennen zwei Organisationen",
    "left out by {} at {}; undo it by kohaku documents --include '{}'": (
        "ausgelassen von {} am {}; „kohaku documents --include“ nimmt „{}“ wieder auf"
    ),
    "no file of this id; 'kohaku fetch' gets those with a url": (
        "keine Datei mit dieser Kennung; „kohaku fetch“ holt die, die eine Adresse haben"
    ),
    "there is no file; its citation is indexed": "es gibt keine Datei; durchsuchbar ist die Literaturangabe",
    # why a document could not be read
    "'{}' is empty": "„{}“ ist leer",
    "'{}' has no pages": "„{}“ hat keine Seiten",
    "'{}' contains no text": "„{}“ enthält keinen Text",
    "'{}' contains no values": "„{}“ enthält keine Werte",
    "'{}' contains no values; {}if it contains formulas, open and save it in a spreadsheet program": (
        "„{}“ enthält keine Werte; falls es Formeln enthält, öffnen und speichern Sie es in einem Tabellenprogramm"
    ),
    "'{}' contains no {}; correct its suffix": "„{}“ enthält kein {}; berichtigen Sie die Endung",
    "'{}' contains only blank pages": "„{}“ hat nur leere Seiten",
    "'{}' contains binary data, not text": "„{}“ enthält Binärdaten und keinen Text",
    "'{}' contains binary data, not rows of text": "„{}“ enthält Binärdaten und keine Zeilen aus Text",
    "'{}' cannot be read ({})": "„{}“ kann nicht gelesen werden ({})",
    "'{}' cannot be read as an image ({})": "„{}“ kann nicht als Bild gelesen werden ({})",
    "'{}' cannot be parsed ({}); save it again": "„{}“ kann nicht eingelesen werden ({}); speichern Sie es neu",
    "'{}' changed while it was being read; run again": (
        "„{}“ wurde beim Einlesen geändert; lesen Sie es noch einmal ein"
    ),
    "'{}' is damaged beyond repair or is not a PDF": "„{}“ ist zu stark beschädigt oder kein PDF",
    "'{}' is damaged beyond repair or is not an image": "„{}“ ist zu stark beschädigt oder kein Bild",
    "'{}' is damaged ({})": "„{}“ ist beschädigt ({})",
    "'{}' is damaged or encrypted ({})": "„{}“ ist beschädigt oder verschlüsselt ({})",
    "'{}' is damaged or not XML ({})": "„{}“ ist beschädigt oder kein XML ({})",
    "'{}' is damaged or not a {} file ({})": "„{}“ ist beschädigt oder keine {}-Datei ({})",
    "'{}' is damaged: the package '{}' that it names is missing": "„{}“ ist beschädigt: Das Paket „{}“ fehlt darin",
    "'{}' is a damaged message ({}: {})": "„{}“ ist eine beschädigte Nachricht ({}: {})",
    "'{}' is a damaged message of Outlook ({}: {})": "„{}“ ist eine beschädigte Nachricht von Outlook ({}: {})",
    "'{}' is no message of Outlook": "„{}“ ist keine Nachricht von Outlook",
    "'{}' is no e-mail message, as it has none of the headers {}": (
        "„{}“ ist keine E-Mail, denn es fehlen alle Kopfzeilen {}"
    ),
    "'{}' has no entries of a calendar": "„{}“ hat keine Einträge eines Kalenders",
    "'{}' is encrypted and needs a password; save a copy without one": (
        "„{}“ ist verschlüsselt und braucht ein Passwort; speichern Sie eine Kopie ohne Passwort"
    ),
    "'{}' is encrypted; save it without a password": "„{}“ ist verschlüsselt; speichern Sie es ohne Passwort",
    "'{}' is encrypted or in a format from before 2007; save it without a password as {}": (
        "„{}“ ist verschlüsselt oder in einem Format von vor 2007; speichern Sie es ohne Passwort als {}"
    ),
    "'{}' is protected by the DRM of its shop; add an edition of the book without it": (
        "„{}“ ist durch das DRM des Händlers geschützt; nehmen Sie eine Ausgabe ohne DRM auf"
    ),
    "'{}' is a zip file, but not a {} file; unpack it or correct its suffix": (
        "„{}“ ist eine ZIP-Datei, aber keine {}-Datei; entpacken Sie sie, oder berichtigen Sie die Endung"
    ),
    "'{}' is not a PDF; correct its suffix": "„{}“ ist kein PDF; berichtigen Sie die Endung",
    "'{}' is not an RTF file; correct its suffix": "„{}“ ist keine RTF-Datei; berichtigen Sie die Endung",
    "'{}' is not of a document format; its name must end in one of {}": (
        "„{}“ hat kein Format für Dokumente; der Name muss auf eines von diesen enden: {}"
    ),
    "'{}' is not valid JSON ({})": "„{}“ ist kein gültiges JSON ({})",
    "'{}' is not within '{}' any more; run again": "„{}“ ist nicht mehr in „{}“; lesen Sie es noch einmal ein",
    "'{}' nests its parts too deeply to be read": "„{}“ verschachtelt seine Teile zu tief",
    "'{}' nests too many values within each other": "„{}“ verschachtelt zu viele Werte ineinander",
    "'{}' shows no text that {} can read": "„{}“ zeigt keinen Text, den {} lesen kann",
    "'{}' has no text layer and needs OCR; {}": "„{}“ hat keine Textebene und braucht Texterkennung; {}",
    "'{}' has a broken text layer and needs OCR; {}": (
        "„{}“ hat eine unbrauchbare Textebene und braucht Texterkennung; {}"
    ),
    "'{}' is an image and needs OCR; {}": "„{}“ ist ein Bild und braucht Texterkennung; {}",
    "'{}' has {} x {} pixels, more than {}; save it smaller": (
        "„{}“ hat {} x {} Bildpunkte, mehr als {}; speichern Sie es kleiner"
    ),
    "'{}' unpacks to {} MiB, more than the limit for documents; split it or leave it out": (
        "„{}“ wird entpackt {} MiB groß, mehr als für Dokumente erlaubt; teilen Sie es auf, oder lassen Sie es weg"
    ),
    "the content of '{}' takes {} MiB, more than the {} MiB allowed for a file of its size; split it or leave it out": (
        "Der Inhalt von „{}“ braucht {} MiB, mehr als die {} MiB, die für eine Datei dieser Größe erlaubt sind; teilen Sie sie "
        "auf, oder lassen Sie sie weg"
    ),
    "it contains no document": "es enthält kein Dokument",
    "'{}' takes longer than {} s to read; {}": "„{}“ braucht länger als {} s zum Einlesen; {}",
    "'{}' needs more memory than the {} MiB that a parser may take; {}": (
        "„{}“ braucht mehr Speicher als die erlaubten {} MiB; {}"
    ),
    "'{}' ended the process that parsed it ({}); leave the file out, or save it again": (
        "„{}“ hat das Einlesen zum Absturz gebracht ({}); lassen Sie die Datei weg, oder speichern Sie sie neu"
    ),
    "a quoted cell of '{}' is never closed and contains all following rows; close its quotes": (
        "eine Zelle von „{}“ beginnt mit Anführungszeichen, die nie enden; schließen Sie sie"
    ),
    "line {} of '{}' cannot be read as CSV ({}); close the quotes before it": (
        "Zeile {} von „{}“ ist kein CSV ({}); schließen Sie die Anführungszeichen davor"
    ),
    "no line of '{}' is JSON; the first that is not is line {}": (
        "keine Zeile von „{}“ ist JSON; die erste, die es nicht ist, ist Zeile {}"
    ),
    "tesseract cannot read {} ({})": "tesseract kann {} nicht lesen ({})",
    "tesseract takes longer than {} s to read {}; raise documents.time_limit_s": (
        "tesseract braucht länger als {} s für {}; erhöhen Sie documents.time_limit_s"
    ),
    "the JSON is not a document payload: it has neither 'text' nor 'sections'": (
        "das JSON ist kein Dokument: Es hat weder „text“ noch „sections“"
    ),
    "the JSON is not a document payload: {} must be an object, got {}": (
        "das JSON ist kein Dokument: {} muss ein Objekt sein und ist {}"
    ),
    "the JSON is not a document payload: '{}' of {} must be a list, got {}": (
        "das JSON ist kein Dokument: „{}“ von {} muss eine Liste sein und ist {}"
    ),
    "the JSON is not a document payload: '{}' of {} must be a text, got {}": (
        "das JSON ist kein Dokument: „{}“ von {} muss ein Text sein und ist {}"
    ),
    "the page '{}' contains no text: it is empty or written by a script in the browser; save it as shown": (
        "die Seite „{}“ enthält keinen Text: Sie ist leer, oder ein Skript schreibt sie im Browser; speichern Sie sie "
        "so, wie sie angezeigt wird"
    ),
    "the page nests more than {} elements within each other; open it in a browser and save its text": (
        "die Seite verschachtelt mehr als {} Elemente ineinander; öffnen Sie sie im Browser, und speichern Sie ihren Text"
    ),
    "'{}' nests more than 256 elements within each other; split it or leave it out": (
        "„{}“ verschachtelt mehr als 256 Elemente ineinander; teilen Sie es auf, oder lassen Sie es weg"
    ),
    "the entities of '{}' expand to far more than the file; leave it out": (
        "„{}“ wird beim Einlesen viel größer als die Datei; lassen Sie es weg"
    ),
    # what helps, at the end of such a sentence
    "set documents.ocr to 'auto', 'rapidocr' or 'tesseract'": "setzen Sie documents.ocr auf auto, rapidocr oder tesseract",
    "install an engine for documents.ocr = 'auto': {}": "installieren Sie ein Programm dafür: {}",
    "{}, or the command tesseract ({})": "{}, oder das Programm tesseract ({})",
    "the command tesseract ({})": "das Programm tesseract ({})",
    "leave the file out": "lassen Sie die Datei weg",
    "raise documents.time_limit_s or leave the file out": (
        "erhöhen Sie documents.time_limit_s, oder lassen Sie die Datei weg"
    ),
    "raise documents.memory_limit_mb or leave the file out": (
        "erhöhen Sie documents.memory_limit_mb, oder lassen Sie die Datei weg"
    ),
    # why new documents are not searchable yet
    "kohaku: {}": "{}",
    "another run is writing to the store '{}'; wait until it ends, or choose another store": (
        "Ein anderer Lauf schreibt gerade in „{}“; warten Sie, bis er endet"
    ),
    "a blocking check failed: {}": "Eine Prüfung hat Fehler gefunden: {}",
    "stopped; finished stages and paid calls are saved, and the next refresh continues from there": (
        "Abgebrochen; was fertig und bezahlt ist, bleibt, und der nächste Lauf macht dort weiter"
    ),
    "the store is of several organisations; the log of the server has the reason": (
        "Der Index ist der mehrerer Organisationen; den Grund nennt das Protokoll des Servers"
    ),
    "no space is left for '{}' or for temporary files; {}": "Für „{}“ oder vorläufige Dateien ist kein Platz mehr; {}",
    # why a model gave no answer
    "the chat model '{}' at {} gave no reply: {}": "Das Sprachmodell „{}“ unter {} hat nicht geantwortet: {}",
    "the chat model '{}' at {} gave no reply after {} attempts: {}": (
        "Das Sprachmodell „{}“ unter {} hat auch nach {} Versuchen nicht geantwortet: {}"
    ),
    "the chat model '{}' was not called: its server was down several times in a row and is tried again in {} s": (
        "Das Sprachmodell „{}“ wurde nicht gefragt: Sein Server war mehrmals nicht da; nächster Versuch in {} s"
    ),
    "the connection failed: {}": "keine Verbindung ({})",
    "the connection dropped: {}": "die Verbindung ist abgebrochen ({})",
    "the connection ended": "die Verbindung endete",
    "the server did not finish its reply in time": "der Server war nicht rechtzeitig fertig",
    "the server reports an error": "der Server meldet einen Fehler",
    "{} (the server asks to wait {} s)": "{} (der Server bittet, {} s zu warten)",
    "{}; raise max_reply_mb if this is intended": "{}; erhöhen Sie max_reply_mb, wenn das so sein soll",
    "the server's reply is empty": "die Antwort des Servers ist leer",
    "the server's reply is not JSON": "die Antwort des Servers ist kein JSON",
    "the server's reply is not a JSON object": "die Antwort des Servers ist kein JSON-Objekt",
    "a part of the server's reply is not JSON": "ein Teil der Antwort des Servers ist kein JSON",
    "its reply was cut after {} characters ({})": "seine Antwort brach nach {} Zeichen ab ({})",
    "the model refused ({})": "das Modell hat abgelehnt ({})",
    "the server's content filter blocked the reply": "der Inhaltsfilter des Servers hat die Antwort gesperrt",
    "the reply was truncated before its text, as with long reasoning; raise llm.max_tokens": (
        "die Antwort wurde vor ihrem Text abgeschnitten, wie nach langem Nachdenken; erhöhen Sie llm.max_tokens"
    ),
    "the reply was truncated at llm.max_tokens = {} before its answer was complete; raise it": (
        "Die Antwort des Modells wurde bei llm.max_tokens = {} abgeschnitten, bevor sie vollständig war; erhöhen Sie es"
    ),
    "the reply holds no JSON object with an answer": "In dem, was das Modell geschrieben hat, ist keine Antwort",
    "a prompt of about {} tokens and a reply of {} exceed the context window of '{}', {} tokens (llm.models)": (
        "Eingabe (etwa {} Token) und Antwort ({}) sind länger als das Kontextfenster von „{}“, {} Token (llm.models)"
    ),
    # what the page may be refused
    "the server failed; its log names the fault under this request id": (
        "Der Server hat einen Fehler gemacht; sein Protokoll nennt ihn"
    ),
    "there is no index yet; run 'kohaku refresh' first": "Es gibt noch keinen Index; rufen Sie „kohaku refresh“ auf",
    "none of these files can be stored: {}": "Keine dieser Dateien lässt sich speichern: {}",
    "'{}' has more than {} MB; raise server.max_upload_mb": (
        "„{}“ hat mehr als {} MB; erhöhen Sie server.max_upload_mb"
    ),
    "at most {} files are uploaded at once, got {}": "Höchstens {} Dateien lassen sich auf einmal hochladen, nicht {}",
    "a body has at most {} MB here; send less, or raise the limit in section 'server'": (
        "Auf einmal lassen sich hier höchstens {} MB senden; senden Sie weniger, oder erhöhen Sie die Grenze unter [server]"
    ),
    "there is a file '{}' already; delete it first, or choose another name": (
        "Eine Datei „{}“ gibt es schon; löschen Sie sie zuerst, oder wählen Sie einen anderen Namen"
    ),
    "a file cannot be named '{}' here; rename it": "Eine Datei kann hier nicht „{}“ heißen; benennen Sie sie um",
    "'{}' is of no format that can be read; these can: {}": "„{}“ hat kein lesbares Format; lesbar sind {}",
    "corpus.documents is not set; name the folder of documents in kohaku.toml": (
        "corpus.documents ist nicht gesetzt; nennen Sie den Ordner der Dokumente in kohaku.toml"
    ),
    "there is no document '{}'; GET /v1/documents lists them": "Ein Dokument „{}“ gibt es nicht",
    "the index has no document '{}'; GET /v1/documents lists them": "Ein Dokument „{}“ hat der Index nicht",
    "'{}' could not be read; GET /v1/documents gives the reason": (
        "„{}“ konnte nicht eingelesen werden; unter Dokumente steht, warum"
    ),
    "the document has no file in the documents folder any more": (
        "Die Datei des Dokuments ist nicht mehr im Ordner der Dokumente"
    ),
    "'{}' has no page {} that can be drawn": "„{}“ hat keine Seite {}, die sich zeigen lässt",
    "the page cannot be drawn: {}": "Die Seite lässt sich nicht zeigen: {}",
    "you have no session '{}'; GET /v1/sessions lists them": "Ein Gespräch „{}“ haben Sie nicht",
    "you have no session '{}'; leave session_id out to begin one": "Ein Gespräch „{}“ haben Sie nicht; beginnen Sie ein neues",
    "you have no answer '{}'; it takes the answer_id of a response": "Eine Antwort „{}“ haben Sie nicht",
    "a session has at most {} messages that wait, and '{}' has as many; send this one again once it is answered": (
        "In einem Gespräch können höchstens {0} Nachrichten warten; senden Sie diese noch einmal, wenn sie beantwortet sind"
    ),
    "a message has at most assistant.max_message_chars = {} characters, got {}": (
        "Eine Nachricht hat höchstens {} Zeichen (assistant.max_message_chars), diese hat {}"
    ),
    "the message is empty; ask something": "Die Nachricht ist leer; fragen Sie etwas",
    "more than {} requests in a minute; try again in {} s": (
        "Mehr als {} Anfragen in einer Minute; versuchen Sie es in {} s noch einmal"
    ),
    "{} requests of this caller are under way, and more are refused; try again later": (
        "{} Anfragen von Ihnen werden schon bearbeitet; versuchen Sie es später noch einmal"
    ),
    "too many connections; try again later": "Zu viele Verbindungen; versuchen Sie es später noch einmal",
    "this needs a key of the role {}, and yours is {}; ask for another with 'kohaku keys add'": (
        "Das braucht einen Schlüssel der Rolle {}, Ihrer hat {}; „kohaku keys add“ macht einen anderen"
    ),
    "the index and the folder of documents are another organisation's; ask whoever runs the server": (
        "Index und Dokumente gehören einer anderen Organisation; fragen Sie, wer den Server betreibt"
    ),
    "'{}' at '{}' is not what was listed; list the models again": (
        "„{}“ unter „{}“ ist nicht mehr, was angeboten wurde; laden Sie die Seite neu"
    ),
    "--set or an environment variable says what answers; start the server without it": (
        "--set oder eine Umgebungsvariable sagt, was antwortet; starten Sie den Server ohne sie"
    ),
    "{}; send 'Authorization: Bearer KEY' with a key of 'kohaku keys add NAME'": (
        "{}; ein Schlüssel kommt von „kohaku keys add“"
    ),
    "the key is unknown": "Diesen Schlüssel gibt es nicht",
    "a key is needed": "Das braucht einen Schlüssel",
    "this key was revoked": "Dieser Schlüssel wurde widerrufen",
    "this key is off": "Dieser Schlüssel ist abgeschaltet",
    "a proxy passed this on, and without a key only this machine is answered": (
        "Das kam über einen Proxy, und ohne Schlüssel wird nur diesem Rechner geantwortet"
    ),
    "the host '{}' is not served here; call 127.0.0.1, or add it to server.hosts": (
        "Unter „{}“ antwortet dieser Server nicht; rufen Sie 127.0.0.1 auf, oder nehmen Sie den Namen in server.hosts auf"
    ),
    "pages of '{}' may not call this server; add the address to server.origins": (
        "Seiten von „{}“ dürfen diesen Server nicht fragen; nehmen Sie die Adresse in server.origins auf"
    ),
    "another site's page may not load this; open the server's own page": (
        "Die Seite eines anderen Servers darf das nicht laden; öffnen Sie die Seite dieses Servers"
    ),
    "the body did not arrive within {} s; send it again": "Nach {} s war nicht alles da; senden Sie es noch einmal",
    "the caller took nothing of the response for {} s": "Die Antwort wurde {} s lang nicht abgenommen",
    "a head has at most {} bytes and {} fields here": "Der Kopf einer Anfrage hat hier höchstens {} Bytes und {} Felder",
    "{}; send less": "{}; senden Sie weniger",
    "'{}' is not left out; GET /v1/documents lists what is": "„{}“ ist nicht ausgelassen",
    "this server started no run '{}'; GET /v1/runs lists them": "Einen Lauf „{}“ hat dieser Server nicht begonnen",
    "the index has no node '{}'; /v1/search names some": "Eine Stelle „{}“ hat der Index nicht",
    "'{}' has no figure {} on page {}; …/figures lists them": "„{}“ hat keine Abbildung {} auf Seite {}",
    "give one of version, roll_back and unpin": "Geben Sie eines von version, roll_back und unpin an",
    "models are found and chosen at this machine alone, not by a proxy; run 'kohaku models'": (
        "Sprachmodelle lassen sich nur an diesem Rechner finden und wählen, nicht über einen Proxy; „kohaku models“ hilft"
    ),
    "the session '{}' belongs to another user; leave session_id out to begin one": (
        "Das Gespräch „{}“ gehört jemand anderem; beginnen Sie ein neues"
    ),
    "there is no answer '{}' of yours; feedback takes the answer_id of a response": "Eine Antwort „{}“ haben Sie nicht",
    "a rating is 1 or -1, got {}": "Ein Urteil ist 1 oder -1, nicht {}",
    "the documents are of organisations; name yours in org_id": (
        "Die Dokumente gehören mehreren Organisationen; nennen Sie Ihre in org_id"
    ),
    "there are no documents of the organisation '{}' here; correct org_id": (
        "Dokumente der Organisation „{}“ gibt es hier nicht"
    ),
    "images are looked at in mode 'vision', got mode '{}'": "Bilder werden im Modus vision angesehen, nicht in „{}“",
    "temperature_override must be from 0 to 2, got {}": "temperature_override muss zwischen 0 und 2 liegen, nicht bei {}",
    "{} must be one of {}, got '{}'": "{} muss eines von {} sein, nicht „{}“",
    "'{}' is of all organisations together; set it with 'kohaku settings --runtime {}=VALUE'": (
        "„{}“ gilt für alle Organisationen; „kohaku settings --runtime {}=WERT“ setzt es"
    ),
    "a runtime setting is a number, choice or switch of {} that is read for each question, got '{}'; set others in "
    "kohaku.toml": (
        "Im laufenden Betrieb lassen sich nur Werte aus {} ändern, die bei jeder Frage gelesen werden, nicht „{}“; setzen Sie "
        "andere in kohaku.toml"
    ),
    "there is no index in '{}' yet; run 'kohaku refresh' first (in a project; 'kohaku init' makes one)": (
        "In „{}“ gibt es noch keinen Index; rufen Sie „kohaku refresh“ auf"
    ),
    "there is no key '{}'; GET /v1/keys lists them": "Einen Schlüssel „{}“ gibt es nicht",
    "there is no index version '{}'": "Eine Version „{}“ des Index gibt es nicht",
    "the queue has no answer '{}'; GET /v1/reviews lists them": "Eine Antwort „{}“ wartet nicht auf Durchsicht",
}
# What the body of a request may not hold, as pydantic says it.
VALIDATION = {
    "{}: string should have at most {} characters, got '{}'": "{} hat höchstens {} Zeichen",
    "{}: list should have at most {} items after validation, not {}": "{} hat höchstens {} Einträge, nicht {}",
    "{}: field required": "{} fehlt",
    "{}: JSON decode error": "{}: kein gültiges JSON",
    "{}: input should be {}, got '{}'": "{} muss {} sein, nicht „{}“",
}
_NAME = r"(?:'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\")"


def wants_german(scope: Scope) -> bool:
    """Return whether the caller of an HTTP request prefers German: the first language of `Accept-Language`.

    >>> wants_german({"type": "http", "headers": [(b"accept-language", b"de-AT,de;q=0.9,en;q=0.8")]})
    True
    """
    return Headers(scope=scope).get("accept-language", "").strip().lower().startswith("de")


def told(scope: Scope, sentence: str) -> str:
    """Return a sentence of the server in the language of the caller of an HTTP request."""
    return in_german(sentence) if wants_german(scope) else sentence


def told_answer(scope: Scope, answer: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return an answer as JSON with the reason why it failed in the language of the caller."""
    return answer and {**answer, "error": answer["error"] and told(scope, answer["error"])}


def in_german(sentence: str) -> str:
    """Return a sentence of the server in German, with the sentences in it; as it is where there is no German for it.

    >>> in_german("'plan.pdf' is encrypted; save it without a password"), in_german("no such sentence")
    ('„plan.pdf“ ist verschlüsselt; speichern Sie es ohne Passwort', 'no such sentence')
    >>> in_german("'plan.pdf' takes longer than 60 s to read; leave the file out")
    '„plan.pdf“ braucht länger als 60 s zum Einlesen; lassen Sie die Datei weg'
    """
    for pattern, german in _patterns():
        if found := pattern.fullmatch(sentence):
            return german.format(*(in_german(value) for value in found.groups() if value is not None))
    return sentence


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], str], ...]:
    """Return the sentences as patterns, those with most fixed words first, so that the most exact one is taken."""
    known = GERMAN | VALIDATION
    exact_first = sorted(known, key=lambda english: -len(english.replace("{}", "")))
    return tuple((_pattern(english), known[english]) for english in exact_first)


def _pattern(english: str) -> re.Pattern[str]:
    return re.compile(re.escape(english).replace(r"'\{\}'", _NAME).replace(r"\{\}", "(.*)"), re.DOTALL)
