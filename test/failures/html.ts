import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Test } from 'tap'

const ENTITIES: Record<string, string> = {
  '&quot;': '"',
  '&#x27;': "'",
  '&lt;': '<',
  '&gt;': '>',
  '&amp;': '&',
}

/** Returns the visible text of a document or a part of one. */
export function textOf(html: string): string {
  return html
    .replace(/<(script|style|title)\b.*?<\/\1>/gs, ' ')
    .replace(/<!--.*?-->/gs, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&#(\d+);/g, (_, code) => String.fromCharCode(code))
    .replace(/&[#\w]+;/g, (entity) => ENTITIES[entity] ?? entity)
    .replace(/\s+/g, ' ')
    .trim()
}

/** Checks that every script, inline or not, has the nonce of the document's policy. */
export function checkNonces(t: Test, html: string, headers: IncomingHttpHeaders) {
  t.strictSame(nonceFaults(html, headers), [], 'each script has the nonce of the policy')
}

/** Returns the scripts, inline or not, that do not have the nonce of the document's policy, or what is missing. */
export function nonceFaults(html: string, headers: IncomingHttpHeaders): string[] {
  const policy = headers['content-security-policy'] ?? ''
  const nonce = /'nonce-([\w+/=-]{16,})'/.exec(String(policy))?.[1]
  const scripts = html.match(/<script\b[^>]*>/g) ?? []
  if (nonce === undefined) return [`no nonce in the policy "${policy}"`]
  if (scripts.length === 0) return ['no scripts']
  return scripts.filter((tag) => !tag.includes(`nonce="${nonce}"`))
}

/** Checks that the policy of a stored document has the hash of every script, and that nothing has a nonce. */
export function checkHashes(t: Test, html: string, headers: IncomingHttpHeaders) {
  const policy = String(headers['content-security-policy'])
  t.notMatch(policy, /'nonce-/)
  t.notMatch(html, /<(?:script|style|link)\b[^>]*\snonce=/)
  const scripts = [...html.matchAll(/<script\b[^>]*>(.*?)<\/script>/gs)].map(([, text = '']) => text)
  t.ok(scripts.length > 0, 'there are scripts')
  const hashes = scripts.map((text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`)
  t.same(
    hashes.filter((hash) => !policy.includes(hash)),
    [],
    'each script has its hash in the policy',
  )
}
