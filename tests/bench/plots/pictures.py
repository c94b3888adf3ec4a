# SPDX-License-Identifier: Apache-2.0
"""pictures.py -- which pictures there are, and what each states: a pure function of the figures.
Where a peer was not measured, it is left out of the statement too."""

from bar_chart import BarChart
from layout import FOOTER, WIDTH, count, megabytes, microseconds, milliseconds, put_footer
from layout import put_headline, short
from line_chart import LineChart
from svg import Drawing

KINDS = {"listwatch": "a", "listwatch, JSON": "c", "client-go": "b", "client-go, JSON": "d",
         "client-go dynamic, JSON": "e", "kube-apiserver + etcd": "b",
         "official client": "b"}
OURS, THEIRS = "listwatch", "client-go"
SERVER, OFFICIAL = "kube-apiserver + etcd", "official client"


class Picture:
    """|statement| is its headline, |below| says what is drawn, |charts| stand one below the other."""

    def __init__(self, name, statement, below, charts, command):
        self.name, self.statement, self.below = name, statement, below
        self.charts, self.command = charts, command

    def draw(self, source):
        drawing = Drawing(WIDTH, 0, self.statement, self.below)
        top = put_headline(drawing, self.statement, self.below)
        for chart in self.charts:
            top = chart.draw(drawing, top)
        drawing.resize(top + FOOTER)
        put_footer(drawing, source)
        return drawing.render()


def pick(rows, key, **wanted):
    """The figure |key| of the row in which everything is as |wanted|; None: it was not measured."""
    return next((row[key] for row in rows
                 if all(row[name] == value for name, value in wanted.items())), None)


def statement(ours, theirs):
    """|theirs| is None where there is no peer."""
    return f"{ours}; {theirs}" if theirs else ours


def names(rows):
    return list(dict.fromkeys(row["who"] for row in rows))


def curves(rows, x, y, label="{}", dashes=None):
    return [(label.format(who), KINDS[who], dashes,
             [(row[x], row[y]) for row in rows if row["who"] == who]) for who in names(rows)]


def at_the_largest(rows, key):
    """The largest number of pods, and the two |key|s there."""
    pods = max(row["pods"] for row in rows)
    return [pods, *(pick(rows, key, who=who, pods=pods) for who in (OURS, THEIRS))]


def cold_cpu(figures):
    client = figures["client"]
    rows = client["cold"]
    pods, ours, theirs = at_the_largest(rows, "cpu_ms")
    said = statement(f"An informer of {count(pods)} pods starts with {milliseconds(ours)} of CPU time",
                     theirs and f"client-go's needs {milliseconds(theirs)}")
    chart = LineChart("CPU time of the process until the cache is complete",
                      curves(rows, "pods", "cpu_ms"), lambda n: f"{count(n)} pods", milliseconds, 290)
    return Picture("cold-cpu", said, "Cold start of an informer over the number of pods; protobuf "
                   "where nothing else is said. Both axes are logarithmic.", [chart],
                   client["command"])


def cold_memory(figures):
    client = figures["client"]
    rows = client["cold"]
    pods, ours, theirs = at_the_largest(rows, "settled_mb")
    said = statement(f"An informer of {count(pods)} pods takes {megabytes(ours)}",
                     theirs and f"client-go's takes {megabytes(theirs)}")
    charts = [LineChart(title, curves(rows, "pods", key), lambda n: f"{count(n)} pods", megabytes, 240)
              for title, key in (("Memory of the process when the cache is complete", "settled_mb"),
                                 ("Most memory on the way there", "peak_mb"))]
    return Picture("cold-memory", said, "Resident memory over the number of pods; protobuf where "
                   "nothing else is said. All axes are logarithmic.", charts, client["command"])


def bars(rows, key):
    return [(row["who"], KINDS[row["who"]], row[key]) for row in rows]


def events(figures):
    client = figures["client"]
    rows = client["events"]
    ours, theirs = (pick(rows, "cpu_us", who=who) for who in (OURS, THEIRS))
    said = statement(f"A change of a pod costs an informer {microseconds(ours)} of CPU time",
                     theirs and f"client-go's {microseconds(theirs)}")
    return Picture("events", said, f"{count(client['events_sent'])} changes, sent as fast as they are "
                   "read; protobuf where nothing else is said.",
                   [BarChart("CPU time per change", bars(rows, "cpu_us"), microseconds)],
                   client["command"])


