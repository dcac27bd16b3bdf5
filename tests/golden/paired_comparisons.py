"""Classic paired comparisons with published answers: the figures, where they come from, and what was published."""

from __future__ import annotations

# Baseball 1987, American League East: home team, away team, home wins, away wins.
# Agresti (2002), Categorical Data Analysis, table 10.11; coefficients, standard errors and deviances as printed in
# the vignette of the R package BradleyTerry2 (Turner & Firth 2012), Baltimore = 0.
BASEBALL_TEAMS = ("Milwaukee", "Detroit", "Toronto", "New York", "Boston", "Cleveland", "Baltimore")
BASEBALL = """
Milwaukee,Detroit,4,3 Milwaukee,Toronto,4,2 Milwaukee,New York,4,3 Milwaukee,Boston,6,1 Milwaukee,Cleveland,4,2
Milwaukee,Baltimore,6,0 Detroit,Milwaukee,3,3 Detroit,Toronto,4,2 Detroit,New York,4,3 Detroit,Boston,6,0
Detroit,Cleveland,6,1 Detroit,Baltimore,4,3 Toronto,Milwaukee,2,5 Toronto,Detroit,4,3 Toronto,New York,2,4
Toronto,Boston,4,3 Toronto,Cleveland,4,2 Toronto,Baltimore,6,0 New York,Milwaukee,3,3 New York,Detroit,5,1
New York,Toronto,2,5 New York,Boston,4,3 New York,Cleveland,4,2 New York,Baltimore,6,1 Boston,Milwaukee,5,1
Boston,Detroit,2,5 Boston,Toronto,3,3 Boston,New York,4,2 Boston,Cleveland,5,2 Boston,Baltimore,6,0
Cleveland,Milwaukee,2,5 Cleveland,Detroit,3,3 Cleveland,Toronto,3,4 Cleveland,New York,4,3 Cleveland,Boston,4,2
Cleveland,Baltimore,2,4 Baltimore,Milwaukee,2,5 Baltimore,Detroit,1,5 Baltimore,Toronto,1,6 Baltimore,New York,2,4
Baltimore,Boston,1,6 Baltimore,Cleveland,3,4
"""
BASEBALL_COEF = {
    "Boston": 1.1077,
    "Cleveland": 0.6839,
    "Detroit": 1.4364,
    "Milwaukee": 1.5814,
    "New York": 1.2476,
    "Toronto": 1.2945,
}
BASEBALL_SE = {
    "Boston": 0.3339,
    "Cleveland": 0.3319,
    "Detroit": 0.3396,
    "Milwaukee": 0.3433,
    "New York": 0.3359,
    "Toronto": 0.3367,
}
BASEBALL_DEVIANCE = 44.053
BASEBALL_HOME_COEF = {
    "Boston": 1.1438,
    "Cleveland": 0.7047,
    "Detroit": 1.4754,
    "Milwaukee": 1.6196,
    "New York": 1.2813,
    "Toronto": 1.3271,
}
BASEBALL_HOME, BASEBALL_HOME_SE = 0.3023, 0.1309
BASEBALL_HOME_DEVIANCE = 38.643

# Citations among statistics journals 1987-88 (Stigler 1994): cited, citing and citations each way.
# Coefficients from the vignette of BradleyTerry2, Biometrika = 0; variances from the README of BradleyTerryScalable
# (Kaye & Firth), JASA = 0, whose fits stop at a loose tolerance (good to one in a thousand).
CITATIONS = (
    ("Biometrika", "Comm Statist", 730, 33),
    ("Biometrika", "JASA", 498, 320),
    ("Biometrika", "JRSS-B", 221, 284),
    ("Comm Statist", "JASA", 68, 813),
    ("Comm Statist", "JRSS-B", 17, 276),
    ("JASA", "JRSS-B", 142, 325),
)
CITATIONS_COEF = {"Comm Statist": -2.9491, "JASA": -0.4796, "JRSS-B": 0.2690}
CITATIONS_VARIANCE = {"JRSS-B": 0.005323938, "Biometrika": 0.003671841, "Comm Statist": 0.009638953}
CITATIONS_DEVIANCE = 4.293

# The toy of BradleyTerryScalable's README: eight players, three strong components. The README's fits stop at a
# loose tolerance; these are exact (independent Newton fit), mean zero in each component.
TOY = """
Cyd Amy W1,Amy Ben D,Ben Eve W2,Cyd Dan W2,Ben Dan D,Dan Eve W2,Fin Eve W2,Fin Gal W2,Fin Han W2,Eve Gal W1,Fin Gal D,
Han Gal W1,Han Gal W2,Amy Dan W1,Cyd Amy W1,Ben Dan D,Dan Amy W2
"""
TOY_COEF = (
    {"Han": 0.6965, "Gal": 0.4121, "Fin": -1.1085},
    {"Cyd": 0.5942, "Amy": 0.0328, "Ben": -0.2445, "Dan": -0.3825},
)


def baseball() -> list[tuple[str, str, int, int]]:
    """Home team, away team, home wins, away wins."""
    rows = BASEBALL.replace("\n", " ").replace("New York", "New_York").split()
    out = []
    for row in rows:
        home, away, won, lost = row.replace("_", " ").split(",")
        out.append((home, away, int(won), int(lost)))
    return out


def toy() -> list[tuple[str, str, str]]:
    """Players and outcome W1, W2 or D."""
    return [tuple(row.split()) for row in TOY.replace("\n", "").strip(",").split(",")]  # type: ignore[misc]
