import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createHydrantError } from '../../../src/server/errors/hydrant-error.ts'
import { messageOf } from '../../../src/server/util/message-of.ts'
import type { DiscoveredSite } from './discover-site.ts'

/** The name of the declaration file, in the site's folder, where every tsconfig.json finds it. */
export const ROUTE_TYPES_FILE = 'hydrant-env.d.ts'

/** Writes the declaration of the site's routes, unless the file has that content already. Throws HYD_BUILD_WRITE. */
export async function writeRouteTypes(siteDir: string, site: DiscoveredSite): Promise<void> {
  if (!isTypeScript(site)) return
  const file = join(siteDir, ROUTE_TYPES_FILE)
  const text = createRouteTypes(site.routes.map(({ id }) => id))
  const present = await readFile(file, 'utf8').catch(() => null)
  if (present === text) return
  try {
    await writeFile(file, text)
  } catch (error) {
    throw createHydrantError('HYD_BUILD_WRITE', [file, messageOf(error)], error)
  }
}

function createRouteTypes(routes: readonly string[]): string {
  // The apostrophe is the only character of a route that needs escaping in quotes.
  const names = routes.map((route) => `'${route.replaceAll("'", "\\'")}'`)
  const lines = names.map((name) => `    ${name}: unknown\n`)
  return `// Written by \`hydrant build\` and \`hydrant dev\`: the routes that \`href\` accepts. Do not edit.

export {}

declare module 'hydrant/react' {
  interface Routes {
${lines.join('')}  }
}
`
}

function isTypeScript({ components, serverFiles, serverPlugin, config }: DiscoveredSite): boolean {
  const files = [...components, ...serverFiles].map(({ file }) => file)
  return [...files, serverPlugin, config].some((file) => file !== null && /\.tsx?$/.test(file))
}
