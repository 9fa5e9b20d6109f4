#!/bin/sh
# Installs lock_folder_util for the user who runs it: fetches the archive for this machine, compares its
# checksum, tries the program, and only then puts it into place. Nothing else is changed.
#
#     sh install.sh [TAG]         a release such as v0.1.0; without it, the newest
#
# INSTALL_DIR                    where to put the program; ~/.local/bin by default
# LOCK_FOLDER_UTIL_RELEASES      the address of the releases, in place of the one below

set -eu

# A release writes its own address here.
releases=''

say() {
  printf '%s\n' "$*"
}

fail() {
  printf 'install.sh: %s\n' "$*" >&2
  exit 1
}

has() {
  command -v "$1" >/dev/null 2>&1
}

# The machine, as the archives name it.
target() {
  case $(uname -s) in
    Linux) system=unknown-linux-gnu ;;
    Darwin) system=apple-darwin ;;
    MINGW* | MSYS* | CYGWIN*) fail "on Windows, use install.ps1" ;;
    *) fail "there is no program for $(uname -s); there is one for Linux, macOS and Windows" ;;
  esac
  case $(uname -m) in
    x86_64 | amd64) machine=x86_64 ;;
    aarch64 | arm64) machine=aarch64 ;;
    *) fail "there is no program for the processor $(uname -m); there is one for x86_64 and aarch64" ;;
  esac
  printf '%s-%s' "$machine" "$system"
}

# fetch URL FILE
fetch() {
  # A folder as it is named: curl takes no space, and takes % and # for something else.
  if [ "${1#file:///}" != "$1" ] && [ -f "${1#file://}" ]; then
    cp "${1#file://}" "$2"
  elif has curl; then
    curl --fail --silent --show-error --location --connect-timeout 30 \
      --speed-limit 1 --speed-time 60 --output "$2" "$1"
  elif has wget; then
    # GNU's own would try twenty times; busybox has no such option.
    case $(wget --help 2>&1) in
      *--tries*) wget --no-verbose --tries=2 --timeout=60 --output-document="$2" "$1" ;;
      *) wget -q -O "$2" "$1" ;;
    esac
  else
    fail "it takes curl or wget"
  fi || fail "cannot fetch $1"
}

# sha256 FILE
sha256() {
  if has sha256sum; then
    sha256sum <"$1"
  elif has shasum; then
    shasum -a 256 <"$1"
  elif has openssl; then
    openssl dgst -sha256 -r <"$1"
  else
    fail "it takes sha256sum, shasum or openssl to compare the checksum"
  fi | {
    read -r sum rest || :
    : "$rest"
    printf '%s' "$sum"
  }
}

# The checksum of FILE in the list of them: checksum_of FILE LIST
checksum_of() {
  while read -r sum name; do
    if [ "$name" = "$1" ]; then
      printf '%s' "$sum"
      return
    fi
  done <"$2"
}

main() {
  [ $# -le 1 ] || fail "usage: install.sh [TAG]"
  tag=${1:-}
  case $tag in
    -* | *[!A-Za-z0-9._-]*) fail "\"$tag\" is no tag of a release, such as v0.1.0" ;;
  esac
  releases=${LOCK_FOLDER_UTIL_RELEASES:-$releases}
  [ -n "$releases" ] ||
    fail "this copy is not from a release: set LOCK_FOLDER_UTIL_RELEASES to the address of the releases"
  folder=${INSTALL_DIR:-}
  if [ -z "$folder" ]; then
    [ -n "${HOME:-}" ] || fail "HOME is not set: set INSTALL_DIR to the folder to install into"
    folder=$HOME/.local/bin
  fi
  platform=$(target)
  package=lock_folder_util-$platform
  archive=$package.tar.gz
  if [ -n "$tag" ]; then from=$releases/download/$tag; else from=$releases/latest/download; fi

  scratch=
  fresh=
  trap '[ -z "$fresh" ] || rm -f "$fresh"; [ -z "$scratch" ] || rm -rf "$scratch"' EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM
  scratch=$(mktemp -d "${TMPDIR:-/tmp}/lock_folder_util.XXXXXX") || fail "cannot make a temporary folder"

  say "Fetching $from/$archive"
  fetch "$from/SHA256SUMS" "$scratch/SHA256SUMS"
  expected=$(checksum_of "$archive" "$scratch/SHA256SUMS")
  [ -n "$expected" ] || fail "SHA256SUMS of that release does not name $archive"
  fetch "$from/$archive" "$scratch/$archive"
  actual=$(sha256 "$scratch/$archive")
  [ -n "$actual" ] || exit 1
  [ "$actual" = "$expected" ] ||
    fail "$archive has the checksum $actual, but should have $expected: nothing is installed"
  say "Its checksum is right: $actual"

  gzip -dc <"$scratch/$archive" | (cd "$scratch" && tar -xf -) || fail "cannot unpack $archive"
  program=$scratch/$package/lock_folder_util
  [ -f "$program" ] || fail "$archive has no program in it"

  mkdir -p "$folder" || fail "cannot make $folder; INSTALL_DIR names another"
  [ ! -d "$folder/lock_folder_util" ] || fail "$folder/lock_folder_util is a folder"
  # Tried beside the old one, then renamed: whoever starts it meanwhile gets one of the two.
  fresh=$folder/.lock_folder_util.$$
  if ! cp "$program" "$fresh" || ! chmod 755 "$fresh"; then
    fail "cannot write to $folder; INSTALL_DIR names another"
  fi
  version=$("$fresh" --version) ||
    fail "the program does not run here. On Linux it needs glibc 2.27 or newer (not musl), and no ulimit -v"
  mv -f "$fresh" "$folder/lock_folder_util"
  fresh=
  say "Installed $version as $folder/lock_folder_util"
  case :${PATH:-}: in
    *:"$folder":*) ;;
    *) say "$folder is not in your PATH: add it, or call the program by its full name" ;;
  esac
}

# Read as a whole before anything is done, even if this comes through a pipe that breaks.
# (posh takes a bare "$@" for unset where there are no arguments.)
main ${1+"$@"}
