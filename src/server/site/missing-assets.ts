// Responses for assets that this build does not have: see decision 063.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { ASSETS_PATH } from '../../shared/paths.ts'
import { BOOT_VARIABLE } from '../../shared/wire/boot.ts'
import { limitCaching } from '../http/caching.ts'

/**
 * How often a browser asks again. With replicas of two builds in equal parts, one of 8,000 assets is not found then.
 * Browsers follow 20 redirects at most.
 */
const MAX_TRIES = 12
const TRY = 'try'

/** Matches the name of a file that a build has written: it ends with a hash. */
const HASHED = /[A-Z2-7]{8}\.\w+$/

/**
 * Redirects a browser to the same asset. During a rollout, a load balancer may have sent the request for an asset to a
 * replica with another build than that of the page; the next request may reach the right one. Browsers follow redirects
 * for everything that a page needs, and a failed import would fail again in some of them. Returns false if it is useless.
 */
export function sendElsewhere(request: FastifyRequest, reply: FastifyReply): boolean {
  const { pathname, searchParams } = readUrl(request)
  const tries = Number(searchParams.get(TRY) ?? 0)
  if (!isOfPage(request) || !HASHED.test(pathname) || !(tries >= 0 && tries < MAX_TRIES)) return false
  forbidStoring(reply)
  // A load balancer that distributes connections chooses again. HTTP/2 has no such header.
  if (request.raw.httpVersionMajor === 1) reply.header('connection', 'close')
  // A relative URL is right whatever a proxy has removed from the path. Caches store no 307 of their own accord.
  void reply
    .code(307)
    .header('location', `?${TRY}=${tries + 1}`)
    .send()
  return true
}

/** Says that no asset has this URL, in a short response that no cache stores: the next build may have the asset. */
export function sendNoAsset(request: FastifyRequest, reply: FastifyReply) {
  forbidStoring(reply)
  const { pathname, searchParams } = readUrl(request)
  // The URL of the asset itself is never that of the script: a cache must not store the one for the other.
  const isScript = pathname.endsWith('.js') && HASHED.test(pathname) && Number(searchParams.get(TRY)) >= MAX_TRIES
  if (isScript && isOfDocument(request)) {
    // A service worker that stores all assets cannot store this one, in the place of the asset that the page has named.
    reply.header('vary', '*')
    return reply.type('text/javascript; charset=utf-8').send(RELOAD)
  }
  return reply.code(404).type('text/plain; charset=utf-8').send('There is no such asset.\n')
}

/**
 * The script in the place of one that no replica has. If it is the entry, nothing else in the page runs. Then it loads the
 * document again, which names the scripts of the current build. The entry itself does that for other scripts, and removes
 * the key: see `src/client/recover.ts`. It has replaced `push`.
 */
const RELOAD = `try {
  const queue = self.${BOOT_VARIABLE}
  const mayReload = !Object.hasOwn(queue, 'push') && queue[0].reload !== false
  if (mayReload && sessionStorage['${BOOT_VARIABLE}'] !== location.pathname) {
    sessionStorage['${BOOT_VARIABLE}'] = location.pathname
    location.reload()
    await new Promise(() => {})
  }
} catch {}
throw new TypeError('The server has no such script: error loading an imported module')
`

function forbidStoring(reply: FastifyReply) {
  limitCaching(reply, 'no-store')
  reply.header('cache-control', 'no-store')
}

function readUrl({ url }: FastifyRequest): URL {
  return new URL(url, 'http://localhost')
}

/** Returns whether a page in a browser needs the asset. Other clients want to know that it does not exist. */
function isOfPage({ headers }: FastifyRequest): boolean {
  const { 'sec-fetch-dest': use, referer } = headers
  return use === undefined ? referer !== undefined : use !== 'document'
}

/** Returns whether a document itself names the script: another script may import names from it. */
function isOfDocument({ headers }: FastifyRequest): boolean {
  const { 'sec-fetch-dest': use = 'script', referer } = headers
  return use === 'script' && referer !== undefined && !referer.includes(ASSETS_PATH)
}
