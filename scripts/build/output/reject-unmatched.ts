import { TraceMap } from '@jridgewell/trace-mapping'
import { insertTexts, shiftMappings } from './insert-texts.ts'
import type { MappedCode } from './mark-thrown.ts'

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
