import { hashSource } from '../fixed-document.ts'
import type { PrerenderedResponse } from './format.ts'

/**
 * Replaces the origin `from` in a response with the origin `to`, at which a visitor sees the site. The origin is also
 * replaced where it is encoded for a URL (`http%3A%2F%2F`) or as JSON in JSON (`http:\/\/`), and so is the host
 * alone. If a script or style changes, its hash is computed again: the policy allows an inline script if and only if
 * it did so before.
 *
 * @param from A placeholder. The response must not contain its host for another reason.
 */
export function replaceOrigin(response: PrerenderedResponse, from: string, to: string): PrerenderedResponse {
  const { body, headers, scripts, styles } = response
  const replace = createReplacer(from, to)
  return {
    body: replace(body),
    headers: headers.map(([name, value]) => [name, replace(value)]),
    scripts: replaceHashes(body, 'script', scripts, replace),
    styles: replaceHashes(body, 'style', styles, replace),
  }
}

type Replace = (text: string) => string

/** Returns a function that puts the origin `to` in the place of `from` in a text. */
export function createReplacer(from: string, to: string): Replace {
  const host = hostOf(from)
  const pattern = new RegExp(`(?:https?(:|%3A)((?:\\\\?/|%2F){2}))?${host.replaceAll('.', '\\.')}`, 'gi')
  const newHost = hostOf(to)
  const scheme = to.slice(0, to.indexOf(':'))
  return (text) =>
    text.replace(pattern, (_, colon: string | undefined, slashes: string | undefined) => {
      if (colon === undefined) return newHost
      return `${scheme}${colon}${slashes}${colon === ':' ? newHost : encodeURIComponent(newHost)}`
    })
}

const hostOf = (origin: string) => origin.slice(origin.indexOf('//') + 2)

/** Returns the hash sources of the elements that had one of `hashes`, after their texts have changed. */
function replaceHashes(
  body: string,
  name: 'script' | 'style',
  hashes: readonly string[],
  replace: Replace,
): readonly string[] {
  if (hashes.length === 0) return hashes
  const changed = new Map<string, string>()
  const end = `</${name}>`
  for (let at = body.indexOf(`<${name}`); at !== -1; at = body.indexOf(`<${name}`, at + 1)) {
    const start = body.indexOf('>', at) + 1
    const content = body.slice(start, body.indexOf(end, start))
    const replaced = replace(content)
    if (replaced !== content) changed.set(hashSource(content), hashSource(replaced))
  }
  return hashes.map((hash) => changed.get(hash) ?? hash)
}
