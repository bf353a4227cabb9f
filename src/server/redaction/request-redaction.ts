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
  /** Returns false when the text certainly holds no secret of the request. */
  mayHold(text: string): boolean
}

/** Creates the redaction of a request. */
export function redactionFor(request: FastifyRequest): Redaction {
  const headers = secretsOf(request.headers)
  const query = longEnough(querySecretsOf(request.originalUrl))
  const inPlace = redactorOf(headers)
  let cached: { body: unknown; redactor: Redactor } | null = null

  // The first hooks run before the body has been read.
  function withBody(): Redactor {
    const { body } = request
    if (cached === null || cached.body !== body) {
      const { texts, words, isPartial } = bodySecretsOf(body)
      // `?key=properties`: a word stays if the message itself uses it.
      const isWord = (value: string) => WORD.test(value)
      const redactor = redactorOf(
        [...headers, ...query.filter((value) => !isWord(value)), ...texts],
        new Set([...query.filter(isWord), ...words]),
        isPartial,
      )
      cached = { body, redactor }
    }
    return cached.redactor
  }

  return {
    inPlace,
    inMessage: (text, options) => withBody()(text, options),
    mayHold: (text) => withBody().mayHold(text),
  }
}

const redact = redactorOf([])

/** Removes what a text itself marks as a secret, such as credentials in a URL. */
export const REDACTION_OUTSIDE_REQUESTS: Redaction = { inMessage: redact, inPlace: redact, mayHold: redact.mayHold }
