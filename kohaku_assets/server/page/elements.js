// Elements are made of text only: nothing of a document, a title or a question is ever read as HTML.
export function make(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name === "text") made.textContent = value;
    else if (value === true) made.setAttribute(name, "");
    else if (value !== null && value !== undefined && value !== false) made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

export function table(heads, rows) {
  const head = make("tr", {}, ...heads.map((text) => make("th", { scope: "col", text })));
  const body = rows.map((cells) => make("tr", {}, ...cells.map((cell) => make("td", {}, cell instanceof Node ? cell : String(cell ?? "–")))));
  return make("table", {}, make("thead", {}, head), make("tbody", {}, ...body));
}

// The text of a document, with its Markdown tables as tables.
export function passageNodes(text) {
  const runs = [];
  for (const line of text.split("\n")) {
    const isRow = /^\s*\|.*\|\s*$/.test(line);
    if (runs.at(-1)?.isRow === isRow) runs.at(-1).lines.push(line);
    else runs.push({ isRow, lines: [line] });
  }
  return runs.filter(({ lines }) => lines.join("").trim()).map(({ isRow, lines }) => {
    if (!isRow || !/^\s*\|(?:\s*:?-{3,}:?\s*\|)+\s*$/.test(lines[1] ?? "")) return make("p", { text: lines.join("\n").trim() });
    const [heads, , ...rows] = lines.map((line) => line.trim().slice(1, -1).split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|")));
    return make("div", { class: "scroll", tabindex: "0" }, table(heads, rows));
  });
}

// Paragraphs, quotes, list items and **bold** of an answer; [Source N] becomes a button.
export function answerNodes(content, onCite, label) {
  return content.split(/\n{2,}/).filter((block) => block.trim()).map((block) => {
    const isQuote = block.split("\n").every((line) => line.startsWith(">"));
    const text = isQuote ? block.replace(/^>\s?/gm, "") : block.replace(/^[-*] /gm, "• ");
    return make(isQuote ? "blockquote" : "p", {}, ...inline(text, onCite, label));
  });
}

function inline(text, onCite, label) {
  return text.split(/(\[Source \d+\]|\*\*[^*\n]+\*\*)/).filter(Boolean).map((part) => {
    const cited = /^\[Source (\d+)\]$/.exec(part);
    if (cited) {
      const number = Number(cited[1]);
      return make("button", { type: "button", class: "cite", text: String(number), "aria-label": label(number), onclick: () => onCite(number) });
    }
    const bold = /^\*\*(.+)\*\*$/.exec(part);
    return bold ? make("strong", { text: bold[1] }) : document.createTextNode(part);
  });
}
