"""Many scenarios: sweeps, comparisons, sensitivity, rare events."""
