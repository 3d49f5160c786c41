#!/bin/sh
# Compiles as it is told, and links in another order: HUMDRUM_LAYOUT=SEED layout.sh COMPILER ARGUMENTS…
#
# The seed is no argument, because `configure` writes the compiler's whole command into a header that every file includes.
#
# Objects of a program are linked in an order drawn from the seed, behind 1 to 64 times 16 bytes that do nothing. So the same
# code lies at other addresses. All else, libraries included, stays in its place.

seed=${HUMDRUM_LAYOUT:-0}

objects=0
for word; do
    case $word in
        -c | -E | -S | -M | -MM | -shared | -r | --version | -v | -V | -print* | -dump*) exec "$@" ;;
        *.o) objects=$((objects + 1)) ;;
    esac
done
# A test of `configure` has one object at most.
[ "$objects" -ge 3 ] || exec "$@"
[ "$1" != ccache ] || shift

# Park and Miller's generator; its products are exact in the numbers of every awk.
order=$(for word; do case $word in *.o) printf '%s\n' "$word" ;; esac; done | awk -v seed="$seed" '
    function draw() { x = (x * 16807) % 2147483647; return x }
    BEGIN { x = seed % 2147483646 + 1; for (i = 0; i < 20; i++) draw() }
    { name[NR] = $0 }
    END {
        print 1 + draw() % 64
        for (i = NR; i > 1; i--) { j = 1 + draw() % i; swap = name[i]; name[i] = name[j]; name[j] = swap }
        for (i = 1; i <= NR; i++) print name[i]
    }')

padding=$(printf '%s\n' "$order" | head -n 1)
pad=$(mktemp "${TMPDIR:-/tmp}/layout.XXXXXX") || exit 1
trap 'rm -f "$pad" "$pad.s" "$pad.o"' EXIT
printf '.text\n.balign 16\n.fill %s, 1, 0x90\n.section .note.GNU-stack,"",%%progbits\n' "$((16 * padding))" > "$pad.s"
"$1" -c -o "$pad.o" "$pad.s" || exit 1

# The words without objects; at the place of the first one all of them.
placed=
count=$#
while [ "$count" -gt 0 ]; do
    count=$((count - 1))
    word=$1
    shift
    case $word in
        *.o)
            if [ -z "$placed" ]; then
                placed=yes
                set -- "$@" "$pad.o"
                IFS='
'
                for object in $(printf '%s\n' "$order" | tail -n +2); do set -- "$@" "$object"; done
                unset IFS
            fi
            ;;
        *) set -- "$@" "$word" ;;
    esac
done
"$@"
