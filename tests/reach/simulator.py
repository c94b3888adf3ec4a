# SPDX-License-Identifier: Apache-2.0
"""simulator.py -- a tree of mirrors as discrete events: how far behind its watchers are, how they
recover when a mirror is lost, and which CPU, bytes and memory the tree needs.

    upstream ──▶ roots ──▶ mids ──▶ leaves ──▶ watchers

Every mirror is simulated by itself, with the states of src/server/mirror/follower.h:

    watching ──lost──▶ waiting (backoff with jitter, next address) ──▶ opening ──▶ watching
                          ▲ refused                                       │ missed changes arrive
                          └───────────────────────────────────────────────┘

Watchers of a leaf are alike, so a delivery to all of them is one job of their leaf; they become
single ones when their leaf is lost: each waits, and opens its watch at another leaf.

A machine works on its jobs in turn; a job takes its CPU time, divided by the cores.  Everything is
decided by one seeded generator: the same seed gives the same run."""

import dataclasses
import heapq
import math
import random


@dataclasses.dataclass
class Costs:
    """Per unit, measured; docs/internals/reach.md says with which command."""
    deliver_s: float = 8.6e-6   # CPU of a mirror to send one change to one client
    apply_s: float = 60e-6      # CPU of a mirror to take one change
    open_s: float = 150e-6      # CPU of a mirror to open one watch
    client_s: float = 0.0       # CPU of a client for one change, where it shares the machine
    event_bytes: int = 1100
    watcher_bytes: int = 1900   # memory of an open watch
    mirror_bytes: int = 12 << 20
    latency_s: float = 0.0005   # of the network, one way, and as much again at random
    write_s: float = 0.0        # from the write to the first byte of the upstream's watch


@dataclasses.dataclass
class Backoff:
    base_s: float
    cap_s: float
    jitter: float

    def delay(self, tries, dice):
        return min(self.base_s * 2 ** tries, self.cap_s) * (1 + self.jitter * dice.random())


FOLLOWER = Backoff(0.1, 5.0, 0.5)  # follower.c
CLIENTS = {"listwatch": Backoff(0.2, 2.0, 1.0),  # reflector.c, after a watch that was cut off
           "client-go": Backoff(0.8, 30.0, 1.0)}  # reflector.go
SILENT_S = {"listwatch": 90, "client-go": 45}  # until a client doubts; client-go by HTTP/2 PING
PATIENCE_S = 200  # after the last change, for those who recover
PROBE_S, ANSWER_S = 5.0, 3.0  # mirror_health.c: how a silent address is found out


@dataclasses.dataclass
class Tree:
    """The number of mirrors of each level below the upstream; the last one has the watchers."""
    levels: tuple
    watchers: int
    cores: float = 4            # of each machine
    is_one_machine: bool = False
    client: str = "listwatch"


class Machine:
    def __init__(self, cores):
        self.cores, self.free_at, self.used_s = cores, 0.0, 0.0

    def work(self, now, cpu_s):
        """When a job begins that arrives now; it ends cpu_s / cores later."""
        begin = max(now, self.free_at)
        self.free_at = begin + cpu_s / self.cores
        self.used_s += cpu_s
        return begin


class Histogram:
    """Seconds, by weight; buckets grow by a fiftieth."""

    FIRST, GROWTH = 1e-4, 1.02

    def __init__(self):
        self.buckets, self.count, self.max = {}, 0, 0.0

    def add(self, seconds, weight=1):
        level = math.ceil(math.log(max(seconds / self.FIRST, 1)) / math.log(self.GROWTH))
        self.buckets[level] = self.buckets.get(level, 0) + weight
        self.count += weight
        self.max = max(self.max, seconds)

    def share(self, part):
        """The value that |part| of all do not exceed."""
        left = part * self.count
        for level in sorted(self.buckets):
            left -= self.buckets[level]
            if left <= 0:
                return min(self.FIRST * self.GROWTH ** level, self.max)
        return self.max

    def __str__(self):
        if not self.count:
            return "none"
        return (f"p50 {self.share(.5) * 1e3:.1f} ms, p99 {self.share(.99) * 1e3:.1f} ms, "
                f"max {self.max * 1e3:.1f} ms")


