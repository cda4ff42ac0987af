"""The protocol: `.proto` files, and the code generated from them."""
