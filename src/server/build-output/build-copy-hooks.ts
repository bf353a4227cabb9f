// The hooks with which Node.js imports modules from memory. Depending on its version, it runs them in a thread.

import type { InitializeHook, LoadHook, ResolveHook } from 'node:module'

/** The modules of a build for Node.js, by the URLs that they are imported from. `url` has no symbolic links. */
export type CopiedModules = ReadonlyMap<string, { url: string; source: string }>

let modules: CopiedModules = new Map()

export const initialize: InitializeHook<CopiedModules> = (copied) => {
  modules = copied
}

export const resolve: ResolveHook = (specifier, context, nextResolve) => {
  const [path = '', query] = specifier.split('?')
  const copied = modules.get(path)
  if (!copied) return nextResolve(specifier, context)
  return { url: query === undefined ? copied.url : `${copied.url}?${query}`, format: 'module', shortCircuit: true }
}

export const load: LoadHook = (url, context, nextLoad) => {
  const [path] = url.split('?')
  const copied = [...modules.values()].find((module) => module.url === path)
  return copied ? { format: 'module', source: copied.source, shortCircuit: true } : nextLoad(url, context)
}
