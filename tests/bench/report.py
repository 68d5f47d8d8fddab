# SPDX-License-Identifier: MIT
"""One line of a benchmark: what was measured, what it is compared with, and the ratio the project wants."""

import dataclasses
import operator


@dataclasses.dataclass
class Row:
    name: str
    value: float
    unit: str
    reference: float | None = None
    reference_name: str = ""
    target: str = ""

    @property
    def ratio(self):
        return self.value / self.reference if self.reference else None

    @property
    def reached(self):
        """Whether `target` (">= 0.9", "<= 7 s") holds for the ratio, or for the value where there is no reference."""
        if not self.target:
            return None
        compare, limit = self.target.split()[:2]
        measured = self.ratio if self.reference else self.value
        return {">=": operator.ge, "<=": operator.le}[compare](measured, float(limit))

    def as_json(self):
        return dict(dataclasses.asdict(self), ratio=self.ratio, reached=self.reached)


def table(rows):
    """The rows as a table in Markdown."""
    def number(value):
        return "" if value is None else f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"

    lines = ["| measured | value | compared with | value | ratio | target | reached |", "|---|---|---|---|---|---|---|"]
    for row in rows:
        reached = {None: "", True: "yes", False: "NO"}[row.reached]
        reference = f"{number(row.reference)} {row.unit}" if row.reference else ""
        lines.append(f"| {row.name} | {number(row.value)} {row.unit} | {row.reference_name} | {reference} "
                     f"| {number(row.ratio)} | {row.target} | {reached} |")
    return "\n".join(lines)
