# regreen: after a save the tests that it can affect run, and what fails is in
# the build panel, where F4 goes from one to the next. Put it into
# «.Path», for example with
#   regreen hook sublime > «.Path»
# (Preferences, Browse Packages shows where that is on other systems.)
import os
import re

import sublime_plugin

PROGRAM = «.Program | json»
FILES = re.compile(«.PythonRegexp | json»)


def in_repository(path):
    folder = os.path.dirname(path)
    while not os.path.exists(os.path.join(folder, ".git")):
        above = os.path.dirname(folder)
        if above == folder:
            return False
        folder = above
    return True


class RegreenOnSave(sublime_plugin.EventListener):
    def on_post_save_async(self, view):
        path = view.file_name()
        window = view.window()
        if not path or not window or not FILES.search(path) or not in_repository(path):
            return
        window.run_command("exec", {"kill": True})
        window.run_command("exec", {
            "cmd": [PROGRAM, "save", "--wait", "--absolute", "--", path],
            "file_regex": r"^(.+?):([0-9]+):([0-9]+): error: (.*)$",
            "working_dir": os.path.dirname(path),
            "quiet": True,
        })
