# SPDX-License-Identifier: Apache-2.0
# Writes small Chakra traces (schema 0.0.4, protobuf, one file a rank) by field number.
# Leaves out: everything that a replay does not read.
COMPUTE, SEND, RECV, COLLECTIVE = 4, 5, 6, 7
ALL_REDUCE, ALL_GATHER, ALL_TO_ALL = 0, 2, 6


def varint(value):
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field, value):
    return varint(field << 3) + varint(value)


def data(field, value):
    return varint(field << 3 | 2) + varint(len(value)) + value


def attribute(name, value):
    if isinstance(value, bool):
        body = number(27, int(value))
    elif isinstance(value, int):
        body = number(9, value)
    else:
        body = data(29, value.encode())
    return data(10, data(1, name.encode()) + body)


class RankTrace:
    """The file of one rank. Each node depends on the one before it."""

    def __init__(self):
        metadata = data(1, b"0.0.4")
        self.bytes = varint(len(metadata)) + metadata
        self.count = 0

    def node(self, kind, name, duration_micros=0, **attributes):
        body = number(1, self.count) + data(2, name.encode()) + number(3, kind)
        if self.count:
            body += data(5, varint(self.count - 1))
        if duration_micros:
            body += number(7, duration_micros)
        body += attribute("is_cpu_op", False)
        for key, value in attributes.items():
            body += attribute(key, value)
        self.bytes += varint(len(body)) + body
        self.count += 1
        return self

    def compute(self, micros):
        return self.node(COMPUTE, "compute", micros)

    def collective(self, kind, size):
        return self.node(COLLECTIVE, "collective", comm_type=kind, comm_size=size)


def write_trace(directory, ranks, name="trace"):
    directory.mkdir(parents=True, exist_ok=True)
    for rank, trace in enumerate(ranks):
        (directory / f"{name}.{rank}.et").write_bytes(trace.bytes)
    return directory
