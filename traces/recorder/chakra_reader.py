# SPDX-License-Identifier: Apache-2.0
"""Reads Chakra v0.0.4 files with nothing but the standard library: an independent look at them.
Leaves out: attribute kinds that the recorder never writes."""


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def fields(data):
    """Yields (field number, value) of one message; bytes for length-delimited fields."""
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        if tag & 7 == 0:
            value, at = varint(data, at)
        elif tag & 7 == 2:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
            if len(value) != size:
                raise ValueError("length-delimited field runs past the end of its message")
        else:
            raise ValueError(f"unexpected wire type {tag & 7}")
        yield tag >> 3, value


def packed(data):
    at, values = 0, []
    while at < len(data):
        value, at = varint(data, at)
        values.append(value)
    return values


def attribute(data):
    name = value = None
    for number, raw in fields(data):
        if number == 1:
            name = raw.decode()
        elif number in (7, 9):
            value = raw - (1 << 64) if raw >= 1 << 63 else raw
        elif number == 10:
            value = packed(dict(fields(raw)).get(1, b""))
        elif number == 27:
            value = bool(raw)
        elif number == 29:
            value = raw.decode()
        else:
            raise ValueError(f"attribute kind {number} is not one the recorder writes")
    return name, value


def node(data):
    result = {"id": 0, "name": "", "type": 0, "deps": [], "micros": 0, "attr": {}}
    for number, raw in fields(data):
        if number == 1:
            result["id"] = raw
        elif number == 2:
            result["name"] = raw.decode()
        elif number == 3:
            result["type"] = raw
        elif number == 5:
            result["deps"] = packed(raw)
        elif number == 7:
            result["micros"] = raw
        elif number == 10:
            name, value = attribute(raw)
            result["attr"][name] = value
        else:
            raise ValueError(f"node field {number} is not one the recorder writes")
    return result


def read(path):
    """(version, nodes) of a file; raises ValueError or IndexError on a torn one."""
    with open(path, "rb") as file:
        data = file.read()
    messages, at = [], 0
    while at < len(data):
        size, at = varint(data, at)
        if at + size > len(data):
            raise ValueError(f"{path}: message at byte {at} runs past the end of the file")
        messages.append(data[at:at + size])
        at += size
    version = dict(fields(messages[0]))[1].decode()
    return version, [node(message) for message in messages[1:]]
