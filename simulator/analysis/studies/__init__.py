"""Many scenarios: sweeps, comparisons, sensitivity."""
