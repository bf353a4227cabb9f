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
