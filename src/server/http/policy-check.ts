// Does a Content-Security-Policy let the scripts of a document run? (https://www.w3.org/TR/CSP3/)

/** A document, as far as its policies are concerned. */
export interface PolicySubject {
  nonce: string
  /** Address of the script that starts the browser's side, on the document's own origin. */
  script: URL
}

/**
 * The directive that keeps the document's inline scripts, or the one that starts the browser's side, from running; null for none.
 *
 * @param policies Values of headers; each may hold several policies, all of which have to let them run.
 */
export function findBlockingDirective(policies: readonly string[], subject: PolicySubject): string | null {
  for (const policy of policies.flatMap((value) => value.split(','))) {
    const directives = readDirectives(policy)
    const sandbox = directives.get('sandbox')
    // In an origin of its own it may not load modules of this one.
    if (sandbox && !(hasKeyword(sandbox, 'allow-scripts') && hasKeyword(sandbox, 'allow-same-origin')))
      return ['sandbox', ...sandbox].join(' ')
    const name = ['script-src-elem', 'script-src', 'default-src'].find((each) => directives.has(each))
    const sources = name === undefined ? undefined : directives.get(name)
    if (sources && !allowsScripts(sources, subject)) return [name, ...sources].join(' ')
  }
  return null
}

// The first of a name counts.
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
  // With one of these `'unsafe-inline'` says nothing, as old browsers alone are to read it.
  const isStrict = sources.some((source) => /^'(?:nonce-|sha\d+-|strict-dynamic')/i.test(source))
  return !isStrict && hasKeyword(sources, "'unsafe-inline'") && sources.some((source) => matches(source, script))
}

function hasKeyword(sources: readonly string[], keyword: string): boolean {
  return sources.some((source) => source.toLowerCase() === keyword)
}

const HOST = /^(?:https?:\/\/)?(\*|(?:\*\.)?[^:/*']+)(?::(\d+|\*))?(\/[^?#]*)?$/i
const DEFAULT_PORTS = ['', '80', '443']

// Of http and https either will do: behind a proxy that is not trusted nobody knows which one the visitor sees.
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
