# SPDX-License-Identifier: Apache-2.0
"""cluster_plot.py -- three small charts over one time axis, as SVG: Pods that run, CPU, memory."""

from svg import Drawing

WIDTH, HEIGHT, LEFT, RIGHT, TOP = 720, 150, 70, 130, 46
STEP = HEIGHT + 44
KINDS = {"server": "a", "control": "b", "running": "c"}


def nice(top):
    """The next 1, 2 or 5 times a power of ten."""
    step = 1
    while True:
        for factor in (1, 2, 5):
            if factor * step >= top:
                return factor * step
        step *= 10


class Chart:
    """One of them, number |place| from the top; curves are lists of (second, value)."""

    def __init__(self, place, title, unit, until, curves):
        self.y0 = TOP + place * STEP
        self.until = until or 1
        self.top = nice(max(value for points in curves.values() for _, value in points) or 1)
        self.title, self.unit, self.curves = title, unit, curves

    def x(self, second):
        return LEFT + (WIDTH - LEFT - RIGHT) * second / self.until

    def y(self, value):
        return self.y0 + HEIGHT - (HEIGHT - 20) * value / self.top

    def axes(self, drawing):
        drawing.text(LEFT, self.y0 + 8, self.title)
        for share in (0, 0.5, 1):
            y = self.y(share * self.top)
            drawing.line(LEFT, y, WIDTH - RIGHT, y)
            drawing.text(LEFT - 8, y + 4, f"{share * self.top:g} {self.unit}", "faint", "end")
        for share in (0, 0.25, 0.5, 0.75, 1):
            drawing.text(self.x(share * self.until), self.y0 + HEIGHT + 16,
                         f"{share * self.until:.1f} s", "faint", "middle")

    def draw(self, drawing):
        self.axes(drawing)
        for name, points in self.curves.items():
            drawing.curve([(self.x(s), self.y(value)) for s, value in points], KINDS[name])
            drawing.text(WIDTH - RIGHT + 8, self.y(points[-1][1]) + 4,
                         f"{name} {points[-1][1]:.0f} {self.unit}", KINDS[name])


def draw(samples, nodes, pods, latency):
    def curve(key):
        return [(one["s"], one[key]) for one in samples]
    until = samples[-1]["s"]
    charts = [Chart(0, "Pods that run", "", until, {"running": curve("running")}),
              Chart(1, "CPU since the start", "s", until,
                    {"server": curve("server_cpu_s"), "control": curve("control_cpu_s")}),
              Chart(2, "Resident memory", "MB", until,
                    {"server": curve("server_mb"), "control": curve("control_mb")})]
    title = (f"{pods} Pods on {nodes} hollow nodes in {until:.1f} s; write to handler p99 "
             f"{latency['p99_us'] / 1000:.1f} ms meanwhile")
    drawing = Drawing(WIDTH, TOP + len(charts) * STEP, title,
                      "Three charts over the time in seconds: "
                      + ", ".join(chart.title for chart in charts))
    drawing.text(20, 22, title, size=14, weight=600)
    for chart in charts:
        chart.draw(drawing)
    return drawing.render()
