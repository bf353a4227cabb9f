import { randomBytes } from 'node:crypto'
import helmet from '@fastify/helmet'
import type { FastifyInstance } from 'fastify'

const TRUSTED_TYPES =
  "script-src 'nonce-NONCE' 'strict-dynamic'; require-trusted-types-for 'script'; trusted-types hydrant"

/** The variable `POLICY` names the Content-Security-Policy of the pages (Hydrant's own). */
export default async function server(app: FastifyInstance) {
  const { POLICY } = process.env
  if (POLICY === 'helmet') {
    await app.register(helmet, {
      enableCSPNonces: true,
      contentSecurityPolicy: { directives: { scriptSrc: ['blob:'], styleSrc: ["'self'"] } },
    })
  } else if (POLICY === 'trusted types') addPolicy(app, () => TRUSTED_TYPES)
  else if (POLICY === 'query') addPolicy(app, ({ policy = "script-src 'nonce-NONCE'" }) => policy)
}

/** Adds the policy that is chosen by the query of a request. `NONCE` is replaced by the document's nonce. */
function addPolicy(app: FastifyInstance, choose: (query: { policy?: string }) => string) {
  app.decorateReply('cspNonce')
  app.addHook<{ Querystring: { policy?: string } }>('onRequest', async ({ query }, reply) => {
    const nonce = randomBytes(12).toString('base64url')
    // For scripts only: the type of the property is that of @fastify/helmet.
    Object.assign(reply, { cspNonce: { script: nonce } })
    reply.header('content-security-policy', choose(query).replaceAll('NONCE', nonce)).header('x-nonce', nonce)
  })
}
