"""The doors for scripts and notebooks: tables, arrays and the estimator. No command line, and no arithmetic of its own."""
