"""The pages, one module a step. Each has a function ``build`` that takes the desk."""
