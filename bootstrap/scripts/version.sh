# shellcheck shell=sh # a part: Render puts it between the prelude and an action
#
# Versions, read and ordered as package fabric/version does; a test runs both over the same pairs.

# shellcheck disable=SC2016 # awk's own variables
version_program='
function fail() { exit 1 }

# numbers puts 1.02.3 into the vector of a side, from a slot on.
function numbers(text, side, slot, room,    n, part, i) {
    n = split(text, part, ".")
    if (n > room) fail()
    for (i = 1; i <= n; i++) vector[side, slot + i] = part[i] + 0
}

# take cuts what a pattern matches from the front of rest.
function take(pattern) {
    if (!match(rest, "^(" pattern ")")) return ""
    taken = substr(rest, 1, RLENGTH)
    rest = substr(rest, RLENGTH + 1)
    return taken
}

# stage_of gives the rank of a word of a pre-release, 0 for any other word. One letter counts with a number.
function stage_of(word, after) {
    if (word == "dev") return -4
    if (word == "alpha" || word == "a" && after ~ /^[0-9]/) return -3
    if (word == "beta" || word == "b" && after ~ /^[0-9]/) return -2
    if (word == "rc" || word == "pre" || word == "preview" || word == "c" && after ~ /^[0-9]/) return -1
    return 0
}

function pre(side, rank, after) {
    rest = after
    if (rest ~ /^\.[0-9]/) rest = substr(rest, 2)
    vector[side, STAGE] = rank
    numbers(take("[0-9]+(\\.[0-9]+)*"), side, STAGE, 6)
}

function prerelease(side,    after, separator, word, rank) {
    after = rest
    separator = ""
    if (after ~ /^[-.~]/) { separator = substr(after, 1, 1); after = substr(after, 2) }
    match(after, /^[a-z]*/)
    word = substr(after, 1, RLENGTH)
    rank = stage_of(word, substr(after, RLENGTH + 1))
    if (rank) pre(side, rank, substr(after, RLENGTH + 1))
    else if (separator == "~") {
        if (after !~ /^([0-9]|amzn)/) fail()
        pre(side, -5, after)
    }
}

function vendor(side) {
    if (take("[-.]?amzn[0-9]") == "") return
    rest = substr(taken, length(taken)) rest
    vector[side, BUILT] = 1
    numbers(take("[0-9]+(\\.[0-9]+)*"), side, BUILT, 8)
}

# mark takes a letter or "aws" that says how something was built, and leaves what could be a pre-release.
function mark(    word, after) {
    if (!match(rest, /^-?[a-z]+/)) return
    word = substr(rest, 1, RLENGTH)
    after = substr(rest, RLENGTH + 1)
    if (after ~ /^[0-9]/) return
    if (word ~ /^-?aws$/ || word ~ /^[d-wyz]$/) rest = after
}

function revision(side, parts,    text, word, zero, build) {
    if (rest !~ /^-[0-9]/) return
    text = substr(rest, 2)
    zero = text
    sub(/^0/, "", zero)
    match(zero, /^[a-z]*/)
    word = stage_of(substr(zero, 1, RLENGTH), substr(zero, RLENGTH + 1))
    if (word && !vector[side, STAGE]) { pre(side, word, substr(zero, RLENGTH + 1)); return }
    if (text ~ /(^|[^a-z])(dev|alpha|beta|rc|pre|preview)([^a-z]|$)/) fail()
    rest = text
    build = take("[0-9]+(\\.[0-9]+)*")
    if (parts == 3 && !vector[side, STAGE] && !vector[side, BUILT] && (rest ~ /^-(aws|generic|lowlatency|nvidia|cloud|amd|arm)([^a-z]|$)/ || build ~ /\./ && rest ~ /^\.(amzn|el)([^a-z]|$)/)) {
        vector[side, BUILT] = 1
        numbers(build, side, BUILT, 8)
    }
    rest = ""
}

function parse(text, side,    release, parts) {
    if (length(text) > 128 || text !~ /^[-0-9A-Za-z.+~_]+$/ || text ~ /[-.+~_]$/) fail()
    if (text ~ /^0*2[0-8][0-9][0-9]$/) text = sprintf("%d.%d.%d", text / 1000, text % 1000 / 100, text % 100)
    else if (text ~ /^0*2[0-9][0-9][0-9][0-9]$/ && text + 0 >= 20900) text = sprintf("%d.%d.%d", text / 10000, text % 10000 / 100, text % 100)
    rest = tolower(text)
    sub(/\+.*/, "", rest)
    sub(/^v/, "", rest)
    release = take("[0-9]+(\\.[0-9]+)*")
    parts = split(release, unused, ".")
    if (!parts || parts == 1 && release + 0 > 999) fail()
    numbers(release, side, 0, 8)
    prerelease(side)
    vendor(side)
    mark()
    revision(side, parts)
    if (rest != "") fail()
}

BEGIN {
    STAGE = 10; BUILT = 20
    parse(ARGV[1], "a")
    parse(ARGV[2], "b")
    for (i = 1; i <= 30; i++) {
        difference = vector["a", i] - vector["b", i]
        if (difference) break
    }
    print (difference < 0 ? -1 : (difference > 0))
    exit 0
}
'

# version_compare A B: prints -1, 0 or 1 as A is below B, of its rank or above it. Fails on a version that
# cannot be read, which must never count as good.
version_compare() { awk "$version_program" "$1" "$2" 2>/dev/null; }

# below HAVE FLOOR: whether a version is below a floor. One that cannot be read is.
below() {
    case $(version_compare "$1" "$2") in
    0 | 1) return 1 ;;
    esac
}
