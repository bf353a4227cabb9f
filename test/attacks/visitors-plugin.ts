/** The `server.ts` of a site whose visitors name themselves in the header `x-user`. */
export const VISITORS_PLUGIN = `import { AsyncLocalStorage } from 'node:async_hooks'
globalThis.visitors = new AsyncLocalStorage()
export default async function plugin(app) {
  app.decorateRequest('user', null)
  app.addHook('onRequest', (request, reply, done) => {
    request.user = request.headers['x-user'] ?? null
    visitors.run(request.user, done)
  })
}
`
