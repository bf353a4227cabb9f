// Reads the scripts that esbuild writes, as far as it takes to find their functions. It is no parser of JavaScript: what
// people write in other ways has been written anew by esbuild.

export interface Token {
  kind: 'word' | 'string' | 'sign'
  text: string
  start: number
  end: number
  /** Of a bracket: the index of the one that belongs to it. */
  pair: number
}

const WORD = /[\p{ID_Start}$_#][\p{ID_Continue}$\u200c\u200d]*/uy
const NUMBER = /\.?\d[\w.]*/y
const STRING = /"(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\]|\\[\s\S])*'/y
const REGEX = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y
const BLANK = /\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\//y
const TEMPLATE = /(?:[^`\\$]|\\[\s\S]|\$(?!\{))*/y

/** Behind these words stands an expression, so that a slash begins a regular expression. */
const BEFORE_EXPRESSION =
  /^(?:return|typeof|instanceof|in|of|new|delete|void|throw|case|do|else|yield|await|extends|default)$/
const CLOSING: Record<string, string> = { '(': ')', '[': ']', '{': '}', '${': '}' }

/** Null for a script that cannot be read. */
export function readTokens(code: string): Token[] | null {
  const tokens: Token[] = []
  const open: number[] = []
  let at = 0

  function match(pattern: RegExp): string | null {
    pattern.lastIndex = at
    return pattern.exec(code)?.[0] ?? null
  }

  function add(kind: Token['kind'], text: string) {
    tokens.push({ kind, text, start: at, end: at + text.length, pair: -1 })
    at += text.length
  }

  function begin(text: string) {
    open.push(tokens.length)
    add('sign', text)
  }

  /** Is the sign that ends here the end of the innermost bracket? */
  function end(text: string): string | null {
    const first = open.pop()
    const opening = first === undefined ? undefined : tokens[first]
    if (first === undefined || opening === undefined || CLOSING[opening.text] !== text) return null
    opening.pair = tokens.length
    add('sign', text)
    const closing = tokens.at(-1)
    if (closing) closing.pair = first
    return opening.text
  }

  /** The text of a template up to its end or to the next expression in it. */
  function template() {
    at += match(TEMPLATE)?.length ?? 0
    if (code[at] === '`') at++
    else if (code[at] === '$') begin('${')
  }

  while (at < code.length) {
    const blank = match(BLANK)
    if (blank !== null) {
      at += blank.length
      continue
    }
    const sign = code[at] ?? ''
    const word = match(WORD)
    const text = word ?? match(STRING)
    if (text !== null) add(word === null ? 'string' : 'word', text)
    else if (sign === '`') {
      add('string', sign)
      template()
    } else if (/[\d.]/.test(sign) && match(NUMBER) !== null) add('string', match(NUMBER) ?? '')
    else if (sign === '/' && isExpressionNext(tokens) && match(REGEX) !== null) add('string', match(REGEX) ?? '')
    else if (sign in CLOSING) begin(sign)
    else if (sign === ')' || sign === ']' || sign === '}') {
      const opening = end(sign)
      if (opening === null) return null
      if (opening === '${') template()
    } else add('sign', code.startsWith('=>', at) ? '=>' : sign)
  }
  return open.length === 0 ? tokens : null
}

function isExpressionNext(tokens: readonly Token[]): boolean {
  const last = tokens.at(-1)
  if (!last) return true
  if (last.kind === 'word') return BEFORE_EXPRESSION.test(last.text) && tokens.at(-2)?.text !== '.'
  if (last.kind === 'string') return false
  if (last.text === ')') {
    // The condition of a statement: `if(x)/y/.test(z)`.
    return /^(?:if|while|for|with)$/.test(tokens[last.pair - 1]?.text ?? '')
  }
  return last.text !== ']' && last.text !== '}'
}
