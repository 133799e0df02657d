"""The words of interactive maps."""

from __future__ import annotations

ENGLISH = {
    "map.layers": "Shown",
    "map.play": "Play",
    "map.pause": "Pause",
    "map.slower": "Slower",
    "map.faster": "Faster",
    "map.all": "whole time",
    "map.moment": "Moment",
    "map.closer": "Closer",
    "map.farther": "Farther",
    "map.whole": "Whole map",
    "map.help": "Arrow keys move the map, plus and minus enlarge and reduce it, 0 shows all, the space bar plays.",
    "map.language": "Português",
}

PORTUGUESE = {
    "map.layers": "No mapa",
    "map.play": "Reproduzir",
    "map.pause": "Pausar",
    "map.slower": "Mais devagar",
    "map.faster": "Mais rápido",
    "map.all": "todo o período",
    "map.moment": "Momento",
    "map.closer": "Aproximar",
    "map.farther": "Afastar",
    "map.whole": "Mapa inteiro",
    "map.help": "As setas movem o mapa, mais e menos aproximam e afastam, 0 mostra tudo, a barra de espaço reproduz.",
    "map.language": "English",
}
