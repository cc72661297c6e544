# SPDX-License-Identifier: GPL-2.0-or-later
"""Plot: line and bar charts as SVG text, self-contained, by the standard library alone.

Measures nothing, computes only. White background, one y axis, a legend on the right; colours are
those of Okabe and Ito, which the colour-blind can tell apart, and each line has its own marker.

    lines("Reading", "file size", "seconds", [("drain", [(4096, 0.3), (65536, 0.2)])],
          xlog=True, ylog=True, xtext=size_text)
    bars("Reading", "seconds", ["4 KiB", "64 KiB"], [("drain", [0.3, 0.2]), ("dd", [0.2, None])])

A point or bar of None is left out, and so is what is not above 0 on a logarithmic axis.
"""

import math
from html import escape

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#7F7F7F")
WIDTH, HEIGHT = 860, 460
LEFT, TOP, BOTTOM = 92, 56, 88
LEGEND_ROW = 20
CHAR = 7.2                      # width of a letter of the legend, roughly
LABEL_CHAR = 5.6                # of a value over a bar
MARK = 4.2


def size_text(n):
    """
    >>> size_text(4096), size_text(2 << 20), size_text(512), size_text(1536)
    ('4 KiB', '2 MiB', '512 B', '1.5 KiB')
    """
    for unit, name in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if n >= unit:
            return f"{n / unit:g} {name}"
    return f"{n:g} B"


def number_text(n):
    """
    >>> number_text(131072), number_text(0.05), number_text(2.5), number_text(1e6)
    ('131,072', '0.05', '2.5', '1,000,000')
    """
    return f"{n:,.0f}" if abs(n) >= 1000 or n == int(n) else f"{n:.3g}"


def short_text(n):
    """Three digits, for the top of a bar.

    >>> [short_text(n) for n in (0.0421, 3.14159, 87.4, 1234, 45678, 2.5e6)]
    ['0.042', '3.1', '87', '1.2k', '46k', '2.5M']
    """
    for unit, name in ((1e6, "M"), (1e3, "k")):
        if n >= unit:
            return f"{n / unit:.1f}{name}" if n < 10 * unit else f"{n / unit:.0f}{name}"
    return f"{n:.0f}" if n >= 10 or n == int(n) else f"{n:.2g}"


def round_step(span, parts=5):
    """A step of 1, 2 or 5 times a power of ten that divides SPAN into about PARTS.

    >>> round_step(10), round_step(0.7), round_step(130)
    (2.0, 0.1, 20.0)
    """
    raw = span / parts
    power = 10.0 ** math.floor(math.log10(raw))
    return min((power * f for f in (1, 2, 5, 10)), key=lambda step: abs(step - raw))


