#!/bin/sh
# Installs parley for this user, or removes it. No root is needed.
#
#   sh install.sh             installs the newest version below ~/.local
#   sh install.sh uninstall   removes what it installed
#
#   VERSION=1.2.3    another version
#   PREFIX=/opt/x    another place: PREFIX/bin/parley
#   ADDRESS=URL      another server
set -eu

ADDRESS=${ADDRESS:-<<.Address>>}
PREFIX=${PREFIX:-$HOME/.local}
LIST=$PREFIX/share/parley/installed

fail() {
	echo "install.sh: $*" >&2
	exit 1
}

# fetch URL FILE
fetch() {
	if command -v curl >/dev/null; then
		curl -fsSL -o "$2" "$1"
	elif command -v wget >/dev/null; then
		wget -q -O "$2" "$1"
	else
		fail 'curl or wget is needed; install one of them'
	fi || fail "cannot fetch $1"
}

# sum FILE
sum() {
	if command -v sha256sum >/dev/null; then
		sha256sum "$1"
	elif command -v shasum >/dev/null; then
		shasum -a 256 "$1"
	else
		fail 'sha256sum or shasum is needed to verify what is fetched'
	fi | cut -d ' ' -f 1
}

# remove FILE removes what a list names, and the directories that are empty then.
remove() {
	while IFS= read -r path; do
		case $path in
			'' | /* | ../* | */../* | */..) continue ;;
		esac
		rm -f "$PREFIX/$path"
		dir=$(dirname "$path")
		while [ "$dir" != . ] && rmdir "$PREFIX/$dir" 2>/dev/null; do
			dir=$(dirname "$dir")
		done
	done <"$1"
}

case ${1-} in
	uninstall)
		[ -f "$LIST" ] || fail "nothing is installed below $PREFIX; set PREFIX to where it is"
		remove "$LIST"
		rm -f "$LIST"
		rmdir "$PREFIX/share/parley" "$PREFIX/share" 2>/dev/null || :
		echo "parley is removed from $PREFIX. Workspaces and settings are kept."
		exit
		;;
	'') ;;
	*) fail "it takes nothing, or: uninstall" ;;
esac

system=$(uname -s | tr '[:upper:]' '[:lower:]')
case $system in
	linux | darwin) ;;
	*) fail "there is no parley for $system" ;;
esac
case $(uname -m) in
	x86_64 | amd64) arch=amd64 ;;
	aarch64 | arm64) arch=arm64 ;;
	*) fail "there is no parley for $(uname -m)" ;;
esac

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

if [ -z "${VERSION-}" ]; then
	fetch "$ADDRESS/latest" "$work/latest"
	VERSION=$(cat "$work/latest")
fi
VERSION=${VERSION#v}
name=parley_${VERSION}_${system}_$arch

fetch "$ADDRESS/$VERSION/checksums.txt" "$work/checksums.txt"
fetch "$ADDRESS/$VERSION/$name.tar.gz" "$work/$name.tar.gz"
want=$(awk -v name="$name.tar.gz" '$2 == name { print $1 }' "$work/checksums.txt")
[ -n "$want" ] || fail "checksums.txt does not name $name.tar.gz"
[ "$(sum "$work/$name.tar.gz")" = "$want" ] || fail "$name.tar.gz is not what checksums.txt says; nothing was installed"

(cd "$work" && tar -xzf "$name.tar.gz")
(cd "$work/$name" && find . -type f | sed 's,^\./,,' | sort) >"$work/installed"

# Each file takes its place whole, and what only the version before had goes last: a disk that fills up leaves
# a program that runs.
while IFS= read -r path; do
	mkdir -p "$PREFIX/$(dirname "$path")"
	cp -p "$work/$name/$path" "$PREFIX/$path.new"
	mv -f "$PREFIX/$path.new" "$PREFIX/$path"
done <"$work/installed"
if [ -f "$LIST" ]; then
	grep -vxF -f "$work/installed" "$LIST" >"$work/gone" || :
	remove "$work/gone"
fi
mkdir -p "$(dirname "$LIST")"
cp "$work/installed" "$LIST"

echo "installed $("$PREFIX/bin/parley" version) in $PREFIX/bin"
command -v tmux >/dev/null || echo 'parley needs tmux 3.3 or newer, which is missing here'
case ":$PATH:" in
	*":$PREFIX/bin:"*) ;;
	*) echo "it is not in your PATH yet; add: export PATH=\"$PREFIX/bin:\$PATH\"" ;;
esac
