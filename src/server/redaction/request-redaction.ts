import type { FastifyRequest } from 'fastify'
import { isPlainObject } from '../util/unknown-values.ts'
import { type RedactOptions, type Redactor, redactorOf, secretsOf } from './redact.ts'
import { isSecretName, LEAST_DIGITS, LEAST_SECRET_LENGTH, longEnough, querySecretsOf } from './secrets.ts'

/** Removes the secrets of one request from texts that are logged and kept. */
export type Redaction = ReturnType<typeof redactionFor>

/** Longer names of functions are cut. */
const MAX_NAME = 500

/** Creates the redaction of a request, or of several. */
export function redactionFor(...requests: readonly FastifyRequest[]) {
  const headers = requests.flatMap((request) => secretsOf(request.headers))
  const query = longEnough(requests.flatMap((request) => querySecretsOf(request.originalUrl)))
  const inPlace = redactorOf(headers)
  let cached: { bodies: readonly unknown[]; redactor: Redactor } | null = null

  // The first hooks run before the body has been read.
  function withBody(): Redactor {
    const bodies = requests.map(({ body }) => body)
    if (cached === null || cached.bodies.some((body, index) => body !== bodies[index])) {
      const found = bodies.map(bodySecretsOf)
      const texts = found.flatMap(({ texts }) => texts)
      const words = found.flatMap(({ words }) => [...words])
      const isPartial = found.some(({ isPartial }) => isPartial)
      // `?key=properties`: a word stays if the message itself uses it.
      const isWord = (value: string) => WORD.test(value)
      const redactor = redactorOf(
        [...headers, ...query.filter((value) => !isWord(value)), ...texts],
        new Set([...query.filter(isWord), ...words]),
        isPartial,
      )
      cached = { bodies, redactor }
    }
    return cached.redactor
  }

  return {
    /** Redacts a URL, a name or a stack frame: these must not depend on the body, so only the headers count. */
    inPlace,
    /** Redacts a message: removes the secrets of the headers and of the query, and what came in the body. */
    inMessage: (text: string, options?: RedactOptions) => withBody()(text, options),
    /** Redacts the name of a function, which a site may compute from the body. Known words stay. */
    inName: (text: string, isKnownWord: (word: string) => boolean) =>
      withBody()(text, { isKnownWord, maxLength: MAX_NAME, isWhole: true }),
    /** Returns false when the text certainly holds no secret of the request. */
    mayHold: (text: string) => withBody().mayHold(text),
  }
}

/** Values of a request's body that messages must not show. */
export interface BodySecrets {
  /** Hidden anywhere in a message. Each has at least `LEAST_SECRET_LENGTH` characters. */
  texts: readonly string[]
  /** Words and numbers: hidden where they are whole words, unless the message itself uses the word. */
  words: ReadonlySet<string>
  /** True when the body has more values than are searched. */
  isPartial: boolean
}

/** Matches one word or number, in scripts with spaces between words. */
const WORD = /^(?:[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{M}]+|\p{N}+)$/u
/** A PIN, which may occur by chance inside a longer number. */
const SHORT_NUMBER = new RegExp(`^\\d{${LEAST_DIGITS},${LEAST_SECRET_LENGTH - 1}}$`)

const NO_BODY: BodySecrets = { texts: [], words: new Set(), isPartial: false }

/** Returns the values that a visitor sent in a form or in JSON: the message of an error may repeat them. */
function bodySecretsOf(body: unknown): BodySecrets {
  if (body === undefined || body === null) return NO_BODY
  const found = body instanceof FormData ? textsInForm(body) : textsInJson(body)
  const texts = new Set<string>()
  const words = new Set<string>()
  for (const written of found.secrets) {
    for (const value of longEnough([...spellingsOf(written), ...partsInBase64(written)])) texts.add(value)
    if (SHORT_NUMBER.test(written)) words.add(written)
  }
  for (const written of found.others) {
    for (const value of longEnough([written, ...partsOf(written)].flatMap(spellingsOf)))
      (WORD.test(value) ? words : texts).add(value)
  }
  return { texts: [...texts], words, isPartial: found.isPartial }
}

/** A message shows at most this many characters of a value. */
const MAX_SPELLED = 2_000

/**
 * Returns the forms in which code writes a value into messages: in lower and in upper case, as a name, as JSON, in the query
 * of a URL. Other texts than words are found in any case.
 */
function spellingsOf(value: string): string[] {
  if (value.length > MAX_SPELLED) return [value]
  const [lower, upper] = [value.toLowerCase(), value.toUpperCase()]
  const spellings = [value, lower, upper, upper.slice(0, 1) + lower.slice(1)]
  if (/^[\w-]*$/.test(value)) return spellings
  const inQuery = encodeLoosely(value)
  return [...spellings, JSON.stringify(value).slice(1, -1), inQuery, inQuery.replaceAll('%20', '+')]
}

