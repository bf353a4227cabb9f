import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { BUILD_PATHS } from '../../../src/server/build-output/manifest.ts'
import type { DevUpdate } from '../../../src/shared/wire/dev-protocol.ts'
import { nameFunctions } from '../../build/output/name-functions.ts'
import type { BrowserModule } from './browser-module.ts'
import { completeRequires, type RequireTarget } from './common-js.ts'
import { createFileNames } from './file-names.ts'
import type { ModuleCompiler, Stylesheet } from './module-compiler.ts'
import { type ImportTarget, rewriteImports } from './rewrite-imports.ts'
import type { SiteGraph } from './site-graph.ts'

/** The result of compiling modules again. */
export interface Recompiled {
  /** The ids of the modules that differ. */
  changed: string[]
  /** Whether modules are imported that were not, or no longer: the graph of the site has to be made again. */
  needsScan: boolean
  /** Whether imported or exported names may have changed, so that an import may lack its export. */
  needsCheck: boolean
}

/** The modules and stylesheets of a site, as scripts of their own for browsers. */
export interface BrowserModules {
  /** Uses the result of a new scan. */
  adopt(graph: SiteGraph): void
  /**
   * Compiles the modules again that browsers have, and returns those that differ. Rejects with esbuild's BuildFailure,
   * and changes nothing then.
   */
  recompile(ids: readonly string[]): Promise<Recompiled>
  /**
   * Returns the modules to import again in pages that have the changed ones; null if pages have to be loaded again.
   * Each of them only exports components, or is a page.
   */
  update(changed: readonly string[]): DevUpdate['modules'] | null
  /** Compiles the stylesheets again that consist of one of these files. Rejects with esbuild's BuildFailure. */
  restyle(ids: readonly string[]): Promise<DevUpdate['styles']>
  /** Returns the content of a file in the assets folder; null for an unknown one. */
  read(name: string): Promise<{ type: 'js' | 'css'; text: string } | null>
  /** Returns whether a file is part of a stylesheet that was compiled. */
  isStyled(id: string): boolean
  asset(name: string): Uint8Array | undefined
  rootName(id: string): string
  /** The names of the stylesheets of a page, a layout or an error page. */
  stylesOf(root: string): string[]
  /** Forgets everything that was compiled. */
  clear(): void
}

/**
 * @param folder The folder that source maps are written to.
 * @param position Identifies the last change that was sent to open pages.
 */
