# SPDX-License-Identifier: Apache-2.0
"""bar_chart.py -- horizontal bars with their figures at their ends, from zero on one linear scale."""

from layout import MARGIN, WIDTH

LEFT, RIGHT, STEP, THICK = MARGIN + 190, 90, 22, 15


class BarChart:
    """|bars|: (name, kind, value); |words| writes a value."""

    def __init__(self, title, bars, words):
        self.title, self.bars, self.words = title, bars, words
        self.longest = max(value for *_, value in bars) or 1

    def draw(self, drawing, top):
        """Returns where it ends."""
        drawing.text(MARGIN, top + 6, self.title, weight=600)
        y = top + 16
        for name, kind, value in self.bars:
            length = max(1, (WIDTH - LEFT - RIGHT) * value / self.longest)
            drawing.text(LEFT - 8, y + 12, name, kind, "end")
            drawing.bar(LEFT, y, length, THICK, kind)
            drawing.text(LEFT + length + 6, y + 12, self.words(value))
            y += STEP
        return y + 18
