"""Data as they are: policies, schemas, hierarchies, tables and their classes."""
