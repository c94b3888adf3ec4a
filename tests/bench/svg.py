# SPDX-License-Identifier: Apache-2.0
"""svg.py -- writes drawings of text, lines and bars as SVG, for light and dark pages.

A drawing names kinds ("text", "grid", "a" to "e"), never colours: the style sheet inside it has the
colours of each kind for both colour schemes.  The same calls give the same bytes."""

from html import escape

# What each kind looks like on a light page and on a dark one.
COLOURS = {
    "back": ("#ffffff", "#0d1117"),
    "text": ("#1f2328", "#e6edf3"),
    "faint": ("#59636e", "#9198a1"),
    "grid": ("#d9dee3", "#30363d"),
    "a": ("#0b6e99", "#58b6e3"),
    "b": ("#c2571a", "#f0883e"),
    "c": ("#2f7d32", "#56c271"),
    "d": ("#b3261e", "#ff7b72"),
    "e": ("#6f42c1", "#bc8cff"),
}
LIGHT, DARK = 0, 1


def rules(scheme):
    return "".join(f".{kind}{{fill:{pair[scheme]}}}.{kind}-line{{fill:none;stroke:{pair[scheme]}}}"
                   for kind, pair in COLOURS.items())


def number(value):
    """A coordinate: a tenth of a pixel is enough."""
    return f"{value:.1f}".removesuffix(".0")


class Drawing:
    """Its |title| and |description| are for readers that do not see it."""

    def __init__(self, width, height, title, description):
        self.width, self.height = width, height
        self.parts = [
            f'<title id="title">{escape(title)}</title>',
            f'<desc id="desc">{escape(description)}</desc>',
            f"<style>{rules(LIGHT)}@media (prefers-color-scheme: dark){{{rules(DARK)}}}</style>",
            '<rect class="back" width="100%" height="100%"/>']

    def resize(self, height):
        self.height = height

    def text(self, x, y, words, kind="text", anchor="start", size=None, weight=None):
        more = f' font-size="{size}"' if size else ""
        more += f' font-weight="{weight}"' if weight else ""
        more += f' text-anchor="{anchor}"' if anchor != "start" else ""
        self.parts.append(f'<text class="{kind}" x="{number(x)}" y="{number(y)}"{more}>'
                          f'{escape(words)}</text>')

    def line(self, x1, y1, x2, y2, kind="grid"):
        self.parts.append(f'<line class="{kind}-line" x1="{number(x1)}" y1="{number(y1)}" '
                          f'x2="{number(x2)}" y2="{number(y2)}"/>')

    def curve(self, points, kind, dashes=None):
        line = " ".join(f"{number(x)},{number(y)}" for x, y in points)
        more = f' stroke-dasharray="{dashes}"' if dashes else ""
        self.parts.append(f'<polyline class="{kind}-line" stroke-width="2"{more} '
                          f'points="{line}"/>')

    def dot(self, x, y, kind):
        self.parts.append(f'<circle class="{kind}" cx="{number(x)}" cy="{number(y)}" r="3"/>')

    def bar(self, x, y, width, height, kind):
        self.parts.append(f'<rect class="{kind}" x="{number(x)}" y="{number(y)}" '
                          f'width="{number(width)}" height="{number(height)}" rx="2"/>')

    def render(self):
        head = (f'<svg xmlns="http://www.w3.org/2000/svg" width="{number(self.width)}" '
                f'height="{number(self.height)}" '
                f'viewBox="0 0 {number(self.width)} {number(self.height)}" role="img" '
                'aria-labelledby="title desc" '
                'font-family="system-ui, -apple-system, Segoe UI, Helvetica, Arial, sans-serif" '
                'font-size="12">')
        return "\n".join([head, *self.parts, "</svg>", ""])
