import { type AnyNode, Parser, type Program, parse } from 'acorn'

const OPTIONS = { ecmaVersion: 'latest', sourceType: 'module' } as const

/**
 * Parses a script that esbuild has written. Returns an empty program for a text that acorn cannot read, a stylesheet
 * for example: names that are missing from a source map must not fail the build.
 */
export function parseScript(code: string): Program {
  try {
    return parse(code, OPTIONS)
  } catch {
    return parse('', OPTIONS)
  }
}

class PartParser extends Parser {
  /** Parses a script from a position on. The positions of the nodes are those in the whole script. */
  static parsePart(code: string, start: number): Program {
    return new PartParser(OPTIONS, code, start).parse()
  }
}

/**
 * Parses the modules of a bundle that contain a pattern. esbuild writes a comment with the path before each module,
 * unless it minifies: then the whole script is one part. Most modules of packages do not contain the pattern, and
 * parsing them all takes seconds.
 */
export function parseParts(code: string, pattern: RegExp): Program[] {
  const starts = [0, ...[...code.matchAll(/^\/\/ .+$/gm)].map(({ index }) => index)]
  const parts = starts.map((start, index) => [start, starts[index + 1] ?? code.length] as const)
  try {
    return parts
      .filter(([start, end]) => pattern.test(code.slice(start, end)))
      .map(([start, end]) => PartParser.parsePart(code.slice(0, end), start))
  } catch {
    // The comment was a part of a text.
    return [parseScript(code)]
  }
}

/**
 * Lists the nodes of a program in the order of their starts. acorn-walk recurses, and a chain of 1,000 method calls
 * overflows its stack.
 */
export function* nodesIn(program: Program): Generator<AnyNode> {
  const waiting: unknown[] = [program]
  while (waiting.length > 0) {
    const value = waiting.pop()
    if (isNode(value)) yield value
    else if (!Array.isArray(value)) continue
    for (const child of Object.values(value).reverse()) if (typeof child === 'object') waiting.push(child)
  }
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
}

/** Creates a function that returns the line and the column of an offset. Both count from 0. */
export function createPositions(code: string): (offset: number) => [line: number, column: number] {
  const starts = [0]
  for (let at = code.indexOf('\n'); at !== -1; at = code.indexOf('\n', at + 1)) starts.push(at + 1)
  return (offset) => {
    let [line, end] = [0, starts.length]
    while (end - line > 1) {
      const middle = (line + end) >> 1
      if ((starts[middle] ?? 0) <= offset) line = middle
      else end = middle
    }
    return [line, offset - (starts[line] ?? 0)]
  }
}
