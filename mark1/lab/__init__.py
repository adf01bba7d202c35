"""The laboratory: machines and cards to arrays, figures, reports and experiments."""
