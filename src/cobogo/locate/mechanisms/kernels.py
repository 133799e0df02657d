"""Compiled steps of the mechanisms: the choice of dummies, and noise that depends on earlier reports.

Points come person by person, each in the order of time; the reports so far are the only state. A kernel that meets a
step which the sphere does not keep returns its number, and is called again from there with another step.
"""

from __future__ import annotations

from math import asin, atan2, cos, floor, log, pi, sin, sqrt

import numpy as np

from cobogo.floor.kernels import kernel
from cobogo.locate.places.geometry import DEGREE, RADIUS
from cobogo.locate.places.kernels import snap, walk

UNIFORM, DLS, ENHANCED = 0, 1, 2


@kernel()
def _share(word):  # type: ignore[no-untyped-def]
    return float(word >> np.uint64(11)) * 2.0**-53


@kernel()
def _shuffle_front(pool, many, words, at):  # type: ignore[no-untyped-def]
    """Shuffle a random choice of a pool to its front; returns how many words were used."""
    for j in range(many):
        other = j + int(_share(words[at + j]) * (len(pool) - j))
        pool[j], pool[other] = pool[other], pool[j]
    return many


@kernel()
def _choose_some(first, last, without, many, ranked, words, at, pool, place):  # type: ignore[no-untyped-def]
    """Put ``many`` of the cells ranked first to last, except rank ``without``, into the pool from a place on, all
    choices equally likely (Floyd's algorithm: each draw is from one more cell). Returns the next place."""
    size = last - first - (first <= without < last)
    begin = place
    for j in range(size - many, size):
        drawn = int(_share(words[at + place]) * (j + 1))
        for taken in range(begin, place):
            if pool[taken] == drawn:
                drawn = j
                break
        pool[place] = drawn
        place += 1
    for taken in range(begin, place):
        number = first + pool[taken]
        pool[taken] = ranked[number + (first <= without <= number)]
    return place


@kernel()
def _choose_likely(cell, allowed, ranked, rank, low, high, near, words, pool):  # type: ignore[no-untyped-def]
    """Fill the pool with the cells whose probability is nearest in rank to the true cell's, which is at a random rank
    among them. Among equally likely cells the choice is random: neighbours in rank would be neighbours on the map."""
    cells = len(ranked)
    own = rank[cell] if allowed[cell] else -1
    middle = rank[cell]
    if own >= 0:
        middle = low[own] + int(_share(words[0]) * (high[own] - low[own]))
    start = min(max(middle - int(_share(words[1]) * (near + 1)), 0), cells - near - 1)
    place, at = 0, start
    while at <= start + near and place < near:
        end = min(high[at], start + near + 1)
        many = end - at - (own >= 0 and at <= middle < end)
        place = _choose_some(low[at], high[at], own, min(many, near - place), ranked, words, 2, pool, place)
        at = end


@kernel()
def choose(cell, chances, allowed, ranked, rank, low, high, east, north, wanted, how, trials, words, found):  # type: ignore[no-untyped-def]
    """``wanted`` dummy cells for one report, into ``found``.

    Uniform: any cells. Otherwise they are of those whose probability is nearest in rank to the true cell's: the random
    set of the highest entropy (DLS), or of twice as many one after the other, each as far as possible from those before
    (enhanced).
    """
    cells = len(ranked)
    if how == UNIFORM:
        for j in range(wanted):
            found[j] = ranked[int(_share(words[j]) * cells)]
        return
    near = min(2 * wanted if how == DLS else 4 * wanted, cells - 1)
    pool = np.empty(near, dtype=np.int64)
    _choose_likely(cell, allowed, ranked, rank, low, high, near, words, pool)
    many, used, best = min(wanted, near), 2 + near, -1.0
    size = many if how == DLS else min(2 * many, near)
    chosen = np.empty(size, dtype=np.int64)
    for _ in range(trials):
        used += _shuffle_front(pool, size, words, used)
        total = chances[cell]
        for j in range(size):
            total += chances[pool[j]]
        entropy = 0.0
        for j in range(-1, size):
            share = (chances[cell] if j < 0 else chances[pool[j]]) / total if total > 0 else 0.0
            if share > 0:
                entropy -= share * log(share)
        if entropy > best:
            best = entropy
            for j in range(size):
                chosen[j] = pool[j]
    if how == ENHANCED:
        apart = np.zeros(size)
        last = cell
        for j in range(many):
            farthest = j
            for m in range(j, size):
                x, y = east[chosen[m]] - east[last], north[chosen[m]] - north[last]
                apart[m] += log(max(sqrt(x * x + y * y), 1e-9))
                if apart[m] > apart[farthest]:
                    farthest = m
            chosen[j], chosen[farthest] = chosen[farthest], chosen[j]
            apart[j], apart[farthest] = apart[farthest], apart[j]
            last = chosen[j]
    for j in range(wanted):
        found[j] = chosen[j % many] if many else cell


