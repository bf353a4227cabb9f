import { type Loader, transform } from 'esbuild'
import { nodesIn, parseScript } from '../output/parse-script.ts'

/** A worker that a module starts: `new Worker(new URL('./sum.ts', import.meta.url))`. */
export interface StartedWorker {
  /** The text between the quotes. */
  specifier: string
  /** The position of the first quote in the source, and of the end of the last one. */
  start: number
  end: number
}

const START =
  /\bnew\s+(?:Shared)?Worker\s*\(\s*new\s+URL\s*\(\s*((["'`])([^"'`$\n\\]+)\2)\s*,\s*import\.meta\.url\s*,?\s*\)/dg

/** Returns whether a source may start a worker. */
export function mayStartWorker(source: string): boolean {
  return source.search(START) !== -1
}

/** Finds the workers that a module starts. Such code in comments and strings is ignored. */
export async function findWorkers(source: string, loader: Loader): Promise<StartedWorker[]> {
  const found = [...source.matchAll(START)].map((match): StartedWorker => {
    const [start = 0, end = 0] = match.indices?.[1] ?? []
    return { specifier: match[3] ?? '', start, end }
  })
  if (found.length === 0) return []
  // esbuild reports the errors of a source that it cannot compile when it loads the module.
  const script = await transform(source, { loader, jsx: 'automatic', logLevel: 'silent' }).catch(() => null)
  if (!script) return []
  const started = listStarted(script.code)
  return found.filter(({ specifier }) => started.has(specifier))
}

function listStarted(code: string): Set<string> {
  const started = new Set<string>()
  for (const node of nodesIn(parseScript(code))) {
    if (node.type !== 'NewExpression' || node.callee.type !== 'Identifier') continue
    const [url] = node.arguments
    if (!/^(Shared)?Worker$/.test(node.callee.name) || url?.type !== 'NewExpression') continue
    const [path] = url.arguments
    if (path?.type === 'Literal' && typeof path.value === 'string') started.add(path.value)
    if (path?.type === 'TemplateLiteral') started.add(path.quasis[0]?.value.cooked ?? '')
  }
  return started
}
