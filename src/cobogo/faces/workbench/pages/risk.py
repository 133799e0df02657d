"""Risk and attacks: what an intruder could do before and after."""

from __future__ import annotations

from cobogo.faces.server.services.releases import OpenedRelease
from cobogo.faces.workbench.frame import framed
from cobogo.faces.workbench.opened_release import open_chosen
from cobogo.faces.workbench.pages import risk_attacks, risk_people, risk_timeline
from cobogo.faces.workbench.session import Desk, Session
from cobogo.faces.workbench.widgets import tabs, trouble


async def build(desk: Desk) -> None:
    """The page."""
    with framed(desk, "risk") as session:
        if session is None or (looked := await open_chosen(desk, session)) is None:
            return
        if not looked.mine:
            trouble(session.say("risk.no-original"))

        def attacks(session: Session, looked: OpenedRelease) -> None:
            risk_attacks.attacks(desk, session, looked)

        def timeline(session: Session, looked: OpenedRelease) -> None:
            risk_timeline.timeline(desk, session, looked)

        drawn = {
            "chances": ("speed", risk_people.chances),
            "people": ("person_search", risk_people.people),
            "attacks": ("crisis_alert", attacks),
            "timeline": ("timeline", timeline),
        }
        tabs(session, looked, {name: (session.say(f"risk-tab.{name}"), *tab) for name, tab in drawn.items()})
