"""Positions: points, grids, cells, and distances on the globe."""
