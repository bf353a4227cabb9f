import type { FastifyBaseLogger, FastifyReply } from 'fastify'
import { createHydrantError } from '../errors/hydrant-error.ts'
import { parseUrl } from '../util/parse-url.ts'
import { lookAtHeaders } from './caching.ts'
import { findBlockingDirective } from './policy-check.ts'
import type { PublicAddress } from './public-address.ts'

/** A document that goes out. */
export interface WatchedDocument {
  reply: FastifyReply
  /** The site's route: `/products/[id]`. */
  route: string
  address: PublicAddress
  /** The nonce of its scripts. */
  nonce: string
}

/** Notices a policy by which pages stay without their scripts, and tells it once. */
export interface PolicyWatch {
  /** Looks at the policy that a document goes out with, whoever sets it. */
  watch(document: WatchedDocument): void
  /** Looks at policies in the head of a document; `key` stands for documents with the same ones. */
  watchHead(key: object, head: string, document: WatchedDocument): void
}

const POLICY = 'content-security-policy'
/** A policy that nobody but Hydrant has set when the document is made is looked at so often: a hook may still change it. */
const LOOKS = 10
const MAX_TOLD = 200

export function createPolicyWatch(log: FastifyBaseLogger, script: string): PolicyWatch {
  let isTold = false
  const looks = new Map<string, number>()
  const seen = new WeakSet<object>()
  /** What was last found to let the scripts run, and where. An app's own policy is most often the same for each document. */
  let fine = ''

  function check(policies: readonly string[], place: string, document: WatchedDocument) {
    if (isTold) return
    const { origin } = document.address
    const key = `${origin} ${policies.join()}`
    if (key === fine) return
    const subject = { nonce: document.nonce, script: new URL(script, parseUrl(origin) ?? 'http://localhost') }
    const directive = findBlockingDirective(policies, subject)
    if (directive === null) {
      // One with a nonce is for a single document.
      if (!key.includes("'nonce-")) fine = key
      return
    }
    isTold = true
    const { code, message, fix } = createHydrantError('HYD_POLICY_SCRIPTS', [
      place,
      document.route,
      directive.slice(0, MAX_TOLD),
    ])
    log.warn({ code, route: document.route }, `${message}. ${fix}`)
  }

  return {
    watch(document) {
      if (isTold) return
      const { reply, route, nonce } = document
      const count = looks.get(route) ?? 0
      const policy = reply.getHeader(POLICY)
      if (count >= LOOKS && (policy === undefined || String(policy).includes(nonce))) return
      looks.set(route, count + 1)
      lookAtHeaders(reply, POLICY, (values) => check(values, 'header', document))
    },
    watchHead(key, head, document) {
      if (isTold || seen.has(key)) return
      seen.add(key)
      check(metaPolicies(head), 'element in the head', document)
    },
  }
}

/** What React has written of `<meta http-equiv="Content-Security-Policy" content="…">`. */
function metaPolicies(head: string): string[] {
  const tags = head.match(/<meta\b[^>]*\bhttp-equiv="content-security-policy"[^>]*>/gi) ?? []
  return tags.map((tag) => unescapeAttribute(/\bcontent="([^"]*)"/i.exec(tag)?.[1] ?? ''))
}

// As React escapes attributes.
function unescapeAttribute(text: string): string {
  return text
    .replaceAll('&#x27;', "'")
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
}
