/** One part of a page's path in pages/: the name of a folder, or of a file without its extension. */
export type Segment =
  | { kind: 'static'; text: string }
  | { kind: 'param'; name: string }
  | { kind: 'catchAll'; name: string }
  | { kind: 'group' }
  | { kind: 'bad'; reason: string }

/** The characters that a segment cannot contain, with the reasons. All others are encoded in URLs. */
const REFUSED: readonly (readonly [RegExp, string])[] = [
  [/[()]/, 'marks a group, as the first and the last character of the name of a folder'],
  [/[:*]/, 'has a meaning for the router'],
  [/[?#\\]/, 'has a meaning in URLs'],
  [/%/, 'begins an encoded character in URLs: write the character itself'],
  [/[\p{Cc}\p{Surrogate}]/u, 'is no character of a text'],
]
const identifier = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u

export function parseSegment(text: string): Segment {
  if (text.includes('[') || text.includes(']')) return parseParameter(text)
  if (text.startsWith('(') && text.endsWith(')')) {
    return text.length > 2 ? { kind: 'group' } : { kind: 'bad', reason: 'has no name in its parentheses' }
  }
  if (text === '') return { kind: 'bad', reason: 'is empty' }
  for (const [pattern, reason] of REFUSED) {
    const [found] = pattern.exec(text) ?? []
    if (found !== undefined) return { kind: 'bad', reason: `contains ${JSON.stringify(found)}, which ${reason}` }
  }
  // Some file systems decompose letters with accents. Browsers send what people type, which is composed.
  return { kind: 'static', text: text.normalize('NFC') }
}

/**
 * Joins segments to a path: `id` as a site developer writes it (`/products/[id]`), `url` as Fastify's router takes it
 * (`/products/:id`), and `key`, which is equal for two paths that match the same requests.
 */
export function joinSegments(segments: readonly Segment[]): { id: string; url: string; key: string } {
  const parts = segments.flatMap((segment) => {
    switch (segment.kind) {
      case 'static':
        return [{ id: segment.text, url: segment.text, key: segment.text }]
      case 'param':
        return [{ id: `[${segment.name}]`, url: `:${segment.name}`, key: ':' }]
      case 'catchAll':
        return [{ id: `[...${segment.name}]`, url: '*', key: '*' }]
      default:
        return []
    }
  })
  const join = (field: 'id' | 'url' | 'key') => `/${parts.map((part) => part[field]).join('/')}`
  return { id: join('id'), url: join('url'), key: join('key') }
}

function parseParameter(text: string): Segment {
  if (!/^\[[^[\]]*\]$/.test(text)) {
    return { kind: 'bad', reason: 'must be a name in one pair of brackets, or contain no brackets' }
  }
  const isCatchAll = text.startsWith('[...')
  const name = text.slice(isCatchAll ? 4 : 1, -1)
  if (name === '') return { kind: 'bad', reason: 'has no name in its brackets' }
  if (!identifier.test(name))
    return { kind: 'bad', reason: `has the parameter "${name}", which is not a valid identifier` }
  return { kind: isCatchAll ? 'catchAll' : 'param', name }
}
