"""One question a module, asked of scenarios and of their answers."""
