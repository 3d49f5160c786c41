#!/bin/sh
# Puts the comment of a check on its pull request or merge request, in the place of the one before.
#
#     GITHUB_TOKEN=… GITHUB_REPOSITORY=owner/name action/comment.sh NUMBER comment.md
#     HUMDRUM_TOKEN=… CI_PROJECT_ID=7 action/comment.sh NUMBER comment.md                on GitLab
#
# A runner sets GITHUB_API_URL or CI_API_V4_URL. CHECK_NAME tells the comments of several checks apart. With HEAD_SHA, on GitHub, a
# comment is written only if that commit is the head of the pull request: the number may come from an artifact, which a fork
# can fill as it likes. Needs curl and jq.
set -eu
number=$1
file=$2
case $number in
*[!0-9]* | '')
    echo "comment.sh: '$number' is no number of a request" >&2
    exit 2
    ;;
esac
if [ ! -r "$file" ]; then
    echo "comment.sh: cannot read $file" >&2
    exit 2
fi
if [ -n "${CI_API_V4_URL:-}" ]; then
    : "${HUMDRUM_TOKEN:?a token with the scope api}" "${CI_PROJECT_ID:?the number of the project}"
    header="PRIVATE-TOKEN: $HUMDRUM_TOKEN"
    all=$CI_API_V4_URL/projects/$CI_PROJECT_ID/merge_requests/$number/notes
    one=$all
    change=PUT
    trusted=true
else
    : "${GITHUB_API_URL:?the address of the API}" "${GITHUB_TOKEN:?a token that may write comments}"
    : "${GITHUB_REPOSITORY:?the repository, owner/name}"
    header="Authorization: Bearer $GITHUB_TOKEN"
    one=$GITHUB_API_URL/repos/$GITHUB_REPOSITORY/issues/comments
    all=$GITHUB_API_URL/repos/$GITHUB_REPOSITORY/issues/$number/comments
    change=PATCH
    # Anybody can put the mark into a comment of their own; only comments of programs and of the repository's own people are replaced.
    trusted='.user.type == "Bot" or (.author_association | IN("OWNER", "MEMBER", "COLLABORATOR"))'
fi
# Of the name, only what cannot end the mark.
name=$(printf '%s' "${CHECK_NAME:-}" | tr -c 'A-Za-z0-9 ._' '_')
marker="<!-- humdrum: the check${name:+ $name} of this pull request -->"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# In a file, so that no list of processes shows the token.
(umask 077 && printf '%s\n' "$header" >"$scratch/header")
call() {
    curl --silent --show-error --fail --retry 3 --header "@$scratch/header" \
        --header 'Accept: application/json' --header 'Content-Type: application/json' "$@"
}
if [ -n "${HEAD_SHA:-}" ] && [ "$change" = PATCH ]; then
    call "$GITHUB_API_URL/repos/$GITHUB_REPOSITORY/pulls/$number" >"$scratch/pull"
    if [ "$(jq --raw-output .head.sha "$scratch/pull")" != "$HEAD_SHA" ]; then
        echo "comment.sh: $HEAD_SHA is not the head of request $number, or no longer: no comment is written" >&2
        exit 2
    fi
fi
page=1
found=
while [ -z "$found" ]; do
    call "$all?per_page=100&page=$page" >"$scratch/all"
    found=$(jq --raw-output --arg marker "$marker" \
        "[.[] | select(.body | contains(\$marker)) | select($trusted)][0].id // empty" "$scratch/all")
    [ "$(jq length "$scratch/all")" -eq 100 ] || break
    page=$((page + 1))
done
# A comment has at most 65,536 characters.
{
    head -c 60000 "$file"
    printf '\n\n%s\n' "$marker"
} | jq --raw-input --slurp '{body: .}' >"$scratch/body"
if [ -n "$found" ]; then
    call --request "$change" --data "@$scratch/body" "$one/$found" >/dev/null
else
    call --request POST --data "@$scratch/body" "$all" >/dev/null
fi
