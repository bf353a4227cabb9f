import { type AnyNode, type Program, parse } from 'acorn'

/**
 * Parses a script that esbuild has written. Returns an empty program for a text that acorn cannot read, a stylesheet
 * for example: names that are missing from a source map must not fail the build.
 */
export function parseScript(code: string): Program {
  const options = { ecmaVersion: 'latest', sourceType: 'module' } as const
  try {
    return parse(code, options)
  } catch {
    return parse('', options)
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
