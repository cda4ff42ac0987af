"""The referee process: serves matches over gRPC, runs blocks of them, and sandboxes bots."""
