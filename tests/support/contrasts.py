"""How well a page can be read: the contrast of each text with what is behind it, as WCAG 2.2 computes it; fields that
have no name; and whether it fits a phone."""

from __future__ import annotations

from typing import Any

SCRIPT = """() => {
  const rgba = text => {
    const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
    canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = text; canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = (top, below) => [0, 1, 2].map(i => top[i] * top[3] + below[i] * (1 - top[3])).concat(1);
  const behind = element => {
    const layers = [];
    for (let one = element; one; one = one.parentElement) {
      const colour = rgba(getComputedStyle(one).backgroundColor);
      if (colour[3] > 0) layers.push(colour);
      if (colour[3] === 1) break;
    }
    const base = document.body.classList.contains('body--dark') ? [18, 18, 18, 1] : [255, 255, 255, 1];
    return layers.reverse().reduce((below, top) => over(top, below), base);
  };
  const light = ([r, g, b]) => {
    const part = [r, g, b].map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * part[0] + 0.7152 * part[1] + 0.0722 * part[2];
  };
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode.textContent.trim(), element = walker.currentNode.parentElement;
    if (!text || !element || element.closest('script, style, noscript, [disabled], .disabled, .q-tooltip')) continue;
    if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    const box = element.getBoundingClientRect();
    if (!box.width || !box.height || box.right < 0 || box.bottom < 0) continue;
    const style = getComputedStyle(element), back = behind(element);
    let fore = rgba(style.color);
    for (let one = element; one; one = one.parentElement) fore[3] *= Number(getComputedStyle(one).opacity);
    const [high, low] = [light(over(fore, back)), light(back)].sort((a, b) => b - a);
    const size = parseFloat(style.fontSize), bold = Number(style.fontWeight) >= 700;
    const large = size >= 24 || (bold && size >= 18.66) || element.classList.contains('q-icon');
    const ratio = (high + 0.05) / (low + 0.05);
    if (ratio < (large ? 3 : 4.5)) found.push(`${ratio.toFixed(2)}: ${text.slice(0, 40)} (${element.className})`);
  }
  return found;
}"""


def faint(page: Any) -> list[str]:
    """The texts of a page that are below 4.5 (3 where they are large, or icons)."""
    found: list[str] = page.evaluate(SCRIPT)
    return found


FIELDS = """() => [...document.querySelectorAll(
  'input, textarea, select, [contenteditable=true], button, [role=checkbox], [role=slider], [role=switch]'
)].filter(one => one.checkVisibility() || one.type === 'file').filter(one => {
  const labels = [...(one.labels || [])].some(label => label.textContent.trim());
  const own = one.matches('button, [role]') && one.textContent.trim();
  return !(labels || own || one.getAttribute('aria-label') || one.getAttribute('aria-labelledby'));
}).map(one => one.outerHTML.slice(0, 120))"""


def nameless(page: Any) -> list[str]:
    """The fields and buttons of a page that a screen reader could not name."""
    found: list[str] = page.evaluate(FIELDS)
    return found


def fits(page: Any, menu: str) -> None:
    """On a phone a page is as wide as the screen, and the steps are behind a button that opens them."""
    size = page.viewport_size
    page.set_viewport_size({"width": 390, "height": 844})
    steps = page.get_by_role("navigation")
    _wait_until_closed(page, steps)
    page.wait_for_function("document.documentElement.scrollWidth <= 390")
    page.get_by_role("button", name=menu).click()
    steps.get_by_role("link").first.wait_for()
    page.mouse.click(385, 500)  # beside them
    steps.wait_for(state="hidden")
    page.set_viewport_size(size)
    steps.get_by_role("link").first.wait_for()
    assert page.locator("main").count() == 1


def _wait_until_closed(page: Any, steps: Any) -> None:
    """Wait until the steps are hidden. While a page still loads, its server may open them once more as the screen gets
    narrow; then they are closed as people close them, by a tap beside them."""
    from playwright.sync_api import TimeoutError as TooLate

    try:
        steps.wait_for(state="hidden", timeout=10_000)
    except TooLate:
        page.mouse.click(385, 500)
        steps.wait_for(state="hidden")
