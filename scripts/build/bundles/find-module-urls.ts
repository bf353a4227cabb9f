import type { AnyNode } from 'acorn'
import { type Loader, transform } from 'esbuild'
import { nodesIn, parseScript } from '../output/parse-script.ts'

/** A file that a module names by a URL relative to itself: `new URL('./sum.ts', import.meta.url)`. */
export interface ModuleUrl {
  /** The text between the quotes. */
  specifier: string
  /** The position of the first quote in the source, and of the end of the last one. */
  start: number
  end: number
  /** Whether the URL is that of a worker: `new Worker(new URL(…))`. */
  isWorker: boolean
}

const MODULE_URL = /\bnew\s+URL\s*\(\s*((["'`])([^"'`$\n\\]+)\2)\s*,\s*import\.meta\.url\s*,?\s*\)/dg

/** Returns the specifiers of such URLs, also of those in comments and strings. */
export function listModuleUrls(code: string): string[] {
  return [...code.matchAll(MODULE_URL)].map(([, , , specifier = '']) => specifier)
}

/** Finds the files that a module names by URLs. Such code in comments and strings is ignored. */
export async function findModuleUrls(source: string, loader: Loader): Promise<ModuleUrl[]> {
  const found = [...source.matchAll(MODULE_URL)]
  if (found.length === 0) return []
  // esbuild reports the errors of a source that it cannot compile when it loads the module.
  const script = await transform(source, { loader, jsx: 'automatic', logLevel: 'silent' }).catch(() => null)
  if (!script) return []
  const { urls, workers } = listUrls(script.code)
  return found.flatMap((match): ModuleUrl[] => {
    const [start = 0, end = 0] = match.indices?.[1] ?? []
    const specifier = match[3] ?? ''
    return urls.has(specifier) ? [{ specifier, start, end, isWorker: workers.has(specifier) }] : []
  })
}

function listUrls(code: string): { urls: ReadonlySet<string>; workers: ReadonlySet<string> } {
  const urls = new Set<string>()
  const workers = new Set<string>()
  for (const node of nodesIn(parseScript(code))) {
    if (node.type !== 'NewExpression' || node.callee.type !== 'Identifier') continue
    const [first] = node.arguments
    if (node.callee.name === 'URL') urls.add(textOf(first))
    else if (/^(Shared)?Worker$/.test(node.callee.name) && first?.type === 'NewExpression')
      workers.add(textOf(first.arguments[0]))
  }
  return { urls, workers }
}

function textOf(node: AnyNode | undefined): string {
  if (node?.type === 'TemplateLiteral') return node.quasis[0]?.value.cooked ?? ''
  return node?.type === 'Literal' && typeof node.value === 'string' ? node.value : ''
}
