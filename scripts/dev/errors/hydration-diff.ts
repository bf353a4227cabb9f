import type { DevDiffLine } from '../../../src/shared/wire/dev-protocol.ts'

/** A message of React about a document that differs from what the browser rendered. */
export interface HydrationMismatch {
  /** React's sentence, without its list of possible reasons. */
  sentence: string
  diff: DevDiffLine[]
}

const LINK = 'https://react.dev/link/hydration-mismatch'
/** Components of Hydrant around those of the site. */
const OWN = /^\s*<(?:Committed|Boundary)\b.*>$/
/** Props that say nothing about the difference. */
const EMPTY_PROP = / [\w-]+=\{(?:undefined|null|\{\}|URL|function)\}/g
/** Lines above the first difference that are shown. */
const MAX_CONTEXT = 8

/** Reads React's message. Returns null for any other message. */
export function readHydrationMismatch(message: string): HydrationMismatch | null {
  const at = message.indexOf(LINK)
  if (at === -1) return null
  const lines = message
    .slice(at + LINK.length)
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(toDiffLine)
    .filter(({ side, text }) => side !== 'both' || !OWN.test(text))
  const [sentence = ''] = /^.*?\.(?=\s|$)/.exec(message) ?? []
  return { sentence, diff: withoutIndent(nearChanges(lines)) }
}

// React marks lines of the browser with a plus and lines of the server with a minus.
function toDiffLine(line: string): DevDiffLine {
  const text = line.replace(/^[+-]/, ' ')
  if (line.startsWith('+')) return { side: 'browser', text }
  if (line.startsWith('-')) return { side: 'server', text }
  return { side: 'both', text: text.trimStart().startsWith('<') ? text.replace(EMPTY_PROP, '') : text }
}

/** Removes lines that are far above the first difference: React shows each component up to the root. */
function nearChanges(lines: readonly DevDiffLine[]): readonly DevDiffLine[] {
  const first = lines.findIndex(({ side }) => side !== 'both')
  const last = lines.findLastIndex(({ side }) => side !== 'both')
  if (first === -1) return lines
  return lines.slice(Math.max(0, first - MAX_CONTEXT), last + 4)
}

function withoutIndent(lines: readonly DevDiffLine[]): DevDiffLine[] {
  const indent = Math.min(...lines.map(({ text }) => text.length - text.trimStart().length))
  return lines.map(({ side, text }) => ({ side, text: text.slice(Math.min(indent, text.length)).trimEnd() }))
}
