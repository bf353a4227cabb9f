import { resolve } from 'node:path'
import { type EncodedSourceMap, TraceMap, traceSegment } from '@jridgewell/trace-mapping'
import { MAX_PRIMITIVES, STACKS_VARIABLE } from '../../../src/shared/wire/report-format.ts'
import { isHydrantPath } from '../esbuild/hydrant-files.ts'
import { type Insertion, insertTexts, shiftMappings } from './edit-script.ts'
import { findThrown, type ThrownValue } from './find-thrown.ts'
import { createPositions, parseParts } from './parse-script.ts'

export interface MappedCode {
  code: string
  /** Null for a script without one. All its values are kept. */
  map: EncodedSourceMap | null
}

/** Matches a script that may throw a value which is not an error, or reject a promise. */
const MAY_THROW =
  /\bthrow\b(?!\s*new\s+(?:Aggregate|Eval|Range|Reference|Syntax|Type|URI)?Error\b)|\b(?:Promise|reject|abort)\b/

/**
 * Makes a script of a browser keep the stack of each thrown value that has none of its own: `throw value` becomes
 * `throw kept(value)`, and the function `kept`, which returns its argument, is added at the end. Rejections of
 * promises are treated in the same way. A script that throws no such value does not change.
 *
 * @param isMarked Whether the values of a source are kept. Gets the path as it is in the map.
 */
export function markThrown(script: MappedCode, isMarked: (source: string) => boolean): MappedCode {
  const { code, map } = script
  if (!MAY_THROW.test(code)) return script
  if (map && !map.sources.some((source) => source !== null && isMarked(source))) return script
  const all = parseParts(code, MAY_THROW).flatMap(findThrown)
  if (all.length === 0) return script
  const trace = map && new TraceMap(map)
  const thrown = trace ? all.filter(createFilter(code, trace, isMarked)) : all
  if (thrown.length === 0) return script
  const name = unusedName(code)
  const insertions = thrown.flatMap((value) => insertionsFor(value, name))
  const marked = withKeeper(insertTexts(code, insertions), name)
  return { code: marked, map: trace && { ...map, mappings: shiftMappings(trace, code, insertions) } }
}

function createFilter(code: string, trace: TraceMap, isMarked: (source: string) => boolean) {
  const positionOf = createPositions(code)
  const marked = trace.sources.map((source) => source !== null && isMarked(source))
  return ({ start }: ThrownValue) => marked[traceSegment(trace, ...positionOf(start))?.[1] ?? -1]
}

function unusedName(code: string): string {
  let name = '$kept'
  while (code.includes(name)) name = `$${name}`
  return name
}

function insertionsFor({ kind, start, end, isCaught }: ThrownValue, name: string): Insertion[] {
  const before = (text: string) => ({ offset: start, text, isBefore: true })
  const after = (text: string) => ({ offset: end, text, isBefore: false })
  // A function may be passed to a worker as text. The name is not defined there.
  const kept = `(typeof ${name}<"u"?${name}:v=>v)`
  if (kind === 'argument') return [before(`${kept}()`)]
  if (kind === 'call') return [before(`(${kept}(),`), after(')')]
  return [before(`${kept}(`), after(isCaught ? ',1)' : ')')]
}

/**
 * Adds the function that keeps the stack of a value. It must not throw, and it uses no name that the script may
 * declare.
 *
 * For an object, the first stack is kept, because an object that is thrown again is mostly the same failure. For a
 * primitive value, the last stack is kept, because two functions may throw the same text. The second argument says
 * that the value was caught, so it was thrown before. A promise is not a failure: a component waits for data.
 */
function withKeeper(code: string, name: string): string {
  // A WeakMap has no size.
  const keeper =
    `function ${name}(v,isCaught){try{` +
    'const{Error,Map,Object,Promise,WeakMap}=globalThis;' +
    'if(!(v instanceof Promise||v instanceof Error&&v.stack)){' +
    'const isObject=Object(v)===v,' +
    `kept=(globalThis.${STACKS_VARIABLE}??=[new Map,new WeakMap])[+isObject];` +
    'if(!(kept.has(v)&&(isObject||isCaught))){' +
    'kept.delete(v);' +
    'kept.set(v,""+Error().stack);' +
    `kept.size>${MAX_PRIMITIVES}&&kept.delete(kept.keys().next().value)` +
    '}}}catch{}return v}\n'
  const end = /\s*(?:\n\/\/# sourceMappingURL=\S+\s*)?$/.exec(code)
  return `${code.slice(0, end?.index)}\n${keeper}${end?.[0].trimStart() ?? ''}`
}

/** The error of esbuild's function for `import()` and `require()` with a pattern, for a path that no file has. */
const ERROR = 'throw new Error("Module not found in bundle: "'
/** The function up to the error. It is shorter than `LONGEST`. */
const UNMATCHED = /([\w$]+)\[([\w$]+)\];\s*if\s*\(([\w$]+)\)\s*return \3\(\);\s*$/
const LONGEST = 300

/**
 * Makes an `import()` with a pattern, as `./texts/${language}.ts`, reject if no file has the path, as the language
 * defines it. esbuild throws an error at once, for `import()` as for `require()`.
 */
export function rejectUnmatched(script: MappedCode): MappedCode {
  const offset = script.code.indexOf(ERROR)
  // In the whole code, the pattern would take seconds: scripts contain words of 100,000 characters.
  const found = UNMATCHED.exec(script.code.slice(Math.max(0, offset - LONGEST), Math.max(0, offset)))
  if (!found) return script
  const [, targets, path] = found
  // Both kinds of calls have the function. Only their targets tell them apart.
  const areImports = `Object.values(${targets}).every(load=>/=>\\s*(?:import\\(|Promise\\b|[\\w$]+\\(\\)\\.then\\()/.test(load))`
  const rejection = `if(${areImports})return Promise.reject(new Error("Module not found in bundle: "+${path}));`
  const insertions = [{ offset, text: rejection, isBefore: true }]
  const { map } = script
  return {
    code: insertTexts(script.code, insertions),
    map: map && { ...map, mappings: shiftMappings(new TraceMap(map), script.code, insertions) },
  }
}

/** Namespaces of the modules that the build writes, and esbuild's for a module that a package disables. */
const WRITTEN_BY_BUILD = /^(?:hydrant-[\w-]+|\(disabled\)):/

const REACT = /[\\/]node_modules[\\/](?:react|react-dom|scheduler)[\\/]/

/**
 * Returns whether a source belongs to the site: not to a package or Hydrant, and not written by the build. `source` is
 * the text in the source map of a bundle in `folder`.
 */
export function isOfSite(source: string, folder: string): boolean {
  if (source.includes('node_modules/') || WRITTEN_BY_BUILD.test(source)) return false
  return !isHydrantPath(resolve(folder, decodeURI(source)))
}

/** Returns whether a source is the site's or a package's, and not React's. */
export function isOfSiteOrPackage(source: string, folder: string): boolean {
  if (WRITTEN_BY_BUILD.test(source)) return false
  // From a folder in `node_modules`, the path of React in the map does not name that folder.
  const path = resolve(folder, decodeURI(source))
  return !REACT.test(path) && !isHydrantPath(path)
}
