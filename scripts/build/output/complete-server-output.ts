import { type EncodedSourceMap, TraceMap, traceSegment } from '@jridgewell/trace-mapping'
import type { ServerMapFields } from '../../../src/server/failures/stacks/function-names.ts'
import { findComponents } from './find-components.ts'
import { type Export, findExports } from './find-exports.ts'
import { findFunctions } from './find-functions.ts'
import { createPlaces } from './positions.ts'
import { isOfSite } from './site-sources.ts'
import { readTokens } from './tokenize.ts'

export interface ServerOutput {
  code: string
  map: string
}

/**
 * Completes a bundle of the server. Its map, which counts its paths from `folder`, says which sources are not the site's,
 * and where the site's exports and components are defined: what was thrown without a stack leads there.
 */
export function createServerOutput(code: string, json: string, folder: string): ServerOutput {
  // esbuild has just written it.
  const map = JSON.parse(json) as EncodedSourceMap
  const ignoreList = map.sources.flatMap((source, index) => (source && isOfSite(source, folder) ? [] : [index]))
  const trace = new TraceMap(map)
  const placeOf = createPlaces(code)

  function isSite(offset: number): boolean {
    const [, source] = traceSegment(trace, ...placeOf(offset)) ?? []
    return source !== undefined && !ignoreList.includes(source)
  }

  const tokens = readTokens(code) ?? []
  const functions = findFunctions(code, tokens).filter(({ start }) => isSite(start))
  const modules = findExports(tokens, functions).map(({ file, exports }) => ({
    file,
    exports: exports.filter(({ offset }) => isSite(offset)),
  }))
  const { offsets, unnamed } = findComponents(tokens, functions, modules.flatMap(componentOf))
  const fields: ServerMapFields = {
    x_hydrant_exports: Object.fromEntries(
      modules.map(({ file, exports }) => [
        file,
        Object.fromEntries(exports.map(({ name, offset }) => [name, placeOf(offset)])),
      ]),
    ),
    x_hydrant_components: Object.fromEntries([...offsets].map(([name, starts]) => [name, starts.map(placeOf)])),
  }
  return { code: withNames(code, [...unnamed]), map: JSON.stringify({ ...map, ignoreList, ...fields }) }
}

function componentOf({ file, exports }: { file: string; exports: Export[] }): Export[] {
  if (!file.startsWith('pages/') || /\.server\.[jt]sx?$/.test(file)) return []
  return exports.filter(({ name }) => name === 'default')
}

/**
 * Gives components without a name, such as those inside of `memo()`, the names of their variables. React's stacks of components have
 * nothing else for one that throws a value without a stack, and leave out what has no name. Behind everything else: no
 * place of the map changes.
 */
function withNames(code: string, variables: readonly string[]): string {
  if (variables.length === 0) return code
  const entries = variables.map((name) => `[${name}, ${JSON.stringify(name)}]`).join(', ')
  const names = `[${entries}].forEach(([component, value]) => {
  let part = component;
  for (let depth = 0; typeof part === "object" && part !== null && "$$typeof" in part; depth++) {
    if (depth > 0 && part.displayName === undefined) Reflect.set(part, "displayName", value);
    part = part.type ?? part.render;
  }
  if (typeof part === "function" && part.name === "") Reflect.defineProperty(part, "name", { value, configurable: true });
});
`
  const at = code.lastIndexOf('\n//# sourceMappingURL=') + 1
  return at === 0 ? code + names : code.slice(0, at) + names + code.slice(at)
}
