"""What was worked out is worked out once, kept while there is room, and forgotten with its data set."""

from __future__ import annotations

import json
import os
import threading
import time

import pytest

from cobogo.faces.server.cache import Cache


def test_the_thing_not_asked_for_longest_makes_room() -> None:
    cache, made = Cache({"measure": 2}), []

    def get(name: str) -> str:
        return cache.get("measure", ("ana", name), lambda: made.append(name) or name)

    assert [get(name) for name in ("a", "b", "a", "c", "a", "b")] == ["a", "b", "a", "c", "a", "b"]
    assert made == ["a", "b", "c", "b"]


def test_several_who_ask_at_once_wait_for_one_result_and_a_failure_is_tried_again() -> None:
    cache, made, found = Cache({"measure": 9}), [], []

    def make() -> int:
        time.sleep(0.05)
        made.append(1)
        return 7

    threads = [threading.Thread(target=lambda: found.append(cache.get("measure", ("k",), make))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (found, made) == ([7] * 6, [1])
    with pytest.raises(ZeroDivisionError):
        cache.get("measure", ("other",), lambda: 1 // 0)
    assert cache.get("measure", ("other",), lambda: 3) == 3


def test_what_is_about_a_data_set_is_forgotten_with_it_and_nobody_elses_is() -> None:
    cache = Cache({"exploration": 9, "risk": 9})
    for owner in ("ana", "bia"):
        cache.get("exploration", (owner, "d", "x"), lambda: "first")
        cache.get("risk", (owner, "d", "x"), lambda: "first")
    cache.forget("ana", "d")
    assert [cache.get(kind, (owner, "d", "x"), lambda: "again") for kind in ("exploration", "risk")
            for owner in ("ana", "bia")] == ["again", "first"] * 2  # fmt: skip


def test_a_file_is_read_again_when_it_was_changed(tmp_path) -> None:
    cache, file = Cache(), tmp_path / "report.json"
    assert cache.read_json(file) == {}
    file.write_text(json.dumps({"k": 1}))
    assert cache.read_json(file) == {"k": 1}
    file.write_text(json.dumps({"k": 2}))
    os.utime(file, ns=(1, 1))
    assert cache.read_json(file) == {"k": 2}
