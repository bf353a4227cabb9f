import type { BuildOptions, Message } from 'esbuild'
import type { BuildProblem } from '../../build-problem.ts'
import type { DiscoveredSite } from '../discover/discover-site.ts'
import { explainRefusals } from './import-chain.ts'
import { isAboutBrowserGuard, isAboutVirtualModule, translateMessage } from './translate-message.ts'

/** Translates the errors of a site's bundles. `client` are the options of the browser's bundle. */
export async function translateErrors(
  messages: readonly Message[],
  site: DiscoveredSite,
  client: BuildOptions,
): Promise<BuildProblem[]> {
  const refused = messages.filter(isAboutBrowserGuard)
  const entries = site.components.map(({ file }) => file)
  // `checkExports` reports a missing default export, at the file of the site instead of a module of the build.
  const rest = messages.filter((message) => !isAboutBrowserGuard(message) && !isAboutVirtualModule(message))
  return [...rest.map(translateMessage), ...(await explainRefusals(refused, entries, client))]
}
