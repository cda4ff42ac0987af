"""Consequences of recorded blocks: settlement, qualification, promotion and benching."""
