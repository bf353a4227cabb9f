/** Directives that browsers ignore in an element (https://www.w3.org/TR/CSP3/#meta-element). */
const ONLY_IN_HEADERS = /^(?:frame-ancestors|report-to|report-uri|sandbox)\b/

/**
 * Puts the encoding and the policy of a document into its head. A static file host does not send the policy, and may
 * send the content type without an encoding.
 *
 * @param policy The value of the header `Content-Security-Policy`, or an empty string.
 * @returns Null if the document has no `<head>`.
 */
export function addHeadElements(document: string, policy: string): string | null {
  const head = /<head(?:\s[^>]*)?>/.exec(document)
  if (!head) return null
  const inside = head.index + head[0].length
  // The encoding has to be within the first 1,024 bytes, and the policy holds for the elements after it.
  const rest = document.slice(inside)
  const [first = ''] = /^<meta\s[^>]*charset=[^>]*>/i.exec(rest) ?? []
  const hasCharset = /<meta\s[^>]*charset=/i.test(rest.slice(0, rest.indexOf('</head>')))
  const charset = hasCharset ? '' : '<meta charset="utf-8"/>'
  const directives = policy.split(';').map((directive) => directive.trim())
  const content = directives.filter((directive) => directive !== '' && !ONLY_IN_HEADERS.test(directive)).join('; ')
  const meta =
    content === '' ? '' : `<meta http-equiv="Content-Security-Policy" content="${content.replaceAll('"', '&quot;')}"/>`
  return document.slice(0, inside) + first + charset + meta + rest.slice(first.length)
}