def python(figures):
    measured = figures["python"]
    rows = measured["work"]
    ours, theirs = (pick(rows, "cpu_ms", who=who) for who in (OURS, OFFICIAL))
    said = statement(f"In Python, {count(measured['pods'])} pods and as many changes cost "
                     f"{milliseconds(ours)} of CPU time",
                     theirs and f"with the official client {milliseconds(theirs)}")
    return Picture("python", said, "Pods are listed and each is changed once, in one Python process; "
                   "without the interpreter and the imports.",
                   [BarChart("CPU time", bars(rows, "cpu_ms"), milliseconds),
                    BarChart("Most memory", bars(rows, "mb"), megabytes)], measured["command"])


def server_start(figures):
    server = figures["server"]
    rows = server["start"]

    def said(who):
        ready = pick(rows, "ready_ms", who=who)
        return ready and (f"ready after {milliseconds(ready)} and takes "
                          f"{megabytes(pick(rows, 'rss_mb', who=who))}")
    theirs = said(SERVER)
    return Picture("server-start", statement(f"An empty listwatch server is {said(OURS)}",
                                             theirs and f"kube-apiserver with etcd is {theirs}"),
                   "First start on an empty disk until the server is ready, and its memory then.",
                   [BarChart("Start to ready", bars(rows, "ready_ms"), milliseconds),
                    BarChart("Memory when empty", bars(rows, "rss_mb"), megabytes)],
                   "bench-server --only ready; plots.py for kube-apiserver and etcd")


def server_throughput(figures):
    server = figures["server"]
    creates, lists = server["creates"], server["lists"]
    busiest = max(row["in_flight"] for row in creates)
    ours, theirs = (pick(creates, "per_s", who=who, in_flight=busiest) for who in (OURS, SERVER))
    charts = [BarChart(f"Pods created per second, {many} request{'s' if many > 1 else ''} at once",
                       bars([row for row in creates if row["in_flight"] == many], "per_s"), count)
              for many in sorted({row["in_flight"] for row in creates})]
    charts += [BarChart(f"All pods listed as {form}",
                        bars([row for row in lists if row["form"] == form], "mb_per_s"),
                        lambda value: f"{short(value)} MB/s")
               for form in dict.fromkeys(row["form"] for row in lists)]
    return Picture("server-throughput",
                   statement(f"With {busiest} requests at once, listwatch creates {count(ours)} pods a "
                             "second",
                             theirs and f"kube-apiserver with etcd creates {count(theirs)}"),
                   "One client on the same machine, over TLS. listwatch waits for the disk; this "
                   "etcd does not.", charts, server["command"])


def fan_out(figures):
    server = figures["server"]
    rows = server["watchers"]
    sizes = [{row["watchers"] for row in rows if row["who"] == who} for who in (OURS, SERVER)]
    many = max(sizes[0] & sizes[1] or sizes[0])
    ours, theirs = (pick(rows, "p99_ms", who=who, watchers=many) for who in (OURS, SERVER))
    said = statement(f"With {count(many)} watchers, 99 % of the events arrive within "
                     f"{milliseconds(ours)}",
                     theirs and f"with kube-apiserver and etcd, within {milliseconds(theirs)}")
    both = (curves(rows, "watchers", "p50_ms", "{}, 50 %")
            + curves(rows, "watchers", "p99_ms", "{}, 99 %", "5 3"))
    return Picture("fan-out", said, "Time from before the write to its arrival at a watcher: 50 % and "
                   "99 % arrive within it. Both axes are logarithmic.",
                   [LineChart("5 changes a second of one object, over TLS; by number of "
                              "watchers", both, count, milliseconds, 290)],
                   server["command"])


def pictures(figures):
    """All that the figures are enough for."""
    needed = [(cold_cpu, figures["client"]["cold"]), (cold_memory, figures["client"]["cold"]),
              (events, figures["client"]["events"]), (python, figures["python"]["work"]),
              (server_start, figures["server"]["start"]),
              (server_throughput, figures["server"]["creates"]),
              (fan_out, figures["server"]["watchers"])]
    return [make(figures) for make, rows in needed if any(row["who"] == OURS for row in rows)]
