import { type Export, findDefinitions } from './find-exports.ts'
import type { FunctionRange } from './find-functions.ts'
import type { Token } from './tokenize.ts'

export interface Components {
  /** Where each begins, by the name that React's stacks of components have for it: offsets. */
  offsets: Map<string, number[]>
  /** Variables of the bundle that hold a component which may have no name. */
  unnamed: Set<string>
}

/** What may be a component: elements begin with a small letter. The other is what esbuild calls an export without a name. */
const COMPONENT = /^[^a-z]|_default\d*$/
const WRAPPER = /^(?:memo|forwardRef)\d*$/

/** Finds what may be a component among the functions of a bundle. `exported` are exports that are components for certain. */
export function findComponents(
  tokens: readonly Token[],
  functions: readonly FunctionRange[],
  exported: readonly Export[],
): Components {
  const offsets = new Map<string, number[]>()
  const unnamed = new Set<string>()
  const { outer } = findDefinitions(tokens, functions)
  const starts = new Set(functions.map(({ start }) => start))
  const text = (index: number) => tokens[index]?.text ?? ''

  /** Behind `memo(` or `React.memo(`; 0 where none begins. */
  function wrapperEnd(index: number): number {
    const name = text(index + 1) === '.' ? index + 2 : index
    return WRAPPER.test(text(name)) && text(name + 1) === '(' ? name + 2 : 0
  }

  function add(name: string, offset: number) {
    if (COMPONENT.test(name)) offsets.set(name, [...(offsets.get(name) ?? []), offset])
  }

  for (const { name, start } of functions) if (name) add(name.text, start)
  // `Price = memo(forwardRef(function … ))`, `Price = memo(Inner)`. Of those inside of functions nobody outside knows.
  for (const [index, { text: variable }] of tokens.entries()) {
    if (text(index + 1) !== '=' || !outer.has(variable)) continue
    let inner = index + 2
    for (let end = wrapperEnd(inner); end > 0; end = wrapperEnd(inner)) inner = end
    const { start = -1 } = tokens[inner] ?? {}
    const offset = starts.has(start) ? start : outer.get(text(inner))
    if (inner === index + 2 || offset === undefined) continue
    add(variable, offset)
    unnamed.add(variable)
  }
  // What a function of the site's or a package's has made of a component: `export default withSession(Page)`.
  for (const { local, offset } of exported) {
    if (!outer.has(local) || offsets.has(local)) continue
    offsets.set(local, [offset])
    unnamed.add(local)
  }
  // `Page.displayName = "…"`
  for (const [index, { kind, text: name }] of tokens.entries()) {
    if (name !== 'displayName' || text(index - 1) !== '.' || text(index + 1) !== '=') continue
    const [offset, given] = [outer.get(text(index - 2)), tokens[index + 2]]
    if (kind === 'word' && offset !== undefined && given?.kind === 'string') add(given.text.slice(1, -1), offset)
  }
  return { offsets, unnamed }
}
