#!/usr/bin/env bash
# Fails unless every file that names the project's version names the one given.
set -euo pipefail
wanted=${1:?usage: check-version.sh VERSION}
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

status=0
check() { # FILE FOUND
  if [ "$2" != "$wanted" ]; then
    echo "$1 says version '$2', the tag says '$wanted'." >&2
    status=1
  fi
}
check pyproject.toml "$(sed -n 's/^version = "\(.*\)"$/\1/p' pyproject.toml)"
check editor-client/package.json "$(sed -n 's/^  "version": "\(.*\)",$/\1/p' editor-client/package.json)"
check CITATION.cff "$(sed -n 's/^version: \(.*\)$/\1/p' CITATION.cff)"
exit "$status"
