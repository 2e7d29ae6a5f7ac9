"""Write messages as Outlook saves them: properties as streams of a compound file."""

import struct
from datetime import UTC, datetime
from itertools import pairwise

FREE, END, FAT = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD


def outlook_file(properties, recipients=(), attachments=()):
    """Return the bytes of a message with properties by their ids: texts, bytes, integers or times.

    An attachment whose data (0x3701) is a tuple of these arguments is a message, the bytes of its header behind them.
    """
    return compound_file(_message(properties, recipients, attachments, 32))


def _message(properties, recipients, attachments, header=24):
    tree = _storage(properties, header)
    for kind, number_of in (("recip", recipients), ("attach", attachments)):
        for number, own in enumerate(number_of):
            tree[f"__{kind}_version1.0_#{number:08X}"] = _storage(own, 8)
    return tree


def _storage(properties, header):
    tree, entries = {}, b""
    for pid, value in properties.items():
        if isinstance(value, int):
            kind, stated = 0x0003, struct.pack("<Q", value)
        elif isinstance(value, datetime):
            since = value - datetime(1601, 1, 1, tzinfo=UTC)
            kind, stated = 0x0040, struct.pack("<Q", int(since.total_seconds()) * 10**7)
        elif isinstance(value, tuple):
            kind, stated = 0x000D, struct.pack("<Q", FREE)
            tree[f"__substg1.0_{pid:04X}000D"] = _message(*value)
        else:
            kind, data = (0x0102, value) if isinstance(value, bytes) else (0x001F, value.encode("utf-16-le"))
            stated = struct.pack("<II", len(data) + (2 if kind == 0x001F else 0), 0)
            tree[f"__substg1.0_{pid:04X}{kind:04X}"] = data
        entries += struct.pack("<HHI", kind, pid, 6) + stated
    return tree | {"__properties_version1.0": bytes(header) + entries}


def compound_file(tree):
    """Return a compound file (MS-CFB, version 3) with the streams (bytes) and storages (dictionaries) of `tree`."""
    nodes = [["Root Entry", 5, FREE, FREE, b""]]  # name, kind, next sibling, child, data
    nodes[0][3] = _add(tree, nodes)
    small, small_chain = b"", []
    starts = {}
    body, chain = b"", []

    def place(data):
        nonlocal body
        count = -(-len(data) // 512)
        start = len(chain)
        chain.extend([*range(start + 1, start + count), END][:count] if count else [])
        body += data.ljust(count * 512, b"\0")
        return start if count else END

    for number, node in enumerate(nodes):
        if len(node[4]) >= 4096:
            starts[number] = place(node[4])
        elif node[4]:
            starts[number] = len(small_chain)
            count = -(-len(node[4]) // 64)
            small_chain += [*range(len(small_chain) + 1, len(small_chain) + count), END]
            small += node[4].ljust(count * 64, b"\0")
    nodes[0][4], starts[0] = small, place(small)
    first_small = place(b"".join(struct.pack("<I", one) for one in small_chain).ljust(512, b"\xff"))
    entries = b""
    for number, (name, kind, sibling, child, data) in enumerate(nodes):
        coded = name.encode("utf-16-le")
        entries += coded.ljust(64, b"\0") + struct.pack("<HBBIII", len(coded) + 2, kind, 1, FREE, sibling, child)
        entries += bytes(36) + struct.pack("<IQ", starts.get(number, END), len(data))
    directory = place(entries + bytes(-len(entries) % 512))
    count_small = -(-len(small_chain) // 128) or 1
    fats = next(count for count in range(1, 110) if count * 128 >= len(chain) + count)
    places = range(len(chain), len(chain) + fats)
    chain.extend([FAT] * fats)
    body += b"".join(struct.pack("<I", one) for one in [*chain, *[FREE] * (fats * 128 - len(chain))])
    head = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16) + struct.pack("<HHHHH6x", 0x3E, 3, 0xFFFE, 9, 6)
    head += struct.pack("<IIIIIIIII", 0, fats, directory, 0, 4096, first_small, count_small, END, 0)
    return head + struct.pack("<109I", *places, *[FREE] * (109 - fats)) + body


def _add(tree, nodes):
    numbers = []
    for name, value in tree.items():
        numbers.append(len(nodes))
        nodes.append([name, 1 if isinstance(value, dict) else 2, FREE, FREE, b"" if isinstance(value, dict) else value])
        if isinstance(value, dict):
            nodes[numbers[-1]][3] = _add(value, nodes)
    for number, after in pairwise(numbers):
        nodes[number][2] = after
    return numbers[0] if numbers else FREE
