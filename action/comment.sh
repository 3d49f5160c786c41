#!/bin/sh
# Puts the comment of a check on its pull request, in the place of the one before.
#
#     GITHUB_TOKEN=… GITHUB_REPOSITORY=owner/name action/comment.sh NUMBER comment.md
#
# A runner sets GITHUB_API_URL. Needs curl and jq.
set -eu
: "${GITHUB_API_URL:?the address of the API}" "${GITHUB_TOKEN:?a token that may write comments}"
: "${GITHUB_REPOSITORY:?the repository, owner/name}"
number=$1
file=$2
case $number in
*[!0-9]* | '')
    echo "comment.sh: '$number' is no number of a pull request" >&2
    exit 2
    ;;
esac
if [ ! -r "$file" ]; then
    echo "comment.sh: cannot read $file" >&2
    exit 2
fi
marker='<!-- humdrum: the check of this pull request -->'
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# In a file, so that no list of processes shows the token.
(umask 077 && printf 'Authorization: Bearer %s\n' "$GITHUB_TOKEN" >"$scratch/header")
call() {
    curl --silent --show-error --fail --retry 3 --header "@$scratch/header" \
        --header 'Accept: application/vnd.github+json' --header 'Content-Type: application/json' "$@"
}
comments=$GITHUB_API_URL/repos/$GITHUB_REPOSITORY/issues
call "$comments/$number/comments?per_page=100" >"$scratch/all"
found=$(jq --raw-output --arg marker "$marker" '[.[] | select(.body | contains($marker))][0].id // empty' "$scratch/all")
# A comment has at most 65,536 characters.
{
    head -c 60000 "$file"
    printf '\n\n%s\n' "$marker"
} | jq --raw-input --slurp '{body: .}' >"$scratch/body"
if [ -n "$found" ]; then
    call --request PATCH --data "@$scratch/body" "$comments/comments/$found" >/dev/null
else
    call --request POST --data "@$scratch/body" "$comments/$number/comments" >/dev/null
fi