class Axis:
    """From values to a place on [0, 1], and where the ticks are."""

    def __init__(self, values, log=False, ticks=None, text=number_text, zero=True):
        values = [v for v in values if v is not None and (v > 0 or not log)] or [1]
        self.log, self.text = log, text
        if log:
            self.span_decades(values, ticks)
        else:
            self.span_steps(values, zero)
        self.ticks = list(ticks) if ticks else self.ticks

    def span_decades(self, values, ticks):
        """Whole decades; or, where ticks were given, from the least to the greatest of them."""
        if ticks:
            self.low, self.high = math.log(min(ticks)), math.log(max(ticks))
            self.high += self.high == self.low
            return
        first = math.floor(math.log10(min(values)) + 1e-9)
        last = max(math.ceil(math.log10(max(values)) - 1e-9), first + 1)
        self.low, self.high = first * math.log(10), last * math.log(10)
        every = -(-(last - first) // 7)
        self.ticks = [10.0 ** e for e in range(first, last + 1, every)]

    def span_steps(self, values, zero):
        low, high = (0 if zero else min(values)), max(values)
        step = round_step((high - low) or 1)
        self.low = math.floor(low / step) * step
        self.high = max(math.ceil(high / step), self.low / step + 1) * step
        count = round((self.high - self.low) / step)
        self.ticks = [round(self.low + i * step, 12) for i in range(count + 1)]

    def shows(self, value):
        return value is not None and (value > 0 or not self.log)

    def at(self, value):
        value = math.log(value) if self.log else value
        return (value - self.low) / (self.high - self.low)


class Picture:
    """SVG text under construction, and the rectangle in which the data is drawn."""

    def __init__(self, title, xlabel, ylabel, names):
        legend = max(len(n) for n in names) * CHAR + 44
        self.left, self.right = LEFT, WIDTH - legend
        self.top, self.bottom = TOP, HEIGHT - BOTTOM
        self.parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
            f'viewBox="0 0 {WIDTH} {HEIGHT}" font-family="DejaVu Sans, Arial, sans-serif">',
            f"<title>{escape(title)}</title>",
            f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>']
        self.xlabel = xlabel
        self.text(LEFT, 28, title, size=16, anchor="start", weight="bold")
        self.text(20, (self.top + self.bottom) / 2, ylabel, size=13, turn=-90)

    def text(self, x, y, text, size=12, anchor="middle", weight="normal", turn=0):
        turned = f' transform="rotate({turn} {x:.1f} {y:.1f})"' if turn else ""
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="#222222" '
                          f'font-weight="{weight}" text-anchor="{anchor}"{turned}>'
                          f"{escape(text)}</text>")

    def line(self, x1, y1, x2, y2, colour="#dddddd", width=1.0):
        self.parts.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" '
                          f'stroke="{colour}" stroke-width="{width}"/>')

    def box(self, x, y, width, height, colour):
        self.parts.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" '
                          f'height="{height:.1f}" fill="{colour}"/>')

    def x(self, share):
        return self.left + share * (self.right - self.left)

    def y(self, share):
        return self.bottom - share * (self.bottom - self.top)

    def y_axis(self, axis):
        for tick in axis.ticks:
            y = self.y(axis.at(tick))
            self.line(self.left, y, self.right, y)
            self.text(self.left - 8, y + 4, axis.text(tick), anchor="end")

    def frame(self):
        self.line(self.left, self.bottom, self.right, self.bottom, "#444444", 1.2)
        self.line(self.left, self.top, self.left, self.bottom, "#444444", 1.2)

    def x_labels(self, places, texts):
        """Under the axis; slanted where they would meet."""
        room = (self.right - self.left) / max(len(texts), 1)
        slanted = max(len(t) for t in texts) * CHAR > room
        for x, text in zip(places, texts):
            self.line(x, self.bottom, x, self.bottom + 5, "#444444")
            if slanted:
                self.text(x + 4, self.bottom + 18, text, anchor="end", turn=-35)
            else:
                self.text(x, self.bottom + 20, text)
        below = self.bottom + (74 if slanted else 48)
        self.text((self.left + self.right) / 2, below, self.xlabel, size=13)

    def marker(self, x, y, i):
        colour, m = COLOURS[i % len(COLOURS)], MARK
        shapes = (
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{m}" fill="{colour}"/>',
            f'<rect x="{x - m:.1f}" y="{y - m:.1f}" width="{2 * m}" height="{2 * m}" '
            f'fill="{colour}"/>',
            f'<path d="M{x:.1f} {y - m - 1:.1f} l{m + 1} {2 * m} h-{2 * m + 2} z" '
            f'fill="{colour}"/>',
            f'<path d="M{x:.1f} {y - m - 1.5:.1f} l{m + 1.5} {m + 1.5} l-{m + 1.5} {m + 1.5} '
            f'l-{m + 1.5} -{m + 1.5} z" fill="{colour}"/>',
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{m}" fill="none" stroke="{colour}" '
            f'stroke-width="2"/>')
        self.parts.append(shapes[i % len(shapes)])

    def legend(self, names, draw):
        for i, name in enumerate(names):
            y = self.top + 10 + i * LEGEND_ROW
            draw(self.right + 24, y, i)
            self.text(self.right + 40, y + 4, name, anchor="start")

    def svg(self):
        return "\n".join([*self.parts, "</svg>", ""])


