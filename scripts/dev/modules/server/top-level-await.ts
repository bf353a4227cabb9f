// esbuild refuses a top-level await in CommonJS. It accepts the calls that replace the await here.

import type { AnyNode } from 'acorn'
import { nodesIn, parseScript } from '../../../build/output/parse-script.ts'
import { applyEdits, type Edit } from '../apply-edits.ts'

/** The function whose calls replace `await` for one compilation. Its name is as long as `await`, so columns stay. */
const AWAIT = '$w$it'

/** Replaces each `await` outside of functions, which esbuild refuses in CommonJS, by a call. */
export function hideAwait(code: string): string {
  const edits: Edit[] = []
  const functions = []
  for (const node of nodesIn(parseScript(code))) {
    if (/Function|^StaticBlock$|^PropertyDefinition$/.test(node.type)) functions.push(node)
    const isInner = functions.some(({ start, end }) => start <= node.start && node.end <= end)
    if (isInner) continue
    if (node.type === 'AwaitExpression') {
      edits.push({ start: node.start, end: node.start + 'await '.length, text: `${AWAIT}(` })
      edits.push({ start: node.end, end: node.end, text: ')' })
    } else if (node.type === 'ForOfStatement' && node.await) {
      edits.push({ start: node.start, end: node.start + 'for await '.length, text: 'for ' })
      edits.push({ start: node.right.start, end: node.right.start, text: `${AWAIT}(` })
      edits.push({ start: node.right.end, end: node.right.end, text: ')' })
    }
  }
  return applyEdits(code, edits)
}

/** Replaces the calls by `await` again. */
export function showAwait(code: string): string {
  const edits: Edit[] = []
  const loops = new Set<unknown>()
  for (const node of nodesIn(parseScript(code))) {
    if (node.type === 'ForOfStatement' && isHidden(node.right)) {
      loops.add(node.right)
      edits.push({ start: node.start, end: node.start + 'for'.length, text: 'for await' })
      edits.push({ start: node.right.start, end: node.right.start + AWAIT.length, text: '' })
    } else if (isHidden(node) && !loops.has(node)) {
      edits.push({ start: node.start, end: node.start + AWAIT.length, text: '(await ' })
      edits.push({ start: node.end, end: node.end, text: ')' })
    }
  }
  return applyEdits(code, edits)
}

function isHidden(node: AnyNode): boolean {
  return node.type === 'CallExpression' && node.callee.type === 'Identifier' && node.callee.name === AWAIT
}
