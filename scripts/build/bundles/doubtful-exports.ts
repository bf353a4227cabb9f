import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import {
  LAYOUT_SERVER_EXPORTS,
  PAGE_SERVER_EXPORTS,
  serverFileKeys,
} from '../../../src/server/build-output/manifest.ts'
import { showValue } from '../../../src/server/errors/hydrant-error.ts'
import { isMisspelling } from '../../../src/server/util/closest-match.ts'
import { type BuildProblem, createProblem, fileAt, placeAt } from '../../build-problem.ts'
import type { DiscoveredSite } from '../discover/discover-site.ts'
import { FOREIGN_EXPORTS, HEAD_EXPORTS } from '../discover/other-frameworks.ts'
import { ASYNC, findExport, HTML_ELEMENT, type SiteExports } from './read-exports.ts'

/** The exports of a page's own module. */
const PAGE_EXPORTS = ['hydrate', 'prerender']

/** The exports of server files of which only the value false has an effect; true is what they are without it. */
const SWITCHES = ['revalidate', 'stream']

/** The codes of the warnings about exports and components. */
export const EXPORT_WARNINGS: readonly string[] = [
  'HYD_BUILD_PAGE_EXPORT',
  'HYD_BUILD_EXPORT_VALUE',
  'HYD_BUILD_FORM_UNUSED',
  'HYD_BUILD_ASYNC_COMPONENT',
  'HYD_BUILD_HTML_ELEMENT',
]

type KnownExports = Pick<SiteExports, 'names' | 'values'>

/** A warning whose place is not known yet. */
interface Doubt {
  code: BuildProblem['code']
  values: readonly string[]
  file: string
  name: string
}

/**
 * Finds the exports of pages and layouts that have a meaning only in their server files, misspelled exports of pages,
 * exports of server files whose value has no effect, components that browsers cannot render, and elements `<html>` inside
 * that of the root layout.
 */
export async function findDoubtfulExports(
  siteDir: string,
  site: DiscoveredSite,
  exports: KnownExports,
): Promise<BuildProblem[]> {
  const doubts = [
    ...site.components.flatMap((component) => checkComponent(component, exports)),
    ...checkAsync(site, exports),
    ...site.serverFiles.flatMap(({ file }) => checkSwitches(file, exports)),
    ...site.serverFiles.flatMap(({ file }) => checkForm(file, exports)),
  ]
  return Promise.all([
    ...doubts.map(async ({ code, values, file, name }) =>
      createProblem(code, values, await findExport(siteDir, file, name)),
    ),
    ...listInnerDocuments(site, exports).map(async (file) =>
      createProblem('HYD_BUILD_HTML_ELEMENT', [file], await placeOfHtml(siteDir, file)),
    ),
  ])
}

/** Lists the files other than the root layout that have the element `<html>`. */
function listInnerDocuments({ components }: DiscoveredSite, { values }: KnownExports): string[] {
  const files = components.map(({ file }) => file).filter((file) => values.get(file)?.has(HTML_ELEMENT))
  return files.filter((file) => !/^pages\/layout\.\w+$/.test(file))
}

async function placeOfHtml(siteDir: string, file: string) {
  const source = await readFile(resolve(siteDir, file), 'utf8')
  const match = /<(?=html[\s>])/.exec(source)
  return match ? placeAt(file, source, match.index) : fileAt(file)
}

/** Returns the server file of a page or a layout: the present one, or the path of a new one. */
export function serverFileOf(
  file: string,
  names: KnownExports['names'],
): { present: string | undefined; path: string } {
  const present = serverFileKeys(file).find((key) => names.has(key))
  return { present, path: present ?? file.replace(/\.(?:[jt]sx|mdx)$/, '.server.ts') }
}

function checkComponent(
  { file, kind }: DiscoveredSite['components'][number],
  { names, values }: KnownExports,
): Doubt[] {
  if (kind !== 'page' && kind !== 'layout') return []
  const own = kind === 'page' ? PAGE_EXPORTS : []
  const all: readonly string[] = kind === 'page' ? PAGE_SERVER_EXPORTS : LAYOUT_SERVER_EXPORTS
  const allowed = all.filter((name) => !own.includes(name))
  const { present, path: server } = serverFileOf(file, names)
  // `checkExports` reports a guard.
  const exported = (names.get(file) ?? []).filter((name) => name !== 'guard')
  return exported.flatMap((name): Doubt[] => {
    const doubt = (hint: string) => [{ code: 'HYD_BUILD_PAGE_EXPORT', values: [file, name, hint], file, name } as const]
    const misspelled = own.find((one) => isMisspelling(name, one) && !exported.includes(one))
    if (misspelled !== undefined) return doubt(`did you mean "${misspelled}"?`)
    if (HEAD_EXPORTS.includes(name) && !file.endsWith('.mdx'))
      return doubt('did you mean <title>, <meta> or <link> in the component?')
    if (name === 'ErrorBoundary') return doubt('did you mean the default export of error.tsx?')
    const meant = allowed.find((one) => one === name) ?? FOREIGN_EXPORTS.get(name)
    if (meant === undefined || !all.includes(meant)) return []
    if (isTime(name, values.get(file)?.get(name))) return doubt(`did you mean "cache" in ${server}?`)
    if (present !== undefined && names.get(present)?.includes(meant))
      return doubt(`${present} already exports "${meant}"`)
    return doubt(`did you mean "${meant}" in ${server}?`)
  })
}

/** React renders async components on the server, and refuses them in browsers. A page without scripts may have them. */
function checkAsync({ components, routes, root }: DiscoveredSite, { values }: KnownExports): Doubt[] {
  const hydrated = routes.filter(({ page }) => values.get(page)?.get('hydrate') !== false)
  const surroundings = [...hydrated, root].flatMap(({ layouts, errors, notFounds }) => [
    ...layouts,
    ...[...errors, ...notFounds].map(({ file }) => file),
  ])
  const inBrowsers = new Set([...hydrated.map(({ page }) => page), ...surroundings])
  return components
    .filter(({ file }) => inBrowsers.has(file) && values.get(file)?.get('default') === ASYNC)
    .map(({ file }) => ({ code: 'HYD_BUILD_ASYNC_COMPONENT', values: [file], file, name: 'default' }))
}

function checkSwitches(file: string, { values }: KnownExports): Doubt[] {
  return [...(values.get(file) ?? [])].flatMap(([name, value]) => {
    if (!SWITCHES.includes(name) || typeof value === 'boolean') return []
    const hint = isTime(name, value) ? `; did you mean cache = { maxAgeS: ${Number(value)} }?` : ''
    return [{ code: 'HYD_BUILD_EXPORT_VALUE' as const, values: [name, file, showValue(value), hint], file, name }]
  })
}

/** A schema for forms is not used without an action. A layout has neither. */
function checkForm(file: string, { names }: KnownExports): Doubt[] {
  const exported = names.get(file) ?? []
  if (!exported.includes('form') || exported.includes('action') || exported.includes('actions')) return []
  return [{ code: 'HYD_BUILD_FORM_UNUSED', values: [file], file, name: 'form' }]
}

/** Returns whether an export is `revalidate` as Next.js has it: the seconds for which a page is stored. */
function isTime(name: string, value: unknown): boolean {
  return name === 'revalidate' && (typeof value === 'number' || (typeof value === 'string' && Number(value) > 0))
}
