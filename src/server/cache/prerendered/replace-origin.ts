import { hashSource } from '../fixed-document.ts'
import type { PrerenderedResponse } from './format.ts'

/**
 * Puts the origin at which a visitor sees the site in the place of another one. Also replaces it where it is encoded for
 * a URL (`http%3A%2F%2F`) or as JSON in JSON (`http:\/\/`), and the host by itself. The hashes of the scripts and styles
 * that change are computed again: an inline script is allowed afterwards exactly if it was allowed before.
 *
 * @param from The origin in the response. Its host must not be in it by chance.
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
