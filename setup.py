"""The wheel's packages: with `arena.packaged`, the files of the root that an installed service needs."""

from __future__ import annotations

from setuptools import find_packages, setup
from setuptools.command.build_py import build_py

PACKAGED = "arena.packaged"


class BuildPy(build_py):
    """Takes data alone from the root."""

    def find_package_modules(self, package: str, package_dir: str) -> list[tuple[str, str, str]]:
        return [] if package == PACKAGED else super().find_package_modules(package, package_dir)


setup(
    packages=[*find_packages(include=["arena*", "ratings*", "web*"]), PACKAGED],
    package_dir={PACKAGED: "."},
    package_data={
        PACKAGED: ["Procfile", "data/boards.toml", "data/bank/*", "data/llmfao/*.csv"],
        "arena.store": ["lua/*"],
        "web": ["static/*", "templates/**/*"],
    },
    include_package_data=False,
    cmdclass={"build_py": BuildPy},
)
