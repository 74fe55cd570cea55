# Sourced by lab/fetch-bird and lab/fetch-pdns: programs of newer Debian releases, unpacked with the libraries of their own
# release and run by their loader, so that the system is not touched. The archive and its key are those that apt uses on
# this machine.

# Prints the address of this machine's own Debian archive (not of security, not of other repositories).
archive() {
  local codename uri release
  codename=$(. /etc/os-release && printf '%s' "${VERSION_CODENAME:-}")
  while read -r uri release; do
    [ "$release" = "$codename" ] || continue
    printf '%s\n' "$uri"
    return 0
  done < <(apt-get indextargets --format '$(REPO_URI) $(RELEASE)' 'Created-By: Packages' 2>/dev/null)
  return 1
}

# apt with a root of its own under $work: other sources, an empty dpkg status, the machine's transport settings. Signatures
# are checked; that a mirror lags behind is no reason to go without.
private_apt() { # RELEASE COMMAND…
  local root="$work/$1" command=$2; shift 2
  "$command" -q -o Dir::State="$root" -o Dir::State::status="$root/status" -o Dir::State::Lists="$root/lists" \
    -o Dir::Cache="$root/cache" -o Dir::Etc::SourceList="$root/sources.list" -o Dir::Etc::SourceParts=- \
    -o Acquire::Check-Valid-Until=false -o APT::Sandbox::User=root -o Acquire::Languages=none -o Acquire::Retries=3 "$@"
}

prepare() { # RELEASE URI
  local root="$work/$1"
  [ -e "$root/ready" ] && return 0
  mkdir -p "$root/lists/partial" "$root/cache/archives/partial" "$root/download"
  : > "$root/status"
  printf 'deb [signed-by=%s] %s %s main\n' /usr/share/keyrings/debian-archive-keyring.gpg "$2" "$1" > "$root/sources.list"
  private_apt "$1" apt-get update >"$root/log" 2>&1 || return 1
  : > "$root/ready"
}

# Unpacks what an empty machine would install for these packages, of which they and the libraries are enough.
unpack() { # RELEASE TARGET PACKAGE…
  local release=$1 target=$2 root="$work/$1" wanted packages; shift 2
  wanted=$(printf '|%s' "$@")
  packages=$(private_apt "$release" apt-get -s install --no-install-recommends "$@" 2>>"$root/log" |
    sed -n 's/^Inst \([^ ]*\) .*/\1/p' | grep -E "^(lib.*$wanted)\$") || return 1
  mkdir -p "$target/root"
  (cd "$root/download" && rm -f ./*.deb && private_apt "$release" apt-get download $packages >>"$root/log" 2>&1) || return 1
  local deb; for deb in "$root"/download/*.deb; do dpkg-deb -x "$deb" "$target/root"; done
}

# A script that runs a program of TARGET by its own loader and libraries.
wrapper() { # TARGET FILE PROGRAM
  local loader libraries
  loader=$(cd "$1" && find root -name 'ld-linux*.so.*' ! -type d | head -1)
  libraries=$(cd "$1" && find root -name 'lib*.so.*' ! -type d -path "*-linux-gnu*/lib*" -printf '$here/%h\n' | sort -u | grep -E 'linux-gnu[a-z0-9]*$' | paste -sd:)
  [ -n "$loader" ] && [ -n "$libraries" ] && [ -e "$1/$3" ] || return 1
  cat > "$1/$2" <<SCRIPT
#!/bin/sh
here=\$(dirname "\$(readlink -f "\$0")")
exec "\$here/$loader" --library-path "$libraries" "\$here/$3" "\$@"
SCRIPT
  chmod 755 "$1/$2"
}

# The first line of what went wrong with a release, or the sentence given.
reason() { # RELEASE SENTENCE
  grep -m1 -E '^(E|W):' "$work/$1/log" || printf '%s\n' "$2"
}

# Whether VERSION is among the arguments; without arguments all are.
wanted() { # VERSION ARGUMENTS…
  local version=$1 each; shift
  [ "$#" = 0 ] && return 0
  for each in "$@"; do [ "$each" = "$version" ] && return 0; done
  return 1
}
