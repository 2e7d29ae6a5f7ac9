"""Writes dist/sbom.cdx.json (CycloneDX) and dist/licences.md: every package that the default installation needs.

It fails where a licence is neither permissive nor among the exceptions that the README names.
"""

from __future__ import annotations

import json
import re
import sys
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

OUT = Path(__file__).resolve().parents[1] / "dist"
PERMISSIVE = re.compile(
    r"\b(0BSD|MIT|MIT-CMU|HPND|BSD|Apache|ISC|PSF|Python Software Foundation|Python-2\.0|Unlicense|Zlib|CNRI|CC0|Boost)\b",
    re.IGNORECASE,
)
# As their projects say; the parts of PyMuPDF state none of their own in the package.
_ARTIFEX = "AGPL-3.0 or Artifex's commercial licence"
EXCEPTIONS = {"certifi": "MPL-2.0", "tqdm": "MPL-2.0 AND MIT"}
EXCEPTIONS |= dict.fromkeys(("pymupdf", "pymupdf-layout", "pymupdf4llm"), _ARTIFEX)


def main() -> int:
    """Write both files; return the number of packages whose licence is not accounted for."""
    packages = sorted(needed("kohaku"), key=lambda one: canonicalize_name(one.name))
    OUT.mkdir(exist_ok=True)
    rows = [(one.name, one.version, licence(one)) for one in packages]
    components = [
        {"type": "library", "name": name, "version": version, "purl": f"pkg:pypi/{canonicalize_name(name)}@{version}"}
        | ({"licenses": [{"license": {"name": text}}]} if text else {})
        for name, version, text in rows
    ]
    own = {"type": "application", "name": "kohaku", "version": metadata.version("kohaku")}
    bom = {"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1}
    bom |= {"metadata": {"component": own}, "components": components}
    (OUT / "sbom.cdx.json").write_text(json.dumps(bom, indent=1), encoding="utf-8")
    lines = [f"| {name} | {version} | {text or 'not stated'} |" for name, version, text in rows]
    table = "\n".join(["| package | version | licence |", "|---|---|---|", *lines])
    (OUT / "licences.md").write_text(f"# Licences of the dependencies\n\n{table}\n", encoding="utf-8")
    open_rows = [row for row in rows if not PERMISSIVE.search(row[2]) and canonicalize_name(row[0]) not in EXCEPTIONS]
    for name, version, text in open_rows:
        print(
            f"{name} {version}: the licence {text or 'is not stated'}; look at it, and add it to EXCEPTIONS or do without"
        )
    print(f"{len(rows)} packages in {OUT / 'sbom.cdx.json'} and {OUT / 'licences.md'}")
    return len(open_rows)


def needed(name: str) -> list[metadata.Distribution]:
    """Return the installed packages that `name` needs, directly or not, without its extras."""
    found: dict[str, metadata.Distribution] = {}
    waiting = [(name, frozenset[str]())]
    seen = set(waiting)
    while waiting:
        package, extras = waiting.pop()
        for line in metadata.requires(package) or ():
            need = Requirement(line)
            if need.marker and not any(need.marker.evaluate({"extra": extra}) for extra in (extras or {""})):
                continue
            key = (canonicalize_name(need.name), frozenset(need.extras))
            if key not in seen:
                seen.add(key)
                waiting.append(key)
                found[key[0]] = metadata.distribution(need.name)
    return list(found.values())


def licence(package: metadata.Distribution) -> str:
    """Return the licence that a package states: the expression, else its classifiers, else its first line of text."""
    facts = package.metadata
    if canonicalize_name(package.name) in EXCEPTIONS:
        return EXCEPTIONS[canonicalize_name(package.name)]
    if facts.get("License-Expression"):
        return facts["License-Expression"]
    named = [one.rpartition(" :: ")[2] for one in facts.get_all("Classifier") or () if one.startswith("License ::")]
    return ", ".join(named) or (facts.get("License") or "").strip().partition("\n")[0][:80]


if __name__ == "__main__":
    sys.exit(main())
