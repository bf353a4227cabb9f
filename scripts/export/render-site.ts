import { type Build, loadBuild } from '../../src/server/build-output/load-build.ts'
import type { Manifest } from '../../src/server/build-output/manifest.ts'
import { buildFolder, readConfig } from '../../src/server/build-output/read-build.ts'
import { fixDocument } from '../../src/server/cache/fixed-document.ts'
import type { PrerenderedRedirect } from '../../src/server/cache/prerendered-pages.ts'
import { createInstance, type Instance } from '../../src/server/create-server.ts'
import { createHydrantError } from '../../src/server/errors/hydrant-error.ts'
import type { Format } from '../../src/server/http/formats.ts'
import { hashPolicy } from '../../src/server/http/headers.ts'
import { createJsonLogging } from '../../src/server/log/logger.ts'
import type { Options } from '../../src/server/options/options.ts'
import { resolveOptions } from '../../src/server/options/resolve-options.ts'
import { prepareRoute } from '../../src/server/pages/prepared-route.ts'
import { withBase } from '../../src/shared/paths.ts'
import { escapeHtml } from '../../src/shared/wire/html.ts'
import {
  createOutcomes,
  type RenderingServer,
  renderForm,
  renderingOptions,
} from '../build/prerender/render-address.ts'
import { BuildError } from '../build-problem.ts'

export interface PageAddress {
  /** The site's route: `/docs/[...path]`. */
  route: string
  /** The path, relative to the base. */
  path: string
}

/** The contents of the files of a page. */
export interface ExportedPage {
  document: string
  /** The lines of a navigation to the page. */
  lines: string
  /** The redirect of a page that redirects; null for other pages. */
  redirect: PrerenderedRedirect | null
}

export interface NotFoundDocument {
  document: string
  /** The headers of documents, apart from the policy. */
  headers: readonly (readonly [name: string, value: string])[]
}

/** A built site whose pages are rendered for files. */
export interface RenderedSite {
  /** The path below which the site is mounted. */
  base: string
  /** Renders a page. Rejects with a BuildError, and with HYD_EXPORT_PAGE for a document without `<head>`. */
  renderPage(address: PageAddress): Promise<ExportedPage>
  /** Renders the document for paths without a page. Rejects with HYD_EXPORT_PAGE. */
  renderNotFound(): Promise<NotFoundDocument>
  close(): Promise<void>
}

export interface RenderInput {
  dir: string
  manifest: Manifest
  /** The public origin of the site: `https://example.com`. */
  origin: string
  /** The value of the flag `--base`. */
  base: string | undefined
  /** How many pages are rendered at the same time. */
  atATime: number
}

/** A path without a page: Hydrant's own paths are in no route of a site. */
const NO_PAGE = '/_hydrant/404'
const SECURITY = [
  ...['x-content-type-options', 'referrer-policy', 'x-frame-options', 'cross-origin-opener-policy'],
  'strict-transport-security',
]

/** Opens a built site with the server of `hydrant start`, without a port. Throws HYD_OPTION_INVALID. */
export async function openRenderedSite({ dir, manifest, origin, base, atATime }: RenderInput): Promise<RenderedSite> {
  const folder = buildFolder(dir)
  const options = exportOptions(
    resolveOptions({ env: process.env, config: await readConfig(folder), flags: { base }, scope: 'server' }),
    atATime,
  )
  const outcomes = createOutcomes()
  const { collector } = outcomes
  const instance = await createInstance({
    dir,
    folder,
    manifest,
    options,
    logging: createJsonLogging('silent'),
    collector,
    isExported: true,
  })
  instance.store.subscribe(outcomes.addFailure)
  const routes = routesOf(await loadBuild({ folder, manifest }, options.base))
  const server = {
    app: instance.app,
    origin,
    outcomes,
    build: manifest.buildId,
    hasMarkdown: false,
    routes: [...routes.keys()],
  }

  async function render(address: PageAddress, format: Format) {
    const route = routes.get(address.route)
    if (!route) throw createHydrantError('HYD_EXPORT_PAGE', [address.path, 'the build has no such page'])
    const url = withBase(options.base, address.path)
    const rendered = await renderForm(server, route, url, { format, layouts: [] })
    if (rendered.kind === 'problem') throw new BuildError([rendered.problem])
    return rendered
  }

  return {
    base: options.base,
    async renderPage(address) {
      const rendered = await render(address, 'html')
      if (rendered.kind === 'redirect') return exportRedirect(rendered.redirect, origin)
      const { body, headers, scripts } = rendered.response
      const [, given] = headers.find(([name]) => name === 'content-security-policy') ?? []
      const policy = given ?? (options.csp ? hashPolicy(scripts) : '')
      const hasScripts = routes.get(address.route)?.isHydrated
      const navigation = hasScripts ? await render(address, 'navigation') : null
      // The browser loads the document of a page without scripts.
      const lines = navigation?.kind === 'form' ? navigation.response.body : '["load"]\n'
      return { document: withElements(body, policy, address.path), lines, redirect: null }
    },
    renderNotFound: () => renderNotFound(instance, server, withBase(options.base, NO_PAGE)),
    close: async () => void (await instance.app.close()),
  }
}

