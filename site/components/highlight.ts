export type Language = 'tsx' | 'sh' | 'python' | 'nginx' | 'json' | 'report'

export interface Token {
  kind: 'plain' | 'comment' | 'string' | 'keyword'
  text: string
}

const KEYWORDS =
  'import|export|default|from|type|interface|const|let|function|async|await|return|if|throw|new|extends|typeof|declare|module'

const PYTHON_KEYWORDS = 'import|from|def|with|as|for|in|try|except|return|if|else|not|and|or|None|True|False'

const QUOTED = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`[^`]*`/.source
const HASH_COMMENT = /(?<=^|\s)#[^\n]*/.source
const SLASH_COMMENT = /(?<!:)\/\/[^\n]*|\/\*[\s\S]*?\*\//.source

const PATTERNS: Record<Language, string | null> = {
  tsx: `(?<comment>${SLASH_COMMENT})|(?<string>${QUOTED})|(?<keyword>\\b(?:${KEYWORDS})\\b)`,
  json: `(?<string>${QUOTED})`,
  sh: `(?<comment>${HASH_COMMENT})|(?<string>${QUOTED})`,
  python: `(?<comment>${HASH_COMMENT})|(?<string>${QUOTED})|(?<keyword>\\b(?:${PYTHON_KEYWORDS})\\b)`,
  nginx: `(?<comment>${HASH_COMMENT})|(?<string>${QUOTED})`,
  report: null,
}

/** Splits a sample into tokens for highlighting. The joined texts of the tokens are the sample. */
export function tokenize(code: string, language: Language): Token[] {
  const pattern = PATTERNS[language]
  if (pattern === null) return [{ kind: 'plain', text: code }]
  const tokens: Token[] = []
  let end = 0
  for (const match of code.matchAll(new RegExp(pattern, 'gm'))) {
    if (match.index > end) tokens.push({ kind: 'plain', text: code.slice(end, match.index) })
    tokens.push({ kind: kindOf(match.groups), text: match[0] })
    end = match.index + match[0].length
  }
  if (end < code.length) tokens.push({ kind: 'plain', text: code.slice(end) })
  return tokens
}

function kindOf(groups: Record<string, string> | undefined): Token['kind'] {
  if (groups?.comment !== undefined) return 'comment'
  return groups?.string !== undefined ? 'string' : 'keyword'
}
