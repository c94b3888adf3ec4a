# SPDX-License-Identifier: Apache-2.0
"""line_chart.py -- curves over logarithmic axes.  Each is labelled where it ends: there is no legend."""

import math

from layout import MARGIN, WIDTH

LEFT, RIGHT, LABEL_STEP, GAP = MARGIN + 62, 244, 16, 24


def rounded(value, to_next):
    """The number with the digit 1, 2 or 5 alone that is not above |value|, or not below it."""
    power = 10.0 ** math.floor(math.log10(value))
    steps = [digit * power for digit in (1, 2, 5, 10)]
    if to_next:
        return next(step for step in steps if step >= value)
    return max(step for step in steps if step <= value)


def ticks(low, high):
    """Where lines are drawn: around |low| to |high|, and at the powers of ten between."""
    first, last = rounded(low, False), rounded(high, True)
    between = (10.0 ** power for power in range(math.ceil(math.log10(first)),
                                                math.floor(math.log10(last)) + 1))
    return sorted({first, *between, last if last > first else 2 * last})


def spread(places, step):
    """|places|, in their order, moved apart until neighbours are |step| from each other."""
    order = sorted(range(len(places)), key=lambda i: places[i])
    moved = list(places)
    for _ in range(100):
        for above, below in zip(order, order[1:]):
            lack = step - (moved[below] - moved[above])
            if lack > 0.01:
                moved[above] -= lack / 2
                moved[below] += lack / 2
    return moved


class LineChart:
    """|curves|: (name, kind, dashes or None, [(x, y), ...]); |x_words| and |y_words| write a figure."""

    def __init__(self, title, curves, x_words, y_words, height=230):
        self.title, self.curves, self.height = title, curves, height
        self.x_words, self.y_words = x_words, y_words
        points = [point for curve in curves for point in curve[3]]
        self.xs = sorted({x for x, _ in points})
        self.ys = ticks(min(y for _, y in points), max(y for _, y in points))

    def x(self, value):
        share = math.log(value / self.xs[0]) / (math.log(self.xs[-1] / self.xs[0]) or 1)
        return LEFT + 14 + share * (WIDTH - LEFT - RIGHT - 28)

    def y(self, value):
        share = math.log(value / self.ys[0]) / math.log(self.ys[-1] / self.ys[0])
        return self.bottom - share * (self.bottom - self.top)

    def draw(self, drawing, top):
        """Returns where it ends."""
        self.top, self.bottom = top + 20, top + self.height - 24
        drawing.text(MARGIN, top + 6, self.title, weight=600)
        for value in self.ys:
            drawing.line(LEFT, self.y(value), WIDTH - RIGHT, self.y(value))
            drawing.text(LEFT - 8, self.y(value) + 4, self.y_words(value), "faint", "end")
        for value in self.xs:
            drawing.text(self.x(value), self.bottom + 18, self.x_words(value), "faint", "middle")
        self.draw_curves(drawing)
        return top + self.height + GAP

    def draw_curves(self, drawing):
        ends = spread([self.y(points[-1][1]) for *_, points in self.curves], LABEL_STEP)
        for (name, kind, dashes, points), end in zip(self.curves, ends):
            places = [(self.x(x), self.y(y)) for x, y in points]
            drawing.curve(places, kind, dashes)
            for place in places:
                drawing.dot(*place, kind)
            drawing.text(places[-1][0] + 18, end + 4, f"{name}: {self.y_words(points[-1][1])}", kind)
