import { readTokens, type Token } from './tokenize.ts'

/** A function or class of a script, from its first character to behind its last. */
export interface FunctionRange {
  kind: 'function' | 'class'
  start: number
  end: number
  /** What names it in the script: an identifier, or a property's key. Missing for one without a name. */
  name?: { text: string; at: number }
}

/** In the order of their starts; those around others first. Empty for a script that cannot be read. */
export function findFunctions(code: string, tokens: readonly Token[] = readTokens(code) ?? []): FunctionRange[] {
  const found: FunctionRange[] = []
  const at = (index: number): Token => tokens[index] ?? NONE
  const isSign = (index: number, text: string) => at(index).kind === 'sign' && at(index).text === text

  function add(kind: FunctionRange['kind'], first: number, last: number, name: Token | null) {
    const range = { kind, start: at(first).start, end: at(last).end }
    found.push(name ? { ...range, name: { text: unquote(name), at: name.start } } : range)
  }

  /** What an expression that begins there is assigned to. */
  function target(first: number): Token | null {
    const before = at(first - 2)
    const isKey = isSign(first - 1, ':') && before.kind !== 'sign'
    const isAssigned = isSign(first - 1, '=') && before.kind === 'word'
    return isKey || isAssigned ? before : null
  }

  function addFunction(index: number) {
    const first = at(index - 1).text === 'async' ? index - 1 : index
    const star = isSign(index + 1, '*') ? 1 : 0
    const own = at(index + 1 + star)
    const isNamed = own.kind === 'word'
    const parameters = index + 1 + star + (isNamed ? 1 : 0)
    if (!isSign(parameters, '(')) return
    const body = at(parameters).pair + 1
    if (isSign(body, '{')) add('function', first, at(body).pair, isNamed ? own : target(first))
  }

  function addClass(index: number) {
    const own = at(index + 1)
    const isNamed = own.kind === 'word' && own.text !== 'extends'
    let body = index + 1
    while (body < tokens.length && !isSign(body, '{')) body = at(body).pair > body ? at(body).pair + 1 : body + 1
    if (isSign(body, '{')) add('class', index, at(body).pair, isNamed ? own : target(index))
  }

  function addArrow(index: number) {
    const parameters = isSign(index - 1, ')') ? at(index - 1).pair : index - 1
    const isAsync = at(parameters - 1).text === 'async' && !isSign(parameters - 2, '.')
    const first = isAsync ? parameters - 1 : parameters
    let last = index + 1
    if (isSign(last, '{')) last = at(last).pair
    else {
      while (last < tokens.length && !/^[,;)\]}]$/.test(signOf(at(last))))
        last = at(last).pair > last ? at(last).pair + 1 : last + 1
      last--
    }
    add('function', first, last, target(first))
  }

  // `name(…){`: nothing else looks like that, but for statements.
  function addMethod(index: number) {
    const key = at(index)
    const body = at(index + 1).pair + 1
    if (STATEMENTS.test(key.text) || !isSign(body, '{') || at(index - 1).text === 'function') return
    if (isSign(index - 1, '*') && at(index - 2).text === 'function') return
    add('function', index, at(body).pair, key)
  }

  for (const [index, token] of tokens.entries()) {
    const isProperty = isSign(index - 1, '.') || isSign(index + 1, ':')
    if (token.text === '=>') addArrow(index)
    else if (token.kind === 'sign' || isSign(index - 1, '.')) continue
    else if (token.text === 'function' && !isProperty) addFunction(index)
    else if (token.text === 'class' && !isProperty) addClass(index)
    else if (isSign(index + 1, '(')) addMethod(index)
  }
  return found.sort((a, b) => a.start - b.start || b.end - a.end)
}

const NONE: Token = { kind: 'sign', text: '', start: 0, end: 0, pair: -1 }
const STATEMENTS = /^(?:if|for|while|switch|catch|with|function|await)$/

const signOf = ({ kind, text }: Token) => (kind === 'sign' ? text : '')

function unquote({ kind, text }: Token): string {
  return kind === 'string' ? text.slice(1, -1) : text
}
