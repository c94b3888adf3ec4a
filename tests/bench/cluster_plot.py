# SPDX-License-Identifier: Apache-2.0
"""cluster_plot.py -- three small charts over one time axis, as SVG: Pods that run, CPU, memory."""

WIDTH, HEIGHT, LEFT, RIGHT, TOP = 720, 150, 70, 130, 46
STEP = HEIGHT + 44
COLOURS = {"server": "#0b6e99", "control": "#c2571a", "running": "#2f7d32"}
HEAD = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {w} {h}" font-family="sans-serif" font-size="12">
<rect width="100%" height="100%" fill="#fff"/>
<text x="{left}" y="22" font-size="15" font-weight="600" fill="#222">{title}</text>
"""


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

    def axes(self):
        parts = [f'<text x="{LEFT}" y="{self.y0 + 8}" fill="#444">{self.title}</text>']
        for share in (0, 0.5, 1):
            y = self.y(share * self.top)
            parts.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" '
                         'stroke="#ddd"/>')
            parts.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end" fill="#666">'
                         f'{share * self.top:g} {self.unit}</text>')
        for share in (0, 0.25, 0.5, 0.75, 1):
            parts.append(f'<text x="{self.x(share * self.until):.1f}" y="{self.y0 + HEIGHT + 16}" '
                         f'text-anchor="middle" fill="#666">{share * self.until:.1f} s</text>')
        return parts

    def draw(self):
        parts = self.axes()
        for name, points in self.curves.items():
            colour = COLOURS[name]
            line = " ".join(f"{self.x(s):.1f},{self.y(value):.1f}" for s, value in points)
            parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" '
                         'stroke-width="2"/>')
            parts.append(f'<text x="{WIDTH - RIGHT + 8}" y="{self.y(points[-1][1]) + 4:.1f}" '
                         f'fill="{colour}">{name} {points[-1][1]:.0f} {self.unit}</text>')
        return parts


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
    head = HEAD.format(w=WIDTH, h=TOP + len(charts) * STEP, left=LEFT, title=title)
    return head + "\n".join(part for chart in charts for part in chart.draw()) + "\n</svg>\n"
