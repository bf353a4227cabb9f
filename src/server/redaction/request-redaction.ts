import type { FastifyRequest } from 'fastify'
import { bodySecretsOf } from './body-secrets.ts'
import { querySecretsOf } from './named-secrets.ts'
import { type RedactOptions, redactorOf, secretsOf } from './redact.ts'
import { longEnough } from './secret-names.ts'

/** Removes the secrets of one request from texts that are logged and kept. */
export interface Redaction {
  /** Redacts a message: removes the secrets of the headers and of the query, and what came in the body. */
  inMessage(text: string, options?: RedactOptions): string
  /** Redacts a URL, a name or a stack frame: these must not depend on the body. */
  inPlace(text: string, options?: RedactOptions): string
  /** Returns false when the text certainly holds no secret of the request. */
  mayHold(text: string): boolean
}

/** Creates the redaction of a request. */
export function redactionFor(request: FastifyRequest): Redaction {
  const texts = [...secretsOf(request.headers), ...longEnough(querySecretsOf(request.originalUrl))]
  const inPlace = redactorOf(texts)
  let cached = { body: undefined as unknown, redactor: inPlace }

  // The first hooks run before the body has been read.
  function withBody() {
    const { body } = request
    if (body === undefined || body === null) return inPlace
    if (cached.body !== body) {
      const secrets = bodySecretsOf(body)
      cached = { body, redactor: redactorOf([...texts, ...secrets.texts], secrets.words, secrets.isPartial) }
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
