"""Reads a team's repository from a folder with the reference implementation of
The Update Framework, and says on stdout what it came to believe."""

import json
import sys
from pathlib import Path

from tuf.api.exceptions import DownloadHTTPError, RepositoryError
from tuf.ngclient import Updater
from tuf.ngclient.fetcher import FetcherInterface


class Folder(FetcherInterface):
    """Takes files instead of addresses."""

    def __init__(self, folder):
        self.folder = folder

    def _fetch(self, url):
        file = self.folder / url.removeprefix("repository:/")
        if not file.is_file():
            raise DownloadHTTPError(f"{url} is not there", 404)
        yield file.read_bytes()


def main():
    repository, state = Path(sys.argv[1]), Path(sys.argv[2])
    (state / "targets").mkdir(parents=True)
    updater = Updater(
        metadata_dir=str(state),
        metadata_base_url="repository:/",
        target_dir=str(state / "targets"),
        target_base_url="repository:/targets/",
        fetcher=Folder(repository),
        bootstrap=(repository / "1.root.json").read_bytes(),
    )
    try:
        updater.refresh()
    except RepositoryError as error:
        print(json.dumps({"refused": type(error).__name__}))
        return
    manifest = json.loads(take(updater, "manifest.json"))
    hooks = [hook for release in manifest["releases"] for hook in release["hooks"]]
    scripts = {hook["script"]["name"]: take(updater, hook["script"]["sha256"]) for hook in hooks}
    root = json.loads((state / "root.json").read_text())["signed"]["version"]
    print(json.dumps({"root": root, "sequence": manifest["sequence"], "scripts": scripts}))


def take(updater, name):
    return Path(updater.download_target(updater.get_targetinfo(name))).read_text()


main()
