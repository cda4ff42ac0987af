"""The process round the arbiter: seats, blocks, sandboxes."""
