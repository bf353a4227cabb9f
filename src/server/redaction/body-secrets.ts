import { isSecretName, longEnough } from './secret-names.ts'

/** Values of a request's body, each of at least `LEAST_SECRET_LENGTH` characters, that messages must not show. */
export interface BodySecrets {
  /** Hidden anywhere in a message. */
  texts: readonly string[]
  /** Words and numbers: hidden where they are whole words, unless the message itself uses the word. */
  words: ReadonlySet<string>
}

/** In scripts with spaces between words. */
const WORD = /^(?:[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{M}]+|\p{N}+)$/u

/** Returns the values that a visitor sent in a form or in JSON: the message of an error may repeat them. */
export function bodySecretsOf(body: unknown): BodySecrets {
  if (body === undefined || body === null) return { texts: [], words: new Set() }
  const texts: string[] = []
  const words = new Set<string>()
  for (const [name, written] of body instanceof FormData ? formEntries(body) : textsIn(body)) {
    for (const value of longEnough([written.trim()]).flatMap(spellingsOf)) {
      if (!isSecretName(name) && WORD.test(value)) words.add(value)
      else texts.push(value)
    }
  }
  return { texts: [...new Set(texts)], words }
}

/** A message shows at most this many characters of a value. */
const MAX_SPELLED = 2_000

/** Returns the forms in which code writes a value into messages: in lower case, as JSON, in the query of a URL. */
function spellingsOf(value: string): string[] {
  if (value.length > MAX_SPELLED) return [value]
  const spellings = [value, value.toLowerCase()]
  if (/^[\w-]*$/.test(value)) return spellings
  const inQuery = encodeLoosely(value)
  return [...spellings, JSON.stringify(value).slice(1, -1), inQuery, inQuery.replaceAll('%20', '+')]
}

function encodeLoosely(value: string): string {
  try {
    return encodeURIComponent(value)
  } catch {
    // Half of a surrogate pair.
    return value
  }
}

type NamedText = readonly [name: string, text: string]

function formEntries(form: FormData): NamedText[] {
  return [...form].map(([name, value]) => [name, typeof value === 'string' ? value : value.name])
}

/** No message repeats more values. */
const MAX_TEXTS = 2_000
/** Values of a body that are read, those nearer to its root first. */
const MAX_VALUES = 20_000

/**
 * Returns the strings and numbers in JSON, secrets first. Each has the name of its property, or of the outermost
 * property around it whose name means a secret.
 */
function textsIn(json: unknown): NamedText[] {
  const texts: NamedText[] = []
  const names = ['']
  const values = [json]
  const seen = new Set<object>()
  for (let index = 0; index < values.length; index++) {
    const [name = '', value] = [names[index], values[index]]
    if (typeof value === 'string' || typeof value === 'number') texts.push([name, String(value)])
    if (!isJsonObject(value) || seen.has(value)) continue
    seen.add(value)
    const isKept = Array.isArray(value) || isSecretName(name)
    const keys = Array.isArray(value) ? null : Object.keys(value)
    const count = Math.min(keys?.length ?? (value as unknown[]).length, MAX_VALUES - values.length)
    for (let place = 0; place < count; place++) {
      const key = keys?.[place] ?? String(place)
      names.push(isKept ? name : key)
      // An array is read by index, an object by key.
      values.push((value as Record<string, unknown>)[key])
    }
  }
  const [secret, others] = [true, false].map((isSecret) => texts.filter(([name]) => isSecretName(name) === isSecret))
  return [...(secret ?? []), ...(others ?? [])].slice(0, MAX_TEXTS)
}

// A body may also be bytes, a stream, or any value that a parser of the site returns.
function isJsonObject(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return true
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
