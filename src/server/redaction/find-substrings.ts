import { LEAST_SECRET_LENGTH, type Span } from './secret-names.ts'

/** A state of a suffix automaton. It represents all substrings of the text that end at the same positions. */
interface State {
  next: Map<number, State>
  /** The state of the next shorter suffixes. */
  link: State | null
  /** Length of its longest substring. */
  length: number
  /** Length of the longest value that ends here; 0 for none. */
  found: number
  /** True when the text ends with its substrings. */
  isEnd: boolean
}

/**
 * Finds every occurrence of the values in the text. The spans do not overlap and are ordered from last to first.
 *
 * The time is linear in the length of the text and the values together, for any input: the text is indexed once by a
 * suffix automaton (https://en.wikipedia.org/wiki/Suffix_automaton), which then reads each value.
 *
 * @param isCut The text is the beginning of a longer text, so a value may begin at its end without being complete.
 */
export function findSubstrings(text: string, values: Iterable<string>, isCut: boolean): Span[] {
  const { root, states, prefixes } = indexSubstrings(text)
  let cutLength = 0
  for (const value of values) {
    const read = readValue(root, value)
    if (isCut) cutLength = Math.max(cutLength, read)
  }
  // A value that is a suffix of a longer substring ends there, too.
  for (const state of states.sort((a, b) => a.length - b.length)) {
    if (state.found === 0) state.found = state.link?.found ?? 0
  }
  const spans: Span[] = []
  if (cutLength >= LEAST_SECRET_LENGTH) spans.push({ from: text.length - cutLength, to: text.length })
  for (let to = text.length; to > 0; to--) {
    const length = prefixes[to - 1]?.found ?? 0
    if (length === 0) continue
    const last = spans.at(-1)
    if (last && last.from <= to) last.from = Math.min(last.from, to - length)
    else spans.push({ from: to - length, to })
  }
  return spans
}

/**
 * Marks a value that the text contains. Returns the length of the longest prefix of the value that the text ends with.
 */
function readValue(root: State, value: string): number {
  let state = root
  let atEnd = 0
  for (let length = 1; length <= value.length; length++) {
    const next = state.next.get(value.charCodeAt(length - 1))
    if (!next) return atEnd
    state = next
    if (state.isEnd) atEnd = length
  }
  state.found = Math.max(state.found, value.length)
  return atEnd
}

interface Index {
  root: State
  states: State[]
  /** The states of the text's prefixes; the index is the length minus one. */
  prefixes: State[]
}

function indexSubstrings(text: string): Index {
  const root = createState(0, null)
  const states = [root]
  const prefixes: State[] = []
  let last = root
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    const state = createState(last.length + 1, root)
    states.push(state)
    prefixes.push(state)
    let above: State | null = last
    for (; above && !above.next.has(code); above = above.link) above.next.set(code, state)
    const next = above?.next.get(code)
    if (above && next) {
      if (next.length === above.length + 1) state.link = next
      else {
        const copy: State = { ...next, next: new Map(next.next), length: above.length + 1 }
        states.push(copy)
        for (; above && above.next.get(code) === next; above = above.link) above.next.set(code, copy)
        next.link = copy
        state.link = copy
      }
    }
    last = state
  }
  for (let end: State | null = last; end && end !== root; end = end.link) end.isEnd = true
  return { root, states, prefixes }
}

function createState(length: number, link: State | null): State {
  return { next: new Map(), link, length, found: 0, isEnd: false }
}
