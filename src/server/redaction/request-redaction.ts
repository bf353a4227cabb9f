import type { FastifyRequest } from 'fastify'
import { bodySecretsOf, WORD } from './body-secrets.ts'
import { querySecretsOf } from './named-secrets.ts'
import { type RedactOptions, type Redactor, redactorOf, secretsOf } from './redact.ts'
import { longEnough } from './secret-names.ts'

/** Removes the secrets of one request from texts that are logged and kept. */
export interface Redaction {
  /** Redacts a message: removes the secrets of the headers and of the query, and what came in the body. */
  inMessage(text: string, options?: RedactOptions): string
  /** Redacts a URL, a name or a stack frame: these must not depend on the body, so only the headers count. */
  inPlace(text: string, options?: RedactOptions): string
  /** Redacts the name of a function, which a site may compute from the body. Known words stay. */
  inName(text: string, isKnownWord: (word: string) => boolean): string
  /** Returns false when the text certainly holds no secret of the request. */
  mayHold(text: string): boolean
}

/** Longer names of functions are cut. */
const MAX_NAME = 500

/** Creates the redaction of a request, or of several. */
export function redactionFor(...requests: readonly FastifyRequest[]): Redaction {
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
    inPlace,
    inMessage: (text, options) => withBody()(text, options),
    inName: (text, isKnownWord) => withBody()(text, { isKnownWord, maxLength: MAX_NAME, isWhole: true }),
    mayHold: (text) => withBody().mayHold(text),
  }
}
