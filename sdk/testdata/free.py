"""Finetuning that can train without hearing of borders, and finds one by itself."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../python"))
from macpro_plugin import Buffered, serve  # noqa: E402


class Free(Buffered):
    name, summary, version = "free", "finds a border where there is none", "1"
    task_free = True

    def trained(self, progress):
        self.borders = int(progress.t_env >= 60)

    def choose_heads(self, task, mode, evaluation):
        known = evaluation.task_head is not None
        if known and (evaluation.task_head != 0 or task.index != -1):
            raise ValueError("task %d has head %d" % (task.index, evaluation.task_head))
        return super().choose_heads(task, mode, evaluation)

    def save(self):
        return dict(super().save(), borders=self.borders)

    def load(self, state):
        self.borders = state.pop("borders")
        super().load(state)


serve(Free)
