"""The whole platform in a virtual machine whose power is cut repeatedly."""
