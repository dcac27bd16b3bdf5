"""The estimator: fit, covariates, bootstrap, jackknife, intervals, ranks. Arrays only; no names, no files, no pictures."""
