"""Where people are: points, grids, cells, distances on the globe."""