function exportRedirect({ location, status }: PrerenderedRedirect, origin: string): ExportedPage {
  return {
    document: redirectDocument(location, new URL(location, origin).href),
    lines: `${JSON.stringify(['redirect', location])}\n`,
    redirect: { location, status },
  }
}

const routesOf = (build: Build) => new Map(build.routes.map((route) => [route.id, prepareRoute(route, build)]))

function exportOptions(options: Options, atATime: number): Options {
  return {
    ...renderingOptions(options, atATime),
    // The requests of this process have the protocol of the origin in `X-Forwarded-Proto`.
    trustProxy: true,
    reports: { ...options.reports, enabled: false },
  }
}

async function renderNotFound(
  { app }: Instance,
  { origin }: Pick<RenderingServer, 'origin'>,
  url: string,
): Promise<NotFoundDocument> {
  const { protocol, host } = new URL(origin)
  const asked = { host, accept: 'text/html', 'x-forwarded-proto': protocol.slice(0, -1) }
  const { body, headers, statusCode } = await app.inject({ url, headers: asked })
  const refuse = (reason: string) => createHydrantError('HYD_EXPORT_PAGE', ['for unknown paths', reason])
  if (statusCode !== 404) throw refuse(`its status is ${statusCode}`)
  const policy = String(headers['content-security-policy'] ?? '')
  const [, nonce] = /'nonce-([^']+)'/.exec(policy) ?? []
  const fixed = nonce === undefined ? { text: body, scripts: [] } : fixDocument(body, nonce)
  if ('reason' in fixed) throw refuse(fixed.reason)
  return {
    document: withElements(fixed.text, nonce === undefined ? policy : hashPolicy(fixed.scripts), 'for unknown paths'),
    headers: SECURITY.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])] as const])),
  }
}

function withElements(document: string, policy: string, path: string): string {
  const text = addHeadElements(document, policy)
  if (text === null) throw createHydrantError('HYD_EXPORT_PAGE', [path, 'its document has no <head>'])
  return text
}

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
  const [charset = ''] = /<meta\s[^>]*charset=[^>]*>/i.exec(rest.slice(0, rest.indexOf('</head>'))) ?? []
  const directives = policy.split(';').map((directive) => directive.trim())
  const content = directives.filter((directive) => directive !== '' && !ONLY_IN_HEADERS.test(directive)).join('; ')
  const meta =
    content === '' ? '' : `<meta http-equiv="Content-Security-Policy" content="${content.replaceAll('"', '&quot;')}"/>`
  return document.slice(0, inside) + (charset || '<meta charset="utf-8"/>') + meta + rest.replace(charset, '')
}

/**
 * Returns the document that replaces a page that redirects, for hosts that do not read the file `_redirects`. The
 * document needs no script.
 *
 * @param location The value of the header `Location`.
 * @param canonical The absolute URL of the target.
 */
function redirectDocument(location: string, canonical: string): string {
  const target = escapeHtml(location)
  return (
    `<!DOCTYPE html><html><head><meta charset="utf-8"/><title>${target}</title>` +
    `<meta http-equiv="refresh" content="0; url=${target}"/><link rel="canonical" href="${escapeHtml(canonical)}"/>` +
    `</head><body><p><a href="${target}">${target}</a></p></body></html>`
  )
}
