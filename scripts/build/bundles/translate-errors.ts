import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BuildOptions, Message } from 'esbuild'
import { type BuildProblem, fileAt, type SourceLocation } from '../../build-problem.ts'
import type { DiscoveredSite } from '../discover/discover-site.ts'
import { explainRefusals } from './explain-refusals.ts'
import { translateError } from './translate-error.ts'
import {
  isAboutBrowserGuard,
  isAboutLoader,
  isAboutVirtualModule,
  isOfSitePlugin,
  translateMessage,
} from './translate-message.ts'

/** Translates the errors of a site's bundles. `client` are the options of the browser's bundle. */
export async function translateErrors(
  messages: readonly Message[],
  site: DiscoveredSite,
  client: BuildOptions,
): Promise<BuildProblem[]> {
  const refused = messages.filter(isAboutBrowserGuard)
  const entries = site.components.map(({ file }) => file)
  // `checkExports` reports a missing default export, at the file of the site instead of a module of the build.
  const isReported = (message: Message) => isAboutVirtualModule(message) && !isAboutLoader(message)
  const rest = messages.filter((message) => !isAboutBrowserGuard(message) && !isReported(message))
  const [bySitePlugin, byEsbuild] = [rest.filter(isOfSitePlugin), rest.filter((message) => !isOfSitePlugin(message))]
  const siteDir = client.absWorkingDir ?? '.'
  const translated = await Promise.all(byEsbuild.map((message) => translateError(siteDir, message)))
  const found = [...translated, ...(await explainRefusals(refused, entries, client))]
  // A plugin gives places in the source of an .mdx file. The others are in the script that the plugin has compiled.
  const placed = found.map((problem) => placeInMdx(siteDir, problem))
  return [...bySitePlugin.map(translateMessage), ...(await Promise.all(placed))]
}

/** Gives a problem in the script that was compiled from an `.mdx` file its place in that file. */
async function placeInMdx(siteDir: string, problem: BuildProblem): Promise<BuildProblem> {
  const { location } = problem
  if (!location?.file.endsWith('.mdx') || location.line === null) return problem
  return { ...problem, location: await findSource(siteDir, location) }
}

/** Returns the first line with the string or the name at a place of the script; the file as a whole without one. */
async function findSource(siteDir: string, { file, column, lineText }: SourceLocation): Promise<SourceLocation> {
  const [token] = /^(?:"[^"]*"|'[^']*'|[\w$]+)/.exec(lineText?.slice((column ?? 1) - 1) ?? '') ?? []
  if (token === undefined) return fileAt(file)
  const lines = (await readFile(join(siteDir, file), 'utf8')).split('\n')
  const index = lines.findIndex((line) => line.includes(token))
  const found = lines[index]
  return found === undefined
    ? fileAt(file)
    : { file, line: index + 1, column: found.indexOf(token) + 1, lineText: found }
}
