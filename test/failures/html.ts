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
  t.strictSame(findNonceFaults(html, headers), [], 'each script carries the nonce of the policy')
}

/** Returns the scripts without the nonce of the document's policy, or what is missing altogether. */
export function findNonceFaults(html: string, headers: IncomingHttpHeaders): string[] {
  const policy = String(headers['content-security-policy'])
  const nonce = /'nonce-([\w+/=-]{16,})'/.exec(policy)?.[1]
  if (!nonce) return [`no nonce in the policy ${policy}`]
  const scripts = html.match(/<script\b[^>]*>/g) ?? []
  if (scripts.length === 0) return ['no scripts']
  return scripts.filter((tag) => !tag.includes(`nonce="${nonce}"`))
}

/** Returns what is wrong in a stored document: a nonce, or a script whose hash is not in the policy. */
export function findHashFaults(html: string, headers: IncomingHttpHeaders): string[] {
  const policy = String(headers['content-security-policy'])
  const nonces = [policy.match(/'nonce-[^']*/g), html.match(/<(?:script|style|link)\b[^>]*\snonce=[^>]*/g)].flat()
  const scripts = [...html.matchAll(/<script\b[^>]*>(.*?)<\/script>/gs)].map(([, text = '']) => text)
  if (scripts.length === 0) return ['no scripts']
  const isForbidden = (text: string) =>
    !policy.includes(`'sha256-${createHash('sha256').update(text).digest('base64')}'`)
  return [...nonces.filter((found) => found !== null), ...scripts.filter(isForbidden)]
}
