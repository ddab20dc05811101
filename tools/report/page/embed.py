#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""embed.py OUTPUT FILE...

Writes C source with the bytes of each FILE, as struct span page_NAME, where NAME is the name of the file with _ for what is no
letter. A file that does not exist is empty."""

import pathlib
import re
import sys

output, *files = map(pathlib.Path, sys.argv[1:])
parts = ["/* Made by tools/report/page/embed.py. */\n#include \"tools/report/page_parts.h\"\n"]
for path in files:
    data = path.read_bytes() if path.exists() else b""
    # The map of the library is not in the page.
    data = re.sub(rb"//# sourceMappingURL=.*", b"", data)
    name = re.sub(r"\W", "_", path.name)
    rows = [",".join(map(str, data[at:at + 32])) for at in range(0, len(data), 32)]
    parts.append(f"static const unsigned char bytes_{name}[] = {{\n" + ",\n".join(rows + ["0"]) + "\n};\n")
    parts.append(f"const struct span page_{name} = {{ (const char *)bytes_{name}, {len(data)} }};\n")
output.write_text("".join(parts), encoding="ascii")
