import { isSecretName, longEnough } from './secret-names.ts'

/** What must not be read in messages, each of at least `LEAST_SECRET_LENGTH` characters. */
export interface BodySecrets {
  /** Hidden wherever they stand. */
  texts: readonly string[]
  /** Words and numbers: hidden where they stand alone, unless the word belongs to the message. */
  words: ReadonlySet<string>
}

/** In alphabets that leave blanks between words. */
const WORD = /^(?:[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{M}]+|\p{N}+)$/u

/** What the visitor has written into a form or into JSON: an error's message may repeat it. */
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

/** A message shows no more of a longer one than its beginning. */
const MAX_SPELLED = 2_000

/** As code writes it into messages: in small letters, as JSON, in the query of an address. */
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
    // Half of a character.
    return value
  }
}

type NamedText = readonly [name: string, text: string]

function formEntries(form: FormData): NamedText[] {
  return [...form].map(([name, value]) => [name, typeof value === 'string' ? value : value.name])
}

/** Nobody's message repeats more. */
const MAX_TEXTS = 2_000
/** How many values of a body are looked at. Those nearer to its root come first. */
const MAX_VALUES = 20_000

/**
 * The texts in JSON, each with the name that it has, or the first one around it that speaks of a secret. Those with such a name come
 * first.
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
      // A JSON object has its values by key, an array by place.
      values.push((value as Record<string, unknown>)[key])
    }
  }
  const [secret, others] = [true, false].map((isSecret) => texts.filter(([name]) => isSecretName(name) === isSecret))
  return [...(secret ?? []), ...(others ?? [])].slice(0, MAX_TEXTS)
}

// Bodies may also be bytes, streams, and whatever a parser of the site's makes.
function isJsonObject(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return true
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
