"""Questions about scenarios, one module for each, and the protocol of their answers (`result`)."""
