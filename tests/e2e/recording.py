# SPDX-License-Identifier: Apache-2.0
"""recording.py -- a terminal's output as a moving picture: SVG whose lines appear one by one."""

import html
import re

WIDTH, LINE, LEFT, TOP = 1010, 19, 20, 62
SLOWER = 12  # a demo takes a third of a second; nobody reads that fast
PAUSE_S = 6
COLOURS = {"you": "#e6edf3", "deployment": "#a5d6ff", "replicaset": "#7ee787",
           "scheduler": "#ffa657", "hollow-node": "#8b949e", "hollow-pod": "#d2a8ff",
           "endpoints": "#f2cc60", "endpointslice": "#f2cc60"}
HEAD = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {w} {h}" font-family="monospace" font-size="13">
<style>
text {{ white-space: pre; fill: #e6edf3 }}
.line {{ opacity: 0; animation: {all:.2f}s linear infinite }}
@media (prefers-reduced-motion: reduce) {{ .line {{ animation: none; opacity: 1 }} }}
</style>
<rect width="100%" height="100%" rx="10" fill="#0d1117"/>
<circle cx="24" cy="22" r="6" fill="#ff5f57"/><circle cx="44" cy="22" r="6" fill="#febc2e"/>
<circle cx="64" cy="22" r="6" fill="#28c840"/>
<text x="{left}" y="{top}">$ {title}</text>
"""


def moments(lines):
    """When each line appears: as the times in them say; a line without one follows at once."""
    now = 0.4
    for line in lines:
        found = re.match(r" *(\d+) ms ", line)
        if found:
            now = max(now + 0.05, int(found.group(1)) / 1000 * SLOWER)
        yield now, line


def colour(line):
    words = re.sub(r"^ *\d+ ms +", "", line).split()
    return COLOURS.get(words[0], "#e6edf3") if words else "#e6edf3"


def draw(title, lines):
    timed = list(moments(lines))
    whole = timed[-1][0] + PAUSE_S
    parts = [HEAD.format(w=WIDTH, h=TOP + LINE * (len(lines) + 1) + 8, all=whole, left=LEFT,
                         top=TOP, title=html.escape(title))]
    for number, (second, line) in enumerate(timed, 1):
        share = 100 * second / whole
        parts.append(f"<style>@keyframes l{number} {{ 0%, {share:.1f}% {{ opacity: 0 }} "
                     f"{share + 0.1:.1f}%, 100% {{ opacity: 1 }} }}</style>"
                     f'<text class="line" style="animation-name:l{number};fill:{colour(line)}" '
                     f'x="{LEFT}" y="{TOP + LINE * (number + 0.5):.0f}">{html.escape(line)}</text>')
    return "\n".join(parts) + "\n</svg>\n"
