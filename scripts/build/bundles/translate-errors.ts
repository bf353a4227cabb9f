import type { BuildOptions, Message } from 'esbuild'
import type { BuildProblem } from '../../build-problem.ts'
import type { DiscoveredSite } from '../discover/discover-site.ts'
import { explainRefusals } from './explain-refusals.ts'
import { placeInMdx } from './place-in-mdx.ts'
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
