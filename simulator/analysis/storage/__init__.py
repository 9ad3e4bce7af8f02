"""Long work kept on disk and spread over workers."""
