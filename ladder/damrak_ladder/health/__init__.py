"""Health of the parts of an installation, for machines that ask often and for operators."""
