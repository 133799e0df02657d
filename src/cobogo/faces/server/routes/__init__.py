"""The routes, one module a subject. Each is a router that `cobogo.faces.server.app` mounts under ``/api/v1``."""
