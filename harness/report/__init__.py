"""A run's report: one self-contained page, `report.html`, made from the files a run leaves in its folder.

    settings.json        the run's settings
    metrics.jsonl        one object per training step: "phase" ("clone" or "mgrpo"), "step", "time_s" (seconds
                         since the run began) and scalars by name; names not known here are passed over
    evaluations.jsonl    one object per evaluation: "stage", "split", "mode", "episodes" (those scored),
                         "successes", "failed" (left out of the episodes), "mean_turns", "tokens_per_turn",
                         "by_template" {name: [successes, episodes]}

What holds here:

- The page is made from whatever is there. A run that has only begun, or was cut off in the middle of a line,
  gives a page that says what it lacks. Of two lines for one step or evaluation, as after a resume, the last
  counts.
- It refers to nothing outside itself and holds no script; all text from the files is escaped.
- The same files give the same page, byte for byte.
"""

from harness.report.page import write_report

__all__ = ["write_report"]
