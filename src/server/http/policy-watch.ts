import type { FastifyBaseLogger, FastifyReply } from 'fastify'
import { createHydrantError, warnOf } from '../errors/hydrant-error.ts'
import { parseUrl } from '../util/addresses.ts'
import { onHeaderSent } from './caching.ts'
import { unescapeHtml } from './headers.ts'
import type { PublicAddress } from './request-url.ts'

/** A document that is being sent. */
export interface WatchedDocument {
  reply: FastifyReply
  /** The site's route: `/products/[id]`. */
  route: string
  address: PublicAddress
  /** The nonce of the document's scripts. */
  nonce: string
}

/** Warns once about a policy that blocks the scripts of pages, in development. */
export interface PolicyWatch {
  /** Checks the policy that a document is sent with, including policies that hooks set later. */
  watch(document: WatchedDocument): void
  /** Checks the policies in the head of a document. */
  watchHead(head: string, document: WatchedDocument): void
}

const POLICY = 'content-security-policy'
const MAX_LOGGED = 200

export function createPolicyWatch(log: FastifyBaseLogger, script: string): PolicyWatch {
  let hasWarned = false

  function check(policies: readonly string[], place: string, { route, address, nonce }: WatchedDocument) {
    if (hasWarned) return
    const subject = { nonce, script: new URL(script, parseUrl(address.origin) ?? 'http://localhost') }
    const directive = findBlockingDirective(policies, subject)
    if (directive === null) return
    hasWarned = true
    const error = createHydrantError('HYD_POLICY_SCRIPTS', [place, route, directive.slice(0, MAX_LOGGED)])
    warnOf(error, route, log)
  }

  return {
    watch(document) {
      onHeaderSent(document.reply, POLICY, (values) => check(values, 'header', document))
    },
    watchHead(head, document) {
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

// Checks whether a Content-Security-Policy allows the scripts of a document (https://www.w3.org/TR/CSP3/).

/** The scripts of a document. */
export interface PolicySubject {
  /** The nonce of the inline scripts. */
  nonce: string
  /** The URL of the client's entry script, on the document's own origin. */
  script: URL
}

/**
 * Returns the directive that blocks the document's inline scripts or the client's entry script; null if none does.
 *
 * @param policies The values of the headers. Each may contain several policies, and each policy must allow the scripts.
 */
export function findBlockingDirective(policies: readonly string[], subject: PolicySubject): string | null {
  for (const policy of policies.flatMap((value) => value.split(','))) {
    const directives = readDirectives(policy)
    const sandbox = directives.get('sandbox')
    // Without `allow-same-origin`, the document has an origin of its own. Assets may be loaded from every origin.
    if (sandbox && !hasKeyword(sandbox, 'allow-scripts')) return ['sandbox', ...sandbox].join(' ')
    const name = ['script-src-elem', 'script-src', 'default-src'].find((each) => directives.has(each))
    const sources = name === undefined ? undefined : directives.get(name)
    if (sources && !allowsScripts(sources, subject)) return [name, ...sources].join(' ')
  }
  return null
}

// If a directive is repeated, the first one counts.
function readDirectives(policy: string): Map<string, readonly string[]> {
  const directives = new Map<string, readonly string[]>()
  for (const text of policy.split(';')) {
    const [name = '', ...sources] = text.trim().split(/\s+/)
    const key = name.toLowerCase()
    if (key !== '' && !directives.has(key)) directives.set(key, sources)
  }
  return directives
}

function allowsScripts(sources: readonly string[], { nonce, script }: PolicySubject): boolean {
  if (sources.some((source) => /^'nonce-/i.test(source) && source.slice(7, -1) === nonce)) return true
  // With one of these, browsers ignore `'unsafe-inline'`. It is a fallback for old browsers.
  const isStrict = sources.some((source) => /^'(?:nonce-|sha\d+-|strict-dynamic')/i.test(source))
  return !isStrict && hasKeyword(sources, "'unsafe-inline'") && sources.some((source) => matches(source, script))
}

function hasKeyword(sources: readonly string[], keyword: string): boolean {
  return sources.some((source) => source.toLowerCase() === keyword)
}

const HOST = /^(?:https?:\/\/)?(\*|(?:\*\.)?[^:/*']+)(?::(\d+|\*))?(\/[^?#]*)?$/i
const DEFAULT_PORTS = ['', '80', '443']

// Either scheme matches: behind a proxy that is not trusted, the public scheme is unknown.
function matches(source: string, script: URL): boolean {
  const lower = source.toLowerCase()
  if (lower === '*' || lower === "'self'" || lower === 'http:' || lower === 'https:') return true
  const [isHost, host = '', port = '', path = '/'] = HOST.exec(source) ?? []
  if (isHost === undefined) return false
  const isPort = port === '*' || port === script.port || (DEFAULT_PORTS.includes(port) && script.port === '')
  const isPath = path.endsWith('/') ? script.pathname.startsWith(path) : script.pathname === path
  return isPort && isPath && matchesHost(host.toLowerCase(), script.hostname)
}

function matchesHost(pattern: string, host: string): boolean {
  return pattern === '*' || pattern === host || (pattern.startsWith('*.') && host.endsWith(pattern.slice(1)))
}
