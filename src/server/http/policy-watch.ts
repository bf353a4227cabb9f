import type { FastifyBaseLogger, FastifyReply } from 'fastify'
import { createHydrantError } from '../errors/hydrant-error.ts'
import { warnOf } from '../errors/warn-of.ts'
import { parseUrl } from '../util/parse-url.ts'
import { unescapeHtml } from '../util/unescape-html.ts'
import { onHeaderSent } from './caching.ts'
import { findBlockingDirective } from './policy-check.ts'
import type { PublicAddress } from './public-address.ts'

/** A document that is being sent. */
export interface WatchedDocument {
  reply: FastifyReply
  /** The site's route: `/products/[id]`. */
  route: string
  address: PublicAddress
  /** The nonce of the document's scripts. */
  nonce: string
}

/** Warns once about a policy that blocks the scripts of pages. */
export interface PolicyWatch {
  /** Checks the policy that a document is sent with, including policies that hooks set later. */
  watch(document: WatchedDocument): void
  /** Checks the policies in the head of a document, once per `key`. Documents with the same head share a key. */
  watchHead(key: object, head: string, document: WatchedDocument): void
}

const POLICY = 'content-security-policy'
/**
 * How many documents of a route are checked although they have only Hydrant's policy when they are created. A hook
 * may change the policy later.
 */
const MAX_CHECKS = 10
const MAX_LOGGED = 200

export function createPolicyWatch(log: FastifyBaseLogger, script: string): PolicyWatch {
  let hasWarned = false
  const checks = new Map<string, number>()
  const seen = new WeakSet<object>()
  /** The last policy and origin that passed. An app's own policy is usually the same for each document. */
  let passed = ''

  function check(policies: readonly string[], place: string, document: WatchedDocument) {
    if (hasWarned) return
    const { origin } = document.address
    const key = `${origin} ${policies.join()}`
    if (key === passed) return
    const subject = { nonce: document.nonce, script: new URL(script, parseUrl(origin) ?? 'http://localhost') }
    const directive = findBlockingDirective(policies, subject)
    if (directive === null) {
      // A policy with a nonce belongs to a single document.
      if (!key.includes("'nonce-")) passed = key
      return
    }
    hasWarned = true
    const { route } = document
    const error = createHydrantError('HYD_POLICY_SCRIPTS', [place, route, directive.slice(0, MAX_LOGGED)])
    warnOf(error, route, log)
  }

  return {
    watch(document) {
      if (hasWarned) return
      const { reply, route, nonce } = document
      const count = checks.get(route) ?? 0
      const policy = reply.getHeader(POLICY)
      if (count >= MAX_CHECKS && (policy === undefined || String(policy).includes(nonce))) return
      checks.set(route, count + 1)
      onHeaderSent(reply, POLICY, (values) => check(values, 'header', document))
    },
    watchHead(key, head, document) {
      if (hasWarned || seen.has(key)) return
      seen.add(key)
      check(metaPolicies(head), 'element in the head', document)
    },
  }
}

/**
 * Returns the policies in `<meta http-equiv="Content-Security-Policy" content="…">` elements that React has written.
 */
function metaPolicies(head: string): string[] {
  const tags = head.match(/<meta\b[^>]*\bhttp-equiv="content-security-policy"[^>]*>/gi) ?? []
  return tags.map((tag) => unescapeHtml(/\bcontent="([^"]*)"/i.exec(tag)?.[1] ?? ''))
}
