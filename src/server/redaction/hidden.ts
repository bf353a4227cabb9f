import type { FastifyRequest } from 'fastify'
import { bodySecretsOf } from './body-secrets.ts'
import { type RedactOptions, redactorOf, secretsOf } from './redact.ts'

/** What of a request must not stand in the texts that are logged and kept. */
export interface Redaction {
  /** Removes it from a message, and what came in the request's body. */
  inMessage(text: string, options?: RedactOptions): string
  /** Removes it from an address, a name or a frame of a stack: what stands there must not depend on a body. */
  inPlace(text: string, options?: RedactOptions): string
  /** May the text hold any of it? False is certain. */
  mayHold(text: string): boolean
}

export function redactionFor(request: FastifyRequest): Redaction {
  const texts = secretsOf(request.headers)
  const inPlace = redactorOf(texts)
  let known = { body: undefined as unknown, redactor: inPlace }

  // The body is read after the first hooks have run.
  function withBody() {
    const { body } = request
    if (body === undefined || body === null) return inPlace
    if (known.body !== body) {
      const inBody = bodySecretsOf(body)
      known = { body, redactor: redactorOf([...texts, ...inBody.texts], inBody.words) }
    }
    return known.redactor
  }

  return {
    inPlace,
    inMessage: (text, options) => withBody()(text, options),
    mayHold: (text) => withBody().mayHold(text),
  }
}

const redact = redactorOf([])

/** Outside of any request. */
export const REDACTION_OUTSIDE_REQUESTS: Redaction = { inMessage: redact, inPlace: redact, mayHold: redact.mayHold }
