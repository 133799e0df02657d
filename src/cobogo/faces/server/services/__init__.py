"""The service under the server's routes and the workbench's pages: every operation, and who may do it.

An operation takes the holder of a key, checks that its scope allows the operation and that the thing belongs to the
holder, and does it. Routes and pages call operations and nothing below them: a test holds them to it.
"""

from __future__ import annotations

from cobogo.faces.server.context import ServerContext
from cobogo.faces.server.queue import Queue
from cobogo.faces.server.services.collections import CollectionService
from cobogo.faces.server.services.curator import CuratorService
from cobogo.faces.server.services.datasets import DatasetService
from cobogo.faces.server.services.jobs import JobService
from cobogo.faces.server.services.keys import KeyService
from cobogo.faces.server.services.policies import PolicyService
from cobogo.faces.server.services.registry import RegistryService, VaultService
from cobogo.faces.server.services.releases import ReleaseService

__all__ = ["Services"]


class Services:
    """The operations of a running server, by subject."""

    def __init__(self, context: ServerContext, queue: Queue) -> None:
        self.keys = KeyService(context)
        self.policies = PolicyService(context)
        self.jobs = JobService(context, queue, self.policies)
        self.datasets = DatasetService(context, self.jobs)
        self.registry = RegistryService(context)
        self.releases = ReleaseService(context, self.registry)
        self.curator = CuratorService(context)
        self.collections = CollectionService(context)
        self.vault = VaultService(context)
        self.cache = context.cache
