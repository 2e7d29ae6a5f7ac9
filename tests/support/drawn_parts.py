"""Parts of charts and diagrams (SmartArt), and the frames by which Word, Excel and PowerPoint files show them."""

import zipfile

_DECLARED = '<?xml version="1.0"?>'
_DRAWING = "http://schemas.openxmlformats.org/drawingml/2006"
_NAMES = (
    f'xmlns:c="{_DRAWING}/chart" xmlns:dgm="{_DRAWING}/diagram" xmlns:a="{_DRAWING}/main" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
)


def chart_part(plot, title="", axes=""):
    """Return the part of a chart: the XML of its plot, its title, and the XML of its axes."""
    head = f"<c:title>{rich(title)}</c:title>" if title else ""
    return f"{_DECLARED}<c:chartSpace {_NAMES}><c:chart>{head}<c:plotArea>{plot}{axes}</c:plotArea></c:chart></c:chartSpace>"


def rich(text):
    """Return a text as titles and labels hold it."""
    return f"<c:tx><c:rich><a:p><a:r><a:t>{text}</a:t></a:r></a:p></c:rich></c:tx>"


def series(name, values, categories=(), code="General", kinds=("cat", "val"), more=""):
    """Return a series: its values and categories, with those that have None left out."""
    names = f"<c:{kinds[0]}><c:strRef><c:strCache>{points(categories)}</c:strCache></c:strRef></c:{kinds[0]}>"
    numbers = f"<c:numRef><c:numCache><c:formatCode>{code}</c:formatCode>{points(values)}</c:numCache></c:numRef>"
    tx = f"<c:tx><c:strRef><c:strCache>{points([name])}</c:strCache></c:strRef></c:tx>" if name else ""
    return f"<c:ser>{tx}{more}{names if categories else ''}<c:{kinds[1]}>{numbers}</c:{kinds[1]}></c:ser>"


def points(texts):
    """Return the stored points of texts."""
    return "".join(f'<c:pt idx="{at}"><c:v>{text}</c:v></c:pt>' for at, text in enumerate(texts) if text is not None)


def diagram_part(points, lines):
    """Return the data of a diagram: its points by id, (type, text), and its lines, the attributes of each."""
    shapes = "".join(
        f'<dgm:pt modelId="{id_}" type="{kind}"><dgm:t><a:bodyPr/><a:p><a:r><a:t>{text}</a:t></a:r></a:p></dgm:t></dgm:pt>'
        for id_, (kind, text) in points.items()
    )
    attributes = (" ".join(f'{name}="{value}"' for name, value in line.items()) for line in lines)
    joined = "".join(f"<dgm:cxn {one}/>" for one in attributes)
    return f"{_DECLARED}<dgm:dataModel {_NAMES}><dgm:ptLst>{shapes}</dgm:ptLst><dgm:cxnLst>{joined}</dgm:cxnLst></dgm:dataModel>"


def frame(kind, id_):
    """Return the graphic that shows the chart or the diagram at a relationship's id."""
    shown = f'<c:chart r:id="{id_}"/>' if kind == "chart" else f'<dgm:relIds r:dm="{id_}" r:lo="x"/>'
    return f'<a:graphic {_NAMES}><a:graphicData uri="{_DRAWING}/{kind}">{shown}</a:graphicData></a:graphic>'


def replaced(path, parts, added=()):
    """Change the parts of a zip file, each by a function of its text, and add others."""
    with zipfile.ZipFile(path) as archive:
        data = {name: archive.read(name) for name in archive.namelist()}
    for name, change in parts.items():
        data[name] = change(data[name].decode()).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in (data | dict(added)).items():
            archive.writestr(name, content)
    return path