@kernel()
def follow(cell, step, turn, x, y, heading, chances, allowed, columns, rows, size, trials, words, x_out, y_out):  # type: ignore[no-untyped-def]  # fmt: skip
    """Move dummies as far as the person moved and turn them as the person turned, so that several tracks come home when
    the person does. Of some tries, each freer than the one before, the one whose cell is most nearly as likely as the
    true cell is taken. Where no try is allowed, a dummy stays."""
    for j in range(len(x)):
        best, straight = np.inf, heading[j]
        x_out[j], y_out[j] = x[j], y[j]
        for trial in range(trials):
            at = j * trials + trial
            angle = straight + turn + pi * (2.0 * _share(words[at]) - 1.0) * trial / trials
            to_x, to_y = x[j] + step * sin(angle), y[j] + step * cos(angle)
            column, row = floor(to_x / size + columns / 2), floor(to_y / size + rows / 2)
            if 0 <= row < rows and 0 <= column < columns:
                there = int(row) * columns + int(column)
                if allowed[there]:
                    unlike = abs(log((chances[there] + 1e-12) / (chances[cell] + 1e-12))) + trial / trials
                    if unlike < best:
                        best, heading[j] = unlike, angle
                        x_out[j], y_out[j] = to_x, to_y


@kernel()
def choose_dummies(known, first, cell, own_x, own_y, own_heading, chances, allowed, ranked, rank, low, high, east,  # type: ignore[no-untyped-def]
            north, columns, rows, size, how, trials, follow_trials, words, x_out, y_out, heading):  # fmt: skip
    """Positions of dummies for every report, in metres: ``x_out`` and ``y_out`` have a row for each."""
    wanted = x_out.shape[1]
    found = np.empty(wanted, dtype=np.int64)
    for i in range(len(cell)):
        if known[i]:
            continue
        if first[i] < i:
            ahead_x, ahead_y = own_x[i] - own_x[i - 1], own_y[i] - own_y[i - 1]
            step = sqrt(ahead_x * ahead_x + ahead_y * ahead_y)
            own_heading[i] = atan2(ahead_x, ahead_y) if step > 0 else own_heading[i - 1]
            for j in range(wanted):
                heading[i, j] = heading[i - 1, j]
            follow(cell[i], step, own_heading[i] - own_heading[i - 1], x_out[i - 1], y_out[i - 1], heading[i], chances,
                   allowed, columns, rows, size, follow_trials, words[i], x_out[i], y_out[i])  # fmt: skip
            continue
        choose(cell[i], chances, allowed, ranked, rank, low, high, east, north, wanted, how, trials,
               words[i, 3 * wanted :], found)  # fmt: skip
        for j in range(wanted):
            x_out[i, j] = east[found[j]] + (_share(words[i, j]) - 0.5) * size
            y_out[i, j] = north[found[j]] + (_share(words[i, wanted + j]) - 0.5) * size
            heading[i, j] = 2.0 * pi * _share(words[i, 2 * wanted + j])


@kernel()
def great_circle(lon, lat, other_lon, other_lat):  # type: ignore[no-untyped-def]
    """Metres along the great circle."""
    north, other_north = lat * (pi / 180.0), other_lat * (pi / 180.0)
    up, across = sin((other_north - north) / 2.0), sin((other_lon - lon) * (pi / 360.0))
    return 2.0 * RADIUS * asin(min(sqrt(up * up + cos(north) * cos(other_north) * across * across), 1.0))


@kernel()
def _is_kept(turned, chance):  # type: ignore[no-untyped-def]
    return turned < pi and chance * turned < sin(turned)


