"""The odds of one scenario and questions about its outcomes."""
