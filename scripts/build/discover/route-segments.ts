/** One part of a page's path in pages/: the name of a folder, or of a file without its extension. */
export type Segment =
  | { kind: 'static'; text: string }
  | { kind: 'param'; name: string }
  | { kind: 'catchAll'; name: string }
  | { kind: 'group' }
  | { kind: 'bad'; reason: string }

// RFC 3986 `pchar` without percent-encoding, without `:` and `*`, which have a meaning for the router, and without
// parentheses, which mark groups.
const urlSegment = /^[\w.~!$&'+,;=@-]+$/
const identifier = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u

export function parseSegment(text: string): Segment {
  if (text.includes('[') || text.includes(']')) return parseParameter(text)
  if (text.startsWith('(') && text.endsWith(')')) {
    return text.length > 2 ? { kind: 'group' } : { kind: 'bad', reason: 'has no name in its parentheses' }
  }
  if (urlSegment.test(text)) return { kind: 'static', text }
  const found = [...text].find((character) => !urlSegment.test(character)) ?? ''
  return { kind: 'bad', reason: `contains ${JSON.stringify(found)}, which is not allowed in a URL segment` }
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