export function createBrowserModules(
  folder: string,
  compiler: () => ModuleCompiler,
  position: () => string,
): BrowserModules {
  const names = createFileNames()
  const compiled = new Map<string, Promise<BrowserModule>>()
  const styles = new Map<string, Promise<Stylesheet>>()
  const styleInputs = new Map<string, readonly string[]>()
  const versions = new Map<string, number>()
  /** The modules that browsers may have, as they are now. */
  const known = new Map<string, BrowserModule>()
  /** The modules whose exports have changed since the last update. */
  const resized = new Set<string>()
  let graph: SiteGraph | null = null

  async function compile(id: string): Promise<BrowserModule> {
    const pending = compiled.get(id) ?? compiler().browser(id)
    compiled.set(id, pending)
    try {
      const module = await pending
      if (compiled.get(id) === pending) known.set(id, module)
      return module
    } catch (error) {
      if (compiled.get(id) === pending) compiled.delete(id)
      throw error
    }
  }

  const versionOf = (id: string) => versions.get(id) ?? 1

  /** Returns which of a module and the modules that it imports are CommonJS. The code tells, also before a scan. */
  async function findCommonJs(id: string, specifiers: readonly string[]): Promise<Set<string>> {
    const targets = specifiers.map((specifier) => graph?.find(id, specifier))
    const ids = [id, ...targets.flatMap((target) => (target && 'id' in target ? [target.id] : []))]
    const found = ids.filter((one) => graph?.isCommonJs(one) && !isStyle(one))
    const modules = await Promise.all(found.map(compile))
    return new Set(found.filter((_, index) => modules[index]?.exports.length === 0))
  }

  async function writeScript(id: string): Promise<string> {
    const { code, program, map, specifiers, requires } = await compile(id)
    const name = names.script(id, versionOf(id))
    const urlOf = (target: string) => `./${names.script(target, versionOf(target))}`
    const commonJs = await findCommonJs(id, specifiers)
    const targetOf = (specifier: string): ImportTarget | null => {
      const target = graph?.find(id, specifier) ?? null
      if (target === null) return /^[./]/.test(specifier) ? null : toPackage(specifier)
      if ('package' in target) return toPackage(target.package)
      // The document has the stylesheets.
      if (isStyle(target.id)) return { namespace: '0' }
      return commonJs.has(target.id) ? { commonJs: urlOf(target.id) } : { url: urlOf(target.id) }
    }
    const requireTargetOf = (specifier: string): RequireTarget | null => {
      const target = graph?.find(id, specifier) ?? null
      if (target === null) return null
      if ('package' in target) return { kind: 'package', specifier: target.package }
      if (isStyle(target.id)) return { kind: 'style' }
      const kind = commonJs.has(target.id) ? 'commonjs' : target.id.endsWith('.json') ? 'json' : 'esm'
      return { kind, url: urlOf(target.id) }
    }
    const required = requires.flatMap((specifier): [string, RequireTarget][] => {
      const target = requireTargetOf(specifier)
      return target ? [[specifier, target]] : []
    })
    const start = `const { $RefreshReg$, $RefreshSig$ } = __hydrant_dev__.module(${JSON.stringify(id)});`
    const rewritten = rewriteImports(code, program, targetOf)
    const text = start + completeRequires(rewritten, new Map(required), commonJs.has(id))
    if (map === null) return text
    // Read with the first failure: the browser does not wait for it.
    setImmediate(() =>
      keepMap(
        name,
        names.script(id, versionOf(id) - 2),
        nameFunctions(text, map, () => false),
      ),
    )
    return `${text}\n//# sourceMappingURL=data:application/json;base64,${Buffer.from(map).toString('base64')}\n`
  }

  /** Keeps a map for failures that browsers report. */
  function keepMap(name: string, previous: string, map: string) {
    const maps = join(folder, BUILD_PATHS.clientMaps)
    writeFileSync(join(maps, `${name}.map`), map)
    rmSync(join(maps, `${previous}.map`), { force: true })
  }

  async function stylesheet(id: string): Promise<string> {
    const pending = styles.get(id) ?? compiler().stylesheet(id)
    styles.set(id, pending)
    try {
      const { css, inputs } = await pending
      styleInputs.set(id, inputs)
      return css
    } catch (error) {
      if (styles.get(id) === pending) styles.delete(id)
      throw error
    }
  }

  const isStyled = (id: string) => [...styleInputs.values()].some((inputs) => inputs.includes(id))

  return {
    adopt(next) {
      graph = next
      for (const id of [...compiled.keys()].filter((one) => !next.has(one))) {
        compiled.delete(id)
        known.delete(id)
      }
    },
    async recompile(ids) {
      const served = ids.filter((id) => known.has(id))
      const compiledAgain = await Promise.all(served.map(async (id) => ({ id, after: await compiler().browser(id) })))
      const changed = compiledAgain.filter(({ id, after }) => known.get(id)?.code !== after.code)
      const needsScan = changed.some(({ id, after }) => {
        const before = known.get(id)
        if (before?.specifiers.join() !== after.specifiers.join()) return true
        // A module without exports may have become a CommonJS module.
        return (before.exports.length === 0) !== (after.exports.length === 0)
      })
      // The errors of a module that no page has yet are found by a scan.
      const isUnknown = ids.some((id) => !known.has(id) && !isStyled(id) && graph?.has(id))
      const needsCheck =
        isUnknown ||
        changed.some(({ id, after }) => {
          const before = known.get(id)
          return before?.imports !== after.imports || before.exports.join() !== after.exports.join()
        })
      for (const { id, after } of changed) {
        // Importers use the exports by name, so other exports concern them.
        if (known.get(id)?.exports.join() !== after.exports.join()) resized.add(id)
        compiled.set(id, Promise.resolve(after))
        known.set(id, after)
      }
      return { changed: changed.map(({ id }) => id), needsScan, needsCheck }
    },
    update(changed) {
      const waiting = [...changed]
      const seen = new Set<string>()
      const accepted: string[] = []
      let isReplaceable = true
      for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
        if (seen.has(id)) continue
        seen.add(id)
        versions.set(id, versionOf(id) + 1)
        const importers = [...(graph?.importersOf(id) ?? [])].filter((importer) => known.has(importer))
        const module = known.get(id)
        const isAccepted = module?.isBoundary && !resized.has(id)
        // The browser uses only the default export of a page.
        if (isAccepted || (importers.length === 0 && module?.hasComponent)) accepted.push(id)
        else if (importers.length === 0) isReplaceable = false
        waiting.push(...(isAccepted ? [] : importers))
      }
      resized.clear()
      return isReplaceable ? accepted.map((id) => ({ id, file: names.script(id, versionOf(id)) })) : null
    },
    async restyle(ids) {
      const stale = [...styleInputs].flatMap(([id, inputs]) =>
        inputs.some((input) => ids.includes(input)) ? [id] : [],
      )
      for (const id of stale) styles.delete(id)
      return await Promise.all(stale.map(async (id) => ({ file: names.style(id), css: await stylesheet(id) })))
    },
    async read(name) {
      const file = names.find(name)
      if (!file) return null
      if (file.kind === 'style') return { type: 'css', text: await stylesheet(file.id) }
      if (file.kind === 'script') return { type: 'js', text: await writeScript(file.id) }
      const script = JSON.stringify(`./${names.script(file.id, versionOf(file.id))}`)
      return {
        type: 'js',
        text: `__hydrant_dev__.since(${JSON.stringify(position())})\nexport { default } from ${script}\n`,
      }
    },
    isStyled,
    asset: (name) => compiler().asset(name),
    rootName: names.root,
    stylesOf: (root) => (graph?.reach(root) ?? []).filter(isStyle).map(names.style),
    clear() {
      for (const map of [compiled, known, styles, styleInputs]) map.clear()
    },
  }
}

function toPackage(specifier: string): ImportTarget {
  return { namespace: `__hydrant_dev__.package(${JSON.stringify(specifier)})` }
}

function isStyle(id: string): boolean {
  return id.startsWith('hydrant-css:') || (!id.includes(':') && id.endsWith('.css'))
}
