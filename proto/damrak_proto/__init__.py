"""The messages of the wire, as `.proto` files and the stubs generated from them."""