class Node:
    """The upstream (level 0) or a mirror."""

    def __init__(self, level, number, machine):
        self.level, self.number, self.machine = level, number, machine
        self.is_alive = True
        self.revision = 0       # of the last change that it has
        self.parents = []       # addresses, in its order
        self.at = None          # the parent whose watch is open
        self.children = {}      # nodes with an open watch, in the order in which they came
        self.watchers = 0
        self.link_free = 0.0    # the last byte of its watch has come
        self.tries = 0
        self.lost_at = None     # since when it does not follow
        self.sent_bytes = 0
        self.opens = {}         # watches opened per second


class Simulation:
    def __init__(self, tree, costs=None, rate=10.0, seed=1):
        self.tree, self.costs, self.rate = tree, costs or Costs(), rate
        self.dice = random.Random(seed)
        self.now, self.order, self.queue = 0.0, 0, []
        self.made_at = [0.0]    # by revision
        self.lags, self.lags_in_fault = Histogram(), Histogram()
        self.recoveries = Histogram()           # of mirrors
        self.watcher_recoveries = Histogram()   # of watchers: their own, or that of their leaf
        self.refused = 0
        self.stops_at = 0.0
        self.make_tree()

    # Time.

    def at(self, when, work, *args):
        self.order += 1
        heapq.heappush(self.queue, (when, self.order, work, args))

    def run(self, seconds):
        self.stops_at = self.now + seconds
        self.at(self.now + self.dice.expovariate(self.rate), self.change)
        while self.queue and self.queue[0][0] <= self.stops_at + PATIENCE_S:
            self.now, _, work, args = heapq.heappop(self.queue)
            work(*args)

    def hop(self):
        return self.costs.latency_s * (1 + self.dice.random())

    # The tree.

    def make_tree(self):
        shared = Machine(self.tree.cores) if self.tree.is_one_machine else None
        self.upstream = Node(0, 0, shared or Machine(self.tree.cores))
        self.levels = [[self.upstream]]
        for level, count in enumerate(self.tree.levels, 1):
            nodes = [Node(level, i, shared or Machine(self.tree.cores)) for i in range(count)]
            above = self.levels[-1]
            for i, node in enumerate(nodes):
                others = [other for other in above if other is not above[i % len(above)]]
                self.dice.shuffle(others)
                node.parents = [above[i % len(above)]] + others
                node.at = node.parents[0]
                node.at.children[node] = True
            self.levels.append(nodes)
        leaves = self.levels[-1]
        for i, leaf in enumerate(leaves):
            leaf.watchers = self.tree.watchers // len(leaves) + (
                i < self.tree.watchers % len(leaves))

    def mirrors(self):
        return [node for level in self.levels[1:] for node in level]

    # Changes.

    def change_now(self):
        self.made_at.append(self.now)
        self.at(self.now + self.costs.write_s, self.take, self.upstream, len(self.made_at) - 1)

    def change(self):
        self.change_now()
        following = self.now + self.dice.expovariate(self.rate)
        if following < self.stops_at:
            self.at(following, self.change)

    def take(self, node, revision, link=None):
        """A node has got everything up to |revision|, over the watch |link|."""
        if not node.is_alive or node.at is not link or revision <= node.revision:
            return
        missed = revision - node.revision
        node.revision = revision
        if node.lost_at is not None:
            self.recovered(node)
        self.send(node, missed)

    def send(self, node, changes):
        """Sends the last changes to all who have a watch open."""
        costs, cores = self.costs, node.machine.cores
        count = len(node.children) + node.watchers
        cpu_s = changes * (costs.apply_s + count * costs.deliver_s + node.watchers * costs.client_s)
        done = node.machine.work(self.now, cpu_s) + changes * costs.apply_s / cores
        node.sent_bytes += changes * count * costs.event_bytes
        for child in node.children:
            done += changes * costs.deliver_s / cores
            self.deliver(node, child, node.revision, done)
        self.reach_watchers(node, changes, done)

    def deliver(self, node, child, revision, done):
        arrives = max(done + self.hop(), child.link_free)  # bytes do not overtake each other
        child.link_free = arrives
        self.at(arrives, self.take, child, revision, node)

    def reach_watchers(self, node, changes, begin):
        """Notes when the watchers get the last changes: the first ones at once, the last ones
        when the job is over."""
        if not node.watchers:
            return
        costs = self.costs
        each = (costs.deliver_s + costs.client_s) * changes / node.machine.cores
        parts = min(8, node.watchers)
        for revision in range(node.revision - changes + 1, node.revision + 1):
            for part in range(parts):
                end = begin + each * node.watchers * (part + 0.5) / parts + self.hop()
                self.lags.add(end - self.made_at[revision], node.watchers / parts)
                if changes > 1:
                    self.lags_in_fault.add(end - self.made_at[revision], node.watchers / parts)

    # Losses.

    def lose(self, node, is_silent=False):
        """A mirror dies: its connections break, or just say nothing any more."""
        node.is_alive = False
        if node.at:
            node.at.children.pop(node, None)
        for child in list(node.children):
            delay = self.hop()
            if is_silent:
                delay = self.dice.uniform(0, PROBE_S) + ANSWER_S
            self.at(self.now + delay, self.lost, child, node, self.now)
        node.children.clear()
        for _ in range(node.watchers):
            delay = SILENT_S[self.tree.client] if is_silent else self.hop()
            self.at(self.now + delay, self.watcher_waits, node, 0, self.now)
        node.watchers = 0

    def lost(self, node, parent, since):
        if node.at is parent and node.is_alive:
            node.at, node.tries, node.lost_at = None, 0, since
            self.wait(node)

    def wait(self, node):
        delay = FOLLOWER.delay(node.tries, self.dice)
        node.tries += 1
        self.at(self.now + delay, self.open, node)

    def open(self, node):
        """Asks the next address; one that is dead refuses."""
        if not node.is_alive:
            return
        parent = node.parents[node.tries % len(node.parents)]
        if not parent.is_alive:
            self.refused += 1
            self.wait(node)
            return
        self.at(self.now + 2 * self.hop(), self.opened, node, parent)

    def opened(self, node, parent):
        if not parent.is_alive:
            self.wait(node)
            return
        begin = self.note_open(parent)
        node.at = parent
        parent.children[node] = True
        missed = parent.revision - node.revision
        if missed > 0:
            begin = parent.machine.work(begin, missed * self.costs.deliver_s)
            parent.sent_bytes += missed * self.costs.event_bytes
            self.deliver(parent, node, parent.revision, begin)
        else:
            self.recovered(node)

    def note_open(self, node):
        second = int(self.now)
        node.opens[second] = node.opens.get(second, 0) + 1
        return node.machine.work(self.now, self.costs.open_s) + self.costs.open_s

    def recovered(self, node):
        took = self.now - node.lost_at
        node.lost_at = None
        self.recoveries.add(took)
        below = self.watchers_below(node)
        if below:
            self.watcher_recoveries.add(took, below)

    def watchers_below(self, node):
        return node.watchers + sum(self.watchers_below(child) for child in node.children)

    def watcher_waits(self, lost, tries, since):
        """One watcher of a lost leaf: a Service or its own list of addresses leads it elsewhere."""
        delay = CLIENTS[self.tree.client].delay(tries, self.dice)
        self.at(self.now + delay, self.watcher_opens, lost, tries, since)

    def watcher_opens(self, lost, tries, since):
        leaf = self.dice.choice(self.levels[-1])
        if not leaf.is_alive:
            self.refused += 1
            self.watcher_waits(lost, tries + 1, since)
            return
        begin = self.note_open(leaf)
        missed = max(0, leaf.revision - lost.revision)
        if missed:
            begin = leaf.machine.work(begin, missed * self.costs.deliver_s)
            leaf.sent_bytes += missed * self.costs.event_bytes
        leaf.watchers += 1
        self.watcher_recoveries.add(begin + 2 * self.hop() - since)

    # Results.

    def needs(self):
        """Per level: mirrors, CPU as cores, bytes per second, memory."""
        for level, nodes in enumerate(self.levels):
            machines = {id(node.machine): node.machine for node in nodes}.values()
            yield (level, len(nodes), sum(m.used_s for m in machines) / self.stops_at,
                   max(m.used_s for m in machines) / self.stops_at,
                   sum(node.sent_bytes for node in nodes) / self.stops_at,
                   max(self.costs.mirror_bytes + node.watchers * self.costs.watcher_bytes
                       for node in nodes))

    def most_opens(self):
        return max((most for node in [self.upstream] + self.mirrors()
                    for most in node.opens.values()), default=0)
