"""The trusted anonymizer as a server between devices and a location-based service, and a small such service."""
