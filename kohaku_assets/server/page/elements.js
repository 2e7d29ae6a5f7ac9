// Elements are made of text only: nothing of a document, a title or a question is ever read as HTML.
export function make(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name === "text") made.textContent = value;
    else if (value === true) made.setAttribute(name, "");
    else if (value !== null && value !== undefined && value !== false) made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined && child !== false && child !== ""));
  return made;
}

// The focus stays where it was, though the button that had it is gone.
export function fill(place, ...nodes) {
  const hadFocus = place.contains(document.activeElement);
  place.replaceChildren(...nodes);
  if (hadFocus) place.focus();
}

export function table(heads, rows) {
  const head = make("tr", {}, ...heads.map((text) => make("th", { scope: "col", text })));
  const body = rows.map((cells) => make("tr", {}, ...cells.map((cell) => make("td", {}, cell instanceof Node ? cell : String(cell ?? "–")))));
  return make("table", {}, make("thead", {}, head), make("tbody", {}, ...body));
}

// The text of a document, with its Markdown tables as tables. Of `mark`, the words or rows from one offset to another are
// marked, of `bold` the words that answer; offsets count code points.
export function passageNodes(text, { mark = null, bold = null } = {}) {
  const runs = [];
  let start = 0;
  for (const line of text.split("\n")) {
    const kind = /^\s*\|.*\|\s*$/.test(line) ? "row" : /^\s*[-•] /.test(line) ? "item" : "text";
    if (runs.at(-1)?.kind === kind) runs.at(-1).lines.push({ line, start });
    else runs.push({ kind, lines: [{ line, start }] });
    start += [...line].length + 1;
  }
  return runs.filter(({ lines }) => lines.some(({ line }) => line.trim())).map(({ kind, lines }) => {
    if (kind === "item") return make("ul", {}, ...lines.map((item) => itemNode(item, mark, bold)));
    const isTable = kind === "row" && /^\s*\|(?:\s*:?-{3,}:?\s*\|)+\s*$/.test(lines[1]?.line ?? "");
    if (isTable) return make("div", { class: "scroll", tabindex: "0" }, tableNode(lines, mark, bold));
    return make("p", {}, ...markedNodes(lines.map(({ line }) => line).join("\n"), lines[0].start, mark, bold));
  });
}

function itemNode({ line, start }, mark, bold) {
  const bullet = /^\s*[-•] /.exec(line)[0].length;
  return make("li", {}, ...markedNodes(line.slice(bullet), start + bullet, mark, bold));
}

function tableNode([head, , ...rows], mark, bold) {
  const cells = ({ line, start }, tag) => cellsOf(line, start).map((cell) => make(tag, tag === "th" ? { scope: "col" } : {}, ...markedNodes(cell.text, cell.start, null, bold)));
  const rowNode = (row) => make("tr", { class: meets(mark, row.start, row.start + [...row.line].length) ? "marked" : null }, ...cells(row, "td"));
  return make("table", {}, make("thead", {}, make("tr", {}, ...cells(head, "th"))), make("tbody", {}, ...rows.map(rowNode)));
}

// The cells of a row with the offset at which the text of each begins.
function cellsOf(line, start) {
  const cells = [], signs = [...line];
  let from = signs.indexOf("|") + 1;
  for (let place = from; place < signs.length; place++) {
    if (signs[place] !== "|" || signs[place - 1] === "\\") continue;
    const written = signs.slice(from, place).join(""), text = written.trim();
    cells.push({ text: text.replaceAll("\\|", "|"), start: start + from + [...written.slice(0, written.length - written.trimStart().length)].length });
    from = place + 1;
  }
  return cells;
}

function markedNodes(text, start, mark, bold) {
  const signs = [...text], part = (from, to) => signs.slice(Math.max(0, from - start), Math.max(0, to - start)).join("");
  const end = start + signs.length, cuts = [start, end, ...(mark ?? []), ...(bold ?? [])].filter((cut) => cut >= start && cut <= end).sort((a, b) => a - b);
  const nodes = [];
  for (const [place, to] of cuts.slice(1).entries()) {
    const from = cuts[place], words = part(from, to);
    if (!words) continue;
    const node = meets(bold, from, to) ? make("strong", { text: words }) : document.createTextNode(words);
    if (!meets(mark, from, to)) nodes.push(node);
    else if (nodes.at(-1)?.tagName === "MARK") nodes.at(-1).append(node);
    else nodes.push(make("mark", {}, node));
  }
  return nodes;
}

function meets(span, from, to) { return Boolean(span) && span[0] < to && from < span[1]; }

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
