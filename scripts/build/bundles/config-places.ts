import { readFileSync } from 'node:fs'
import type { Node, ObjectExpression } from 'acorn'
import { describeThrown, framesIn } from '../../../src/server/failures/describe-thrown.ts'
import { createSourceMapper } from '../../../src/server/failures/stacks/source-map.ts'
import { frameText } from '../../../src/server/failures/stacks/stack-frame.ts'
import type { SourceLocation } from '../../build-problem.ts'
import { nodesIn, parseScript } from '../output/parse-script.ts'
import { createPositions } from '../output/positions.ts'

/** Finds places in the source of a site's configuration. Each function returns null if there is none. */
export interface ConfigPlaces {
  /** Returns the innermost place of the site in the stack of an error. */
  ofError(error: unknown): SourceLocation | null
  /** Returns the place of an option, by its full name: `timeouts.loadMs`. */
  ofOption(name: string): SourceLocation | null
}

/** @param bundle The path of the compiled configuration, which has its source map beside it. */
export function createConfigPlaces(siteDir: string, bundle: string): ConfigPlaces {
  const { mapFrame, codeAround } = createSourceMapper(siteDir, [{ path: bundle, findFile: () => bundle }])

  function ofFrames(texts: readonly string[]): SourceLocation | null {
    const frame = texts.map((text) => mapFrame(text).frame).find((one) => one?.isSite)
    if (!frame) return null
    const { file, line, column } = frame
    const code = codeAround(frame)
    return { file, line, column, lineText: code?.lines[line - code.firstLine] ?? null }
  }

  return {
    ofError: (error) => ofFrames(framesIn(describeThrown(error).stack)),
    ofOption(name) {
      const code = readFileSync(bundle, 'utf8')
      const offset = findOption(code, name.split('.'))
      if (offset === null) return null
      const [line, column] = createPositions(code)(offset)
      return ofFrames([frameText({ file: bundle, line: line + 1, column: column + 1, function: '', isSite: false })])
    },
  }
}

/**
 * Returns the offset of a property, given the names that lead to it from an object that is not itself the value of a
 * property. Without that property, it is the offset of the innermost one on the way to it.
 */
function findOption(code: string, path: readonly string[]): number | null {
  const inner = new Set<Node>()
  for (const node of nodesIn(parseScript(code))) {
    if (node.type === 'Property') inner.add(node.value)
    const found = node.type === 'ObjectExpression' && !inner.has(node) ? offsetIn(node, path) : null
    if (found !== null) return found
  }
  return null
}

function offsetIn(object: ObjectExpression, [name, ...rest]: readonly string[]): number | null {
  for (const property of object.properties) {
    if (property.type !== 'Property' || property.computed) continue
    const { key, value, start } = property
    if ((key.type === 'Identifier' ? key.name : key.type === 'Literal' ? String(key.value) : null) !== name) continue
    return (value.type === 'ObjectExpression' && rest.length > 0 ? offsetIn(value, rest) : null) ?? start
  }
  return null
}
