"""What the workbench's log says of pages that fail."""

import logging
import sys

import pytest

pytest.importorskip("nicegui")

from nicegui import helpers

from cobogo.faces.workbench.error_pages import LEFT, reduce_record


def test_the_log_names_the_type_and_the_line_of_a_failure_and_no_value() -> None:
    try:
        raise ValueError("Ana Lima, 12/03/1984")
    except ValueError:
        record = logging.LogRecord("nicegui", logging.ERROR, "", 0, "Ana Lima", (), sys.exc_info())
    assert reduce_record(record)
    told = logging.Formatter().format(record)
    assert "ValueError" in told
    assert "line " in told
    assert "Ana" not in told


def test_a_page_that_is_left_before_its_figures_came_is_no_failure(caplog: pytest.LogCaptureFixture) -> None:
    from nicegui import Client
    from nicegui.page import page

    client = Client(page(""), request=None)
    client.delete()
    helpers.warnings.reset()
    client.check_existence()
    assert [reduce_record(record) for record in caplog.records] == [False]
    assert caplog.messages[0].startswith(LEFT)