def lines(title, xlabel, ylabel, series, *, xlog=False, ylog=False, xtext=number_text,
          ytext=number_text, xticks=None):
    """SERIES: [(name, [(x, y), ...]), ...]; on a logarithmic x axis ticks are the points' own."""
    xs = sorted({x for _, points in series for x, _ in points})
    xaxis = Axis(xs, xlog, xticks or (xs if xlog else None), xtext, zero=False)
    yaxis = Axis([y for _, points in series for _, y in points], ylog, text=ytext)
    names = [name for name, _ in series]
    p = Picture(title, xlabel, ylabel, names)
    p.y_axis(yaxis)
    p.x_labels([p.x(xaxis.at(t)) for t in xaxis.ticks], [xtext(t) for t in xaxis.ticks])
    for i, (_, points) in enumerate(series):
        places = [(p.x(xaxis.at(x)), p.y(yaxis.at(y))) for x, y in points if yaxis.shows(y)]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        p.parts.append(f'<polyline points="{path}" fill="none" '
                       f'stroke="{COLOURS[i % len(COLOURS)]}" stroke-width="2"/>')
        for x, y in places:
            p.marker(x, y, i)
    p.frame()
    p.legend(names, p.marker)
    return p.svg()


def scatter(title, xlabel, ylabel, series, *, most=1000):
    """A dot for each point, of MOST of each series, evenly chosen. A series is one path: small."""
    series = [(name, points[::max(1, -(-len(points) // most))]) for name, points in series]
    xaxis = Axis([x for _, points in series for x, _ in points])
    yaxis = Axis([y for _, points in series for _, y in points])
    names = [name for name, _ in series]
    p = Picture(title, xlabel, ylabel, names)
    p.y_axis(yaxis)
    p.x_labels([p.x(xaxis.at(t)) for t in xaxis.ticks], [xaxis.text(t) for t in xaxis.ticks])
    for i, (_, points) in enumerate(series):
        path = "".join(f"M{p.x(xaxis.at(x)):.1f} {p.y(yaxis.at(y)):.1f}h2" for x, y in points)
        p.parts.append(f'<path d="{path}" stroke="{COLOURS[i % len(COLOURS)]}" '
                       'stroke-width="2"/>')
    p.frame()
    p.legend(names, p.marker)
    return p.svg()


def bars(title, ylabel, groups, series, *, xlabel="", ylog=False, ytext=number_text):
    """SERIES: [(name, [a value per group]), ...], side by side in each of GROUPS."""
    shown = [v for _, values in series for v in values if v is not None]
    axis = Axis([v / 2 for v in shown] + shown if ylog else shown, ylog, text=ytext)
    names = [name for name, _ in series]
    p = Picture(title, xlabel, ylabel, names)
    p.y_axis(axis)
    room = (p.right - p.left) / len(groups)
    width = room * 0.82 / len(series)
    p.x_labels([p.left + (g + 0.5) * room for g in range(len(groups))], groups)
    for i, (_, values) in enumerate(series):
        for g, value in enumerate(values):
            if axis.shows(value) and value:
                x = p.left + g * room + room * 0.09 + i * width
                draw_bar(p, axis, x, width, value, COLOURS[i % len(COLOURS)])
    p.frame()
    p.legend(names, lambda x, y, i: p.box(x - 6, y - 6, 12, 12, COLOURS[i % len(COLOURS)]))
    return p.svg()


def draw_bar(p, axis, x, width, value, colour):
    y = p.y(max(axis.at(value), 0.004))
    label = short_text(value) if axis.at(value) > 0.004 else ""
    p.box(x + width * 0.04, y, width * 0.92, p.bottom - y, colour)
    if len(label) * LABEL_CHAR <= width:
        p.text(x + width / 2, y - 4, label, size=10)
    elif width >= 9:
        p.text(x + width / 2 + 3.5, y - 4, label, size=10, anchor="start", turn=-90)
