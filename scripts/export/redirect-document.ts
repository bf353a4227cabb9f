import { escapeHtml } from '../../src/shared/wire/html.ts'

/**
 * Returns the document that replaces a page that redirects, for hosts that do not read the file `_redirects`. The
 * document needs no script.
 *
 * @param location The value of the header `Location`.
 * @param canonical The absolute URL of the target.
 */
export function redirectDocument(location: string, canonical: string): string {
  const target = escapeHtml(location)
  return (
    `<!DOCTYPE html><html><head><meta charset="utf-8"/><title>${target}</title>` +
    `<meta http-equiv="refresh" content="0; url=${target}"/><link rel="canonical" href="${escapeHtml(canonical)}"/>` +
    `</head><body><p><a href="${target}">${target}</a></p></body></html>`
  )
}