@kernel()
def report_predictively(start, known, first, lon, lat, gamma, bearing, chance, tests, noise, test, threshold, rows,  # type: ignore[no-untyped-def]
               size, lon_out, lat_out, fresh):  # fmt: skip
    """Report the last report again where a noisy test finds it near enough, else a fresh one."""
    for i in range(start, len(lon)):
        if known[i]:
            continue
        here_lon, here_lat = snap(lon[i], lat[i], rows, size)
        if i > first[i]:
            away = great_circle(here_lon, here_lat, lon_out[i - 1], lat_out[i - 1])
            if away <= threshold + tests[i] / test:
                lon_out[i], lat_out[i], fresh[i] = lon_out[i - 1], lat_out[i - 1], False
                continue
        turned = gamma[i] / (noise * RADIUS)
        if not _is_kept(turned, chance[i]):
            return i
        there_lon, there_lat = walk(here_lon, here_lat, turned, bearing[i])
        lon_out[i], lat_out[i] = snap(there_lon, there_lat, rows, size)
        fresh[i] = True
    return len(lon)


@kernel()
def _east(lon, origin, stretch):  # type: ignore[no-untyped-def]
    across = lon - origin
    across -= floor((across + 180.0) / 360.0) * 360.0
    return across * stretch


@kernel()
def prediction_error(lon, lat, when, start, end, to_lon, to_lat, to_when):  # type: ignore[no-untyped-def]
    """Metres between a place and the prediction for its time, by a straight line through the points of a window (least
    squares)."""
    origin_lon, origin_lat = lon[end - 1], lat[end - 1]
    stretch = DEGREE * max(cos(origin_lat * (pi / 180.0)), 1e-6)
    many = float(end - start)
    t_mean = x_mean = y_mean = 0.0
    for j in range(start, end):
        t_mean += when[j] - to_when
        x_mean += _east(lon[j], origin_lon, stretch)
        y_mean += (lat[j] - origin_lat) * DEGREE
    t_mean, x_mean, y_mean = t_mean / many, x_mean / many, y_mean / many
    spread = x_slope = y_slope = 0.0
    for j in range(start, end):
        t = when[j] - to_when - t_mean
        spread += t * t
        x_slope += t * _east(lon[j], origin_lon, stretch)
        y_slope += t * (lat[j] - origin_lat) * DEGREE
    if spread > 0.0:
        x_slope, y_slope = x_slope / spread, y_slope / spread
    x = x_mean - x_slope * t_mean - _east(to_lon, origin_lon, stretch)
    y = y_mean - y_slope * t_mean - (to_lat - origin_lat) * DEGREE
    return sqrt(x * x + y * y)


@kernel()
def report_adaptively(start, known, first, when, lon, lat, gamma, bearing, chance, window, of_truth, by_reports, low,  # type: ignore[no-untyped-def]
             high, noise, rows, size, lon_out, lat_out, level):  # fmt: skip
    """Report with noise of level 0 while the window fills; then of level 1 (less ε) where the line through the window
    predicts the position (or, ``by_reports``, the last report) to within ``low`` metres, of level 2 (more ε) where it
    is off by more than ``high``."""
    for i in range(start, len(lon)):
        if known[i]:
            continue
        level[i] = 0
        end = i - 1 if by_reports else i
        if end - window >= first[i]:
            begin = end - window
            if by_reports:
                error = prediction_error(lon_out, lat_out, when, begin, end, lon_out[end], lat_out[end], when[end])
            elif of_truth:
                error = prediction_error(lon, lat, when, begin, end, lon[i], lat[i], when[i])
            else:
                error = prediction_error(lon_out, lat_out, when, begin, end, lon[i], lat[i], when[i])
            level[i] = 1 if error < low else (2 if error > high else 0)
        turned = gamma[i] / (noise[level[i]] * RADIUS)
        if not _is_kept(turned, chance[i]):
            return i
        here_lon, here_lat = snap(lon[i], lat[i], rows, size)
        there_lon, there_lat = walk(here_lon, here_lat, turned, bearing[i])
        lon_out[i], lat_out[i] = snap(there_lon, there_lat, rows, size)
    return len(lon)
