"""Whether the parts of an installation are well, for machines that ask often and for operators."""
