import type { FastifyInstance, FastifyReply } from 'fastify'

const SENDING = Symbol('sending')

interface SendingReply extends FastifyReply {
  [SENDING]?: true
}

/**
 * Notes which responses are being sent. Add it before the hooks of the site: the status of a response that they cannot
 * send is not meant for their errors.
 */
export function noteSending(app: FastifyInstance) {
  app.addHook('onSend', (_request, reply: SendingReply, payload, done) => {
    reply[SENDING] = true
    done(null, payload)
  })
}

/** Returns the error status that a hook, a route or an error handler has set before it threw or sent an error, or null. */
export function givenStatusOf(reply: SendingReply): number | null {
  const { statusCode } = reply
  return statusCode >= 400 && statusCode <= 599 && !reply[SENDING] ? statusCode : null
}
