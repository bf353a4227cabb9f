import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ROUTE_TYPES_FILE, serverFileKeys } from '../../../src/server/build-output/manifest.ts'
import { createHydrantError } from '../../../src/server/errors/hydrant-error.ts'
import { envFileNames, readEnvFile } from '../../../src/server/options/env-files.ts'
import { messageOf } from '../../../src/server/util/unknown-values.ts'
import { pickPublic } from '../../../src/shared/public-env.ts'
import { compareText } from '../../build-problem.ts'
import type { DiscoveredSite } from './discover-site.ts'
import { parseSegment } from './page-files.ts'

/**
 * Writes the declaration of the site's pages, layouts and public variables, unless the file has that content already.
 * Returns false, and writes nothing, for a site without TypeScript. It depends only on names: a new `load` changes no
 * line of it, so types are current while the developer types. Throws HYD_BUILD_WRITE.
 */
export async function writeRouteTypes(siteDir: string, site: DiscoveredSite): Promise<boolean> {
  if (!isTypeScript(site)) return false
  const file = join(siteDir, ROUTE_TYPES_FILE)
  const text = createRouteTypes(site, readPublicNames(siteDir))
  const present = await readFile(file, 'utf8').catch(() => null)
  if (present === text) return true
  try {
    await writeFile(file, text)
  } catch (error) {
    throw createHydrantError('HYD_BUILD_WRITE', [file, messageOf(error)], error)
  }
  return true
}

interface Entry {
  /** The route of a page, or the path of a layout's folder in pages/, with its groups. */
  path: string
  /** The keys of the layouts around it, outermost first. */
  layouts: string[]
  server: string | undefined
}

function createRouteTypes(site: DiscoveredSite, publicNames: readonly string[]): string {
  const { components, routes, serverFiles, publicFiles } = site
  const present = new Set(serverFiles.map(({ file }) => file))
  const serverOf = (file: string) => serverFileKeys(file).find((key) => present.has(key))
  const layouts = new Map(
    components.flatMap(({ file, kind }) => (kind === 'layout' ? [[folderOf(file), serverOf(file)] as const] : [])),
  )
  const pageEntries = routes.map(({ id, page, layouts }) => ({
    path: id,
    layouts: layouts.map(folderOf),
    server: serverOf(page),
  }))
  const layoutEntries = [...layouts].map(([path, server]) => ({
    path,
    layouts: parentsOf(path).filter((parent) => layouts.has(parent)),
    server,
  }))
  return `// Written by \`hydrant types\`, \`hydrant dev\` and \`hydrant build\`. Do not edit.
// biome-ignore-all format: written by a program
// biome-ignore-all lint: written by a program
/* eslint-disable */

// prettier-ignore
export {}

// prettier-ignore
declare module 'hydrant/react' {
${formatInterface('Routes', pageEntries, publicFiles)}
${formatInterface('Layouts', layoutEntries)}${formatPublicEnv(publicNames)}}
`
}

/** Returns the names of public variables in the files of all modes: the types do not depend on the command. */
function readPublicNames(siteDir: string): string[] {
  const names = [...envFileNames('development'), ...envFileNames('production')]
  return Object.keys(pickPublic(Object.assign({}, ...names.map((name) => readEnvFile(join(siteDir, name))))))
}

function formatPublicEnv(names: readonly string[]): string {
  if (names.length === 0) return ''
  return `\n  interface PublicEnv {\n${names.map((name) => `    readonly ${quote(name)}: string\n`).join('')}  }\n`
}

/** Returns `/(shop)/products` for `pages/(shop)/products/layout.tsx`, and `/` for a file directly in pages/. */
function folderOf(file: string): string {
  return `/${file.split('/').slice(1, -1).join('/')}`
}

function parentsOf(path: string): string[] {
  if (path === '/') return []
  const parts = path.split('/')
  return parts.slice(0, -1).map((_part, index) => parts.slice(0, index + 1).join('/') || '/')
}

/** @param files The other URLs, without their first slash. `href` takes square brackets for a parameter, and `%20` for a space. */
function formatInterface(name: string, entries: readonly Entry[], files: readonly string[] = []): string {
  const sorted = entries.toSorted((a, b) => compareText(a.path, b.path))
  const urls = files
    .filter((file) => !/\[.+]|%[\da-f]{2}/i.test(file))
    .map((file) => `    ${quote(`/${file}`)}: unknown\n`)
  return `  interface ${name} {\n${sorted.map(formatEntry).join('')}${urls.join('')}  }\n`
}

function formatEntry({ path, layouts, server }: Entry): string {
  const params = path.split('/').flatMap((text) => {
    const segment = parseSegment(text)
    return segment.kind === 'param' || segment.kind === 'catchAll' ? [`${segment.name}: string`] : []
  })
  return `    ${quote(path)}: {
      params: ${params.length > 0 ? `{ ${params.join('; ')} }` : '{}'}
      layouts: [${layouts.map(quote).join(', ')}]
${formatServer(server)}    }
`
}

function formatServer(file: string | undefined): string {
  if (file === undefined) return '      server: {}\n'
  // TypeScript accepts a specifier that ends with `.ts` in every declaration file, whatever the tsconfig.json says.
  const line = `      server: typeof import(${quote(`./${file}`)})\n`
  // A module in JavaScript has types with `allowJs`, otherwise it is an error.
  return /\.jsx?$/.test(file) ? `      // @ts-ignore\n${line}` : line
}

/** Returns a string literal. Names of groups may contain any character. */
function quote(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
}

function isTypeScript({ components, serverFiles, serverPlugin, config }: DiscoveredSite): boolean {
  const files = [...components, ...serverFiles].map(({ file }) => file)
  return [...files, serverPlugin, config].some((file) => file !== null && /\.tsx?$/.test(file))
}
