import type { FunctionRange } from './find-functions.ts'
import type { Token } from './tokenize.ts'

/** What a module exports, as the bundle defines it. */
export interface Export {
  /** Of the export. */
  name: string
  /** Of the variable, function or class in the bundle. */
  local: string
  offset: number
}

/**
 * Reads what esbuild writes for `import * as module0`: an object for each module, filled by
 * `__export(index_exports, { load: () => load2 })`, and all of these objects in the `modules` of the build's own entry.
 */
export function findExports(
  tokens: readonly Token[],
  functions: readonly FunctionRange[],
): { file: string; exports: Export[] }[] {
  const text = (index: number) => tokens[index]?.text ?? ''
  const { outer, inner } = findDefinitions(tokens, functions)

  // A module that is loaded later assigns its variables in a function.
  const offsetOf = (name: string) => outer.get(name) ?? inner.get(name)

  /** The members of an object literal: each key, and the index of the first token of its value. */
  function membersOf(open: number): [key: string, value: number][] {
    const members: [string, number][] = []
    const end = tokens[open]?.pair ?? -1
    let isKey = true
    for (let index = open + 1; index < end; index++) {
      const token = tokens[index]
      if (isKey && text(index + 1) === ':') members.push([unquote(text(index)), index + 2])
      isKey = token?.text === ','
      if (token && token.pair > index) index = token.pair
    }
    return members
  }

  /** The index of the bracket that opens the object which is given or assigned to a name. */
  function objectOf(name: string, before: readonly string[], between: string): number {
    return tokens.findIndex(
      (token, index) =>
        token.text === '{' &&
        text(index - 1) === between &&
        text(index - 2) === name &&
        before.includes(text(index - 3)),
    )
  }

  /** `() => load2` */
  function exportOf(name: string, getter: number): Export[] {
    const local = text(getter + 2) === '=>' ? text(getter + 3) : ''
    const offset = offsetOf(local)
    return offset === undefined ? [] : [{ name, local, offset }]
  }

  const modules = membersOf(objectOf(exportedName(tokens, 'modules'), ['var', 'const', 'let'], '='))
  return modules.map(([file, value]) => ({
    file,
    exports: membersOf(objectOf(text(value), ['('], ',')).flatMap(([name, getter]) => exportOf(name, getter)),
  }))
}

export interface Definitions {
  /** Of the module's own scope. */
  outer: ReadonlyMap<string, number>
  /** The first one inside of brackets. */
  inner: ReadonlyMap<string, number>
}

/** Where variables, functions and classes are defined: offsets, by their names in the bundle. */
export function findDefinitions(tokens: readonly Token[], functions: readonly FunctionRange[]): Definitions {
  const starts = new Map(functions.flatMap(({ name, start }) => (name ? [[name.at, start]] : [])))
  const [outer, inner] = [new Map<string, number>(), new Map<string, number>()]
  let end = -1
  for (const [index, { kind, text, start, pair }] of tokens.entries()) {
    if (index > end && pair > index) end = pair
    if (kind !== 'word' || !isDefined(tokens, index)) continue
    const definitions = index > end ? outer : inner
    if (!definitions.has(text)) definitions.set(text, starts.get(start) ?? start)
  }
  return { outer, inner }
}

function isDefined(tokens: readonly Token[], index: number): boolean {
  const [before, next, second] = [tokens[index - 1]?.text, tokens[index + 1]?.text, tokens[index + 2]?.text]
  if (before === '.') return false
  if (next === '=' && second !== '=') return true
  return before === 'function' || before === 'class' || (before === '*' && tokens[index - 2]?.text === 'function')
}

/** What the bundle calls an export of its entry. */
function exportedName(tokens: readonly Token[], name: string): string {
  const open = tokens.findLastIndex(({ text }, index) => text === '{' && tokens[index - 1]?.text === 'export')
  const exported = open === -1 ? [] : tokens.slice(open + 1, tokens[open]?.pair)
  const as = exported.findIndex(({ text }, index) => text === 'as' && exported[index + 1]?.text === name)
  return exported[as - 1]?.text ?? name
}

function unquote(text: string): string {
  return /^["']/.test(text) ? text.slice(1, -1) : text
}
