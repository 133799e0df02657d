"""How the workbench looks: colours that can be read on each other, and a ring around what the keyboard is on."""

from __future__ import annotations

BRICK, INK = "#b3541e", "#22333b"
POSITIVE, WARNING, NEGATIVE, INFO = "#1b7f3b", "#8a5d00", "#b3261e", "#00639b"
"""Each can be read on white, and white can be read on each."""

NAMES = """<script>
  const named = () => document.querySelectorAll('[data-name]').forEach(host =>
    host.querySelectorAll('input[type=file], .cm-content, [role=checkbox]').forEach(one => {
      const row = one.closest('tr'), cell = row && row.querySelector('td + td, th + th');
      const name = host.dataset.name + (cell ? ': ' + cell.textContent.trim() : '');
      if (one.getAttribute('aria-label') !== name) one.setAttribute('aria-label', name);
    }));
  document.addEventListener('DOMContentLoaded', () =>
    new MutationObserver(named).observe(document.body, { childList: true, subtree: true }));
</script>"""
"""Names for fields inside of elements that do not hand them on: files, editors, and boxes that choose a row."""

CSS = """
@layer overrides {
  body { background: #f7f4f0; }
  body.body--dark { background: #121212; }
  .body--dark .text-primary { color: #f0a878 !important; }
  .body--dark .text-positive { color: #6fd08c !important; }
  .body--dark .text-warning { color: #f2c037 !important; }
  .body--dark .text-negative { color: #ff9a90 !important; }
  .body--dark .text-info { color: #7cc7ff !important; }
  .body--dark .text-secondary { color: #b9c9d1 !important; }
  .text-quiet { color: #5c5c5c; }
  .body--dark .text-quiet { color: #b0b0b0; }
  .q-field__label, .q-field__native::placeholder { color: #5c5c5c; opacity: 1; }
  .body--dark .q-field__label, .body--dark .q-field__native::placeholder { color: #b8b8b8; }
  .body--dark .cm-gutterElement { color: #b8b8b8; }
  .q-card { box-shadow: none; border: 1px solid rgb(0 0 0 / 12%); border-radius: 8px; }
  .body--dark .q-card { border-color: rgb(255 255 255 / 16%); }
  .cobogo-plot svg text { fill: currentColor; }
  .q-notification .q-notification__actions { color: inherit; }
  .cobogo-narrow { display: none; }
  .q-btn--dense.q-btn--rectangle { padding-left: 10px; padding-right: 10px; }
  .cobogo-lines { white-space: pre-line; }
  .cobogo-columns { display: grid; column-gap: 1rem; align-items: center; width: 100%;
    grid-template-columns: minmax(9rem, 1.1fr) 7.5rem 9.5rem 11.5rem minmax(14rem, 2fr); }
  @media (max-width: 1023.98px) {
    .cobogo-wide { display: none !important; }
    .cobogo-narrow { display: flex; }
    .cobogo-wrap, .cobogo-beside { flex-wrap: wrap !important; }
    .cobogo-beside > * { flex: 1 1 100% !important; width: 100% !important; max-width: 100% !important;
      position: static !important; }
    .cobogo-list { height: 11rem !important; }
    .cobogo-columns { grid-template-columns: minmax(8.25rem, 2fr) minmax(0, 3fr); gap: 4px 8px; }
    .cobogo-columns .q-field__control { padding: 0 8px; font-size: 13px; }
    .cobogo-columns > :last-child { grid-column: 1 / -1; }
    .q-table__middle, pre { max-width: 100%; overflow-x: auto; }
  }
  @media (max-width: 599.98px) {
    .cobogo-grid { grid-template-columns: minmax(0, 1fr) !important; }
    .cobogo-wrap > .q-space { flex-basis: 100%; }
    .q-tabs { max-width: 100%; }
    .q-tabs__content { overflow-x: auto; }
    .q-tabs__arrow { display: none; }
    .q-card { max-width: calc(100vw - 32px); }
  }
  .nicegui-code-copy { opacity: 1; }
  .body--dark .cm-gutterElement { color: #a3abb2 !important; }
  .cobogo-skip { position: absolute; left: -100vw; top: 0; z-index: 9999; background: white; color: black; }
  .cobogo-skip:focus { left: 0; padding: 12px 16px; }
  .cobogo-step { text-decoration: none; color: inherit; border-radius: 6px; display: block; }
  .cobogo-step:hover { background: rgb(179 84 30 / 12%); }
  .cobogo-step[aria-current=page] { background: #b3541e; color: white; }
  .cobogo-step[aria-current=page] .text-positive { color: white !important; }
  :focus-visible, .q-focusable:focus-visible { outline: 3px solid #1f6feb; outline-offset: 2px; }
  .body--dark :focus-visible { outline-color: #7cc7ff; }
  .q-header :focus-visible, .cobogo-step[aria-current=page]:focus-visible { outline-color: #ffd166; }
}
"""
