"""The configuration of an installation: settings, data folder, database, secrets; no Django."""
