# SPDX-License-Identifier: Apache-2.0
"""layout.py -- what all plots have in common: their width, a headline, a footer, and how figures
are written."""

WIDTH, MARGIN = 760, 20
FOOTER = 30
WRAP = 76  # letters of a headline in one line


def count(value):
    return f"{value:,.0f}"


def short(value):
    """Whole numbers from ten on, two significant digits below."""
    return count(value) if value >= 10 else f"{value:.2g}"


def seconds(value):
    return f"{short(value)} s" if value >= 0.1 else f"{short(value * 1000)} ms"


def milliseconds(value):
    return seconds(value / 1000)


def microseconds(value):
    return f"{short(value)} µs"


def megabytes(value):
    return f"{short(value / 1000)} GB" if value >= 1000 else f"{short(value)} MB"


def wrapped(words, room):
    """In lines of |room| letters; where one is not enough, what is compared starts a new one."""
    ours, mark, theirs = words.partition("; ")
    if len(words) > room and mark:
        return [*wrapped(ours + ";", room), *wrapped(theirs, room)]
    lines = [""]
    for word in words.split(" "):
        if len(lines[-1]) + len(word) > room:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


def put_headline(drawing, headline, below):
    """The statement of the plot, and one line that says what is drawn.  Returns where it ends."""
    lines = wrapped(headline, WRAP)
    for place, line in enumerate(lines):
        drawing.text(MARGIN, 26 + 20 * place, line, size=16, weight=600)
    drawing.text(MARGIN, 28 + 20 * len(lines), below, "faint")
    return 58 + 20 * len(lines)


def put_footer(drawing, source):
    drawing.text(MARGIN, drawing.height - 12, source, "faint", size=10.5)
