import type { Program } from 'acorn'
import { nodesIn } from '../../../build/output/parse-script.ts'

/** Lists the texts that a script's calls of a function have as the argument at `index`: literals only. */
export function listArguments(program: Program, functionName: string, index: number): Set<string> {
  const found = new Set<string>()
  for (const node of nodesIn(program)) {
    if (node.type !== 'CallExpression' || node.callee.type !== 'Identifier' || node.callee.name !== functionName)
      continue
    const argument = node.arguments[index]
    if (argument?.type === 'Literal' && typeof argument.value === 'string') found.add(argument.value)
  }
  return found
}
