"""Referees as the ladder drives and watches them; the only place that speaks gRPC."""
