import { isStylesheet } from '../../../build/esbuild/css-namespaces.ts'
import { type CommonJsModules, listCommonJsNames } from '../common-js-names.ts'
import type { PackageScript } from '../packages/package-bundle.ts'
import type { SiteGraph } from '../site-graph.ts'
import { keepMap } from './client-maps.ts'
import type { FileNames } from './file-names.ts'
import type { ModuleCache } from './module-cache.ts'
import { withMap, writeModuleScript } from './module-script.ts'
import type { BrowserModule } from './read-browser-module.ts'

export interface ScriptWriterInput {
  /** The folder that source maps are written to. */
  folder: string
  names: FileNames
  modules: ModuleCache
  /** Returns the result of the last scan. */
  graph(): SiteGraph
  /** Returns the scripts of packages by their specifiers. */
  packages(): Readonly<Record<string, PackageScript>>
}

/** Creates the function that writes the scripts of modules, which import each other by their URLs. */
export function createScriptWriter({ folder, names, modules, graph, packages }: ScriptWriterInput) {
  const urlOf = (id: string) => `./${names.script(id)}`

  const sources: CommonJsModules = {
    read: async (id) => (await modules.get(id)).code,
    find(id, specifier) {
      const target = graph().find(id, specifier)
      return target && 'id' in target ? target.id : null
    },
  }

  /**
   * Returns which of a module and the modules that it imports are CommonJS, with the names that they export. Their code
   * shows this even before a scan.
   */
  async function findCommonJs(id: string, { specifiers }: BrowserModule): Promise<Map<string, string[]>> {
    const targets = [...specifiers, ...graph().matchesOf(id)].map((specifier) => graph().find(id, specifier))
    const ids = [id, ...targets.flatMap((target) => (target && 'id' in target ? [target.id] : []))]
    const possible = ids.filter((one) => graph().isCommonJs(one) && !isStylesheet(one))
    const found = await Promise.all(possible.map(modules.get))
    const commonJs = possible.filter((_, index) => found[index]?.exports.length === 0)
    const entries = commonJs.map(
      async (one): Promise<[string, string[]]> => [one, await listCommonJsNames(one, sources)],
    )
    return new Map(await Promise.all(entries))
  }

  async function write(id: string): Promise<string> {
    const module = await modules.get(id)
    const name = names.script(id)
    const commonJs = await findCommonJs(id, module)
    const find = (specifier: string) => graph().find(id, specifier)
    const matches = graph().matchesOf(id)
    const text = writeModuleScript(id, module, { urlOf, commonJs, find, matches, packages: packages() })
    if (module.map === null) return text
    keepMap(folder, { name, text, map: module.map }, names.outdated(id))
    return withMap(text, module.map)
  }

  return { urlOf, write }
}