const EMAIL = /^([^\s@]+)@([^\s@]+)$/
/** Two words or more. A body that is a text of another kind, such as JSON, is not a name. */
const NAME = /^[\p{L}\p{M}.'’-]+(?:\s+[\p{L}\p{M}.'’-]+)+$/u
/** A name has few words. A longer text has many words that messages have, too. */
const MAX_NAME_WORDS = 4

/** Returns the halves of an e-mail address, and the words of a name. */
function partsOf(value: string): string[] {
  if (value.length > MAX_SPELLED) return []
  const [, local, domain] = EMAIL.exec(value) ?? []
  if (local !== undefined && domain !== undefined) return [local, domain, ...local.split(/[._+-]/)]
  const words = value.split(/\s+/)
  return words.length <= MAX_NAME_WORDS && NAME.test(value) ? words : []
}

/** Returns the Base64 characters that only the value determines, for each place of its first byte in a group. */
function partsInBase64(value: string): string[] {
  if (value.length > MAX_SPELLED) return []
  return [0, 1, 2].flatMap((offset) => {
    const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(value)])
    const part = bytes.toString('base64').slice(Math.ceil((offset * 8) / 6), Math.floor((bytes.length * 8) / 6))
    return [part, part.replaceAll('+', '-').replaceAll('/', '_')]
  })
}

function encodeLoosely(value: string): string {
  try {
    return encodeURIComponent(value)
  } catch {
    // Half of a surrogate pair.
    return value
  }
}

/** The texts and numbers in a body. */
interface FoundTexts {
  /** Texts whose name, or the name of a property around them, means a secret. */
  secrets: Set<string>
  others: Set<string>
  isPartial: boolean
}

/** Adds a text, if it may be a secret. */
function addText(found: FoundTexts, value: unknown, isSecret: () => boolean) {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : ''
  if (text.length < LEAST_DIGITS) return
  const isNamed = isSecret()
  if (!isNamed && text.length < LEAST_SECRET_LENGTH) return
  const texts = isNamed ? found.secrets : found.others
  if (texts.size < MAX_TEXTS || texts.has(text)) texts.add(text)
  else found.isPartial = true
}

/** Names that a site chooses: `address.street`, `items[2].name`. Other names may be values: `{"jane@example.org":1}`. */
const FIELD_NAME = /^(?!.*\d{4})[\w$.[\]-]+$/

function textsInForm(form: FormData): FoundTexts {
  const found: FoundTexts = { secrets: new Set(), others: new Set(), isPartial: false }
  for (const [name, value] of form) {
    addText(found, typeof value === 'string' ? value : value.name, () => isSecretName(name))
    if (!FIELD_NAME.test(name)) addText(found, name, () => false)
  }
  return found
}

/** Different texts of each kind that are searched. */
const MAX_TEXTS = 5_000
/** Objects and arrays that are read. */
const MAX_OBJECTS = 50_000
/** Values that are read. JSON of 1 MiB, the default of `bodyLimit`, has at most half as many. */
const MAX_VALUES = 1_000_000

function textsInJson(json: unknown): FoundTexts {
  const found: FoundTexts = { secrets: new Set(), others: new Set(), isPartial: false }
  const objects: { object: object; isSecret: boolean }[] = []
  const seen = new Set<object>()
  let left = MAX_VALUES

  function read(value: unknown, isSecret: () => boolean) {
    if (!isJsonObject(value)) return addText(found, value, isSecret)
    if (seen.has(value)) return
    if (seen.size === MAX_OBJECTS) {
      found.isPartial = true
      return
    }
    seen.add(value)
    objects.push({ object: value, isSecret: isSecret() })
  }

  read(json, () => false)
  for (let next = objects.pop(); next !== undefined; next = objects.pop()) {
    const { object, isSecret } = next
    const keys = Array.isArray(object) ? null : Object.keys(object)
    const count = keys?.length ?? (object as unknown[]).length
    if (count > left) return { ...found, isPartial: true }
    left -= count
    for (let place = 0; place < count; place++) {
      const key = keys?.[place] ?? String(place)
      if (keys !== null && !FIELD_NAME.test(key)) addText(found, key, () => isSecret)
      // An array is read by index, an object by key.
      read((object as Record<string, unknown>)[key], () => isSecret || (keys !== null && isSecretName(key)))
    }
  }
  return found
}

// A body may also be bytes, a stream, or any value that a parser of the site returns.
function isJsonObject(value: unknown): value is object {
  return Array.isArray(value) || isPlainObject(value)
}
