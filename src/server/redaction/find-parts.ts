import { LEAST_SECRET_LENGTH, type Span } from './secret-names.ts'

/** Of a suffix automaton: stands for all parts of the text that end at the same places. */
interface State {
  next: Map<number, State>
  /** Stands for shorter ends of its parts. */
  link: State | null
  /** Of its longest part. */
  length: number
  /** Length of the longest value found that ends here; 0 for none. */
  found: number
  /** Does the text end with its parts? */
  isEnd: boolean
}

/**
 * Finds every place in the text where one of the values stands. It takes as long as the text and the values are together,
 * whatever they hold: the text is indexed once (https://en.wikipedia.org/wiki/Suffix_automaton), and each value is read as
 * far as it stands in the text. Returned from the last place to the first; none overlap.
 *
 * @param isCut Is the text the beginning of a longer one? Then the beginning of a value at its end counts as well.
 */
export function findParts(text: string, values: Iterable<string>, isCut: boolean): Span[] {
  const { root, states, prefixes } = indexParts(text)
  let cutLength = 0
  for (const value of values) {
    const read = readValue(root, value)
    if (isCut) cutLength = Math.max(cutLength, read)
  }
  // A value that ends where a longer part ends stands there, too.
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

/** Marks a value that stands in the text as a whole. Returns how much of its beginning the text ends with. */
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
  /** The states of the text's beginnings, by their length less one. */
  prefixes: State[]
}

function indexParts(text: string): Index {
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
    const known = above?.next.get(code)
    if (above && known) {
      if (known.length === above.length + 1) state.link = known
      else {
        const copy: State = { ...known, next: new Map(known.next), length: above.length + 1 }
        states.push(copy)
        for (; above && above.next.get(code) === known; above = above.link) above.next.set(code, copy)
        known.link = copy
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
