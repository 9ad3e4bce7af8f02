"""The views: each turns a request into replies, inside a worker."""
