#!/usr/bin/env bash
# What action.yml runs: installs lsp-evalplus into an environment of its own and checks what was asked for.
#
# Reads the ACTION_* variables of action.yml. No value of theirs is ever evaluated by the shell: they become single
# arguments of one command.
set -euo pipefail

fail() {
  echo "::error title=lsp-evalplus::$1"
  exit 2
}

tool=${ACTION_TOOL_PYTHON:-python3}
"$tool" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null ||
  fail "'$tool' is no Python 3.11 or newer; use actions/setup-python before this step, or name one with tool-python."

command=${ACTION_COMMAND:-}
if [ -z "$command" ]; then
  folder=$(mktemp -d "${RUNNER_TEMP:-/tmp}/lsp-evalplus.XXXXXX")
  "$tool" -m venv "$folder"
  bin=$folder/bin
  [ -d "$bin" ] || bin=$folder/Scripts
  "$bin/python" -m pip install --quiet --disable-pip-version-check "$GITHUB_ACTION_PATH" ||
    fail "lsp-evalplus could not be installed; the log above says why."
  command=$bin/lsp-evalplus
fi

arguments=(check --format "${ACTION_FORMAT:-github}")
read -r -a targets <<<"${ACTION_TARGETS:-}"
read -r -a oracles <<<"${ACTION_ORACLE:-}"
for oracle in "${oracles[@]+"${oracles[@]}"}"; do arguments+=(--oracle "$oracle"); done
[ -z "${ACTION_BASELINE:-}" ] || arguments+=(--baseline "$ACTION_BASELINE")
[ -z "${ACTION_PYTHON:-}" ] || arguments+=(--python "$ACTION_PYTHON")

if [ "${#targets[@]}" -eq 0 ]; then
  base=${ACTION_BASE:-}
  # A push that creates a branch has forty zeros for the commit before it.
  [ -n "${base//0/}" ] || base=HEAD^
  case $base in -*) fail "base '$base' is no git revision." ;; esac
  if ! git rev-parse --quiet --verify "$base^{commit}" >/dev/null; then
    git fetch --quiet --no-tags --depth=1 origin "$base" ||
      fail "git does not know the revision '$base'; give actions/checkout fetch-depth: 0, or name another base."
    git rev-parse --quiet --verify "$base^{commit}" >/dev/null || base=FETCH_HEAD
  fi
  arguments+=(--diff "$base")
else
  arguments+=(-- "${targets[@]}")
fi

status=0
if [ "${ACTION_FORMAT:-github}" = github ]; then
  "$command" "${arguments[@]}" || status=$?
else
  "$command" "${arguments[@]}" >"${ACTION_OUTPUT_FILE:-lsp-evalplus.sarif}" || status=$?
fi

found=false
[ "$status" -ne 1 ] || found=true
[ -z "${GITHUB_OUTPUT:-}" ] || echo "findings=$found" >>"$GITHUB_OUTPUT"
if [ "$status" -eq 1 ] && [ "${ACTION_FAIL:-true}" != true ]; then
  status=0
fi
exit "$status"
