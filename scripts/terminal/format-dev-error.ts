import {
  DEV_ERROR_KINDS,
  type DevCause,
  type DevError,
  type DevFrame,
  type DevStackLine,
} from '../../src/shared/wire/dev-protocol.ts'
import { formatCode, formatNamedPlace } from './format-failure.ts'
import { type Paint, toLine, toLines } from './text.ts'

/** The properties of the terminal. */
export interface DevView {
  paint: Paint
  /** The width in columns; infinite when lines are not cut. */
  width: number
}

const LINES_AROUND = 3

/** Formats an error in development: what failed, its place with the code, and the site's frames. */
export function formatDevError(error: DevError, view: DevView): string[] {
  const { paint } = view
  const { kind, title, message, code, fix, digest, browser, frame, diff = [], componentStack, causes = [] } = error
  const { lookUp = '', note } = error
  const [first = '', ...rest] = toLines(message)
  const lines = [...error.stack, ...causes.flatMap(({ stack }) => stack)]
  const where = browser === undefined ? '' : paint('dim', ` (${toLine(browser)})`)
  return [
    `${paint('red', paint('bold', DEV_ERROR_KINDS[kind]))}  ${paint('bold', toLine(title))}${where}`,
    paint('red', code === undefined ? first : `Error [${code}] ${first}`),
    // Indented, so that no line of a message can look like a line of this report.
    ...rest.map((line) => paint('red', `  ${line}`)),
    ...(fix === undefined ? [] : [`Try: ${toLine(fix)}`]),
    ...(digest === undefined ? [] : [`Digest ${digest}${paint('dim', `, see: ${toLine(lookUp)}`)}`]),
    ...(diff.length > 0 ? ['', ...formatDiff(diff, paint)] : []),
    ...(frame
      ? [
          '',
          ...formatFrame(
            frame,
            lines.find((line) => isAt(line, frame)),
            view,
          ),
        ]
      : []),
    ...(note === undefined ? [] : [note]),
    ...formatStack(
      error.stack.filter((line) => !frame || !isAt(line, frame)),
      paint,
    ),
    ...causes.flatMap((cause) => formatCause(cause, paint)),
    ...formatComponents(componentStack, paint),
    '',
  ]
}

/** Formats an error that is displayed already, and has occurred again. */
export function formatDevRepeat({ kind, title, message, digest }: DevError, { paint }: DevView): string {
  const [first = ''] = toLines(message)
  const again = digest === undefined ? 'again' : `again, digest ${digest}`
  return `${paint('red', DEV_ERROR_KINDS[kind])}  ${toLine(title)}: ${first} ${paint('dim', `(${again})`)}`
}

function formatDiff(diff: NonNullable<DevError['diff']>, paint: Paint): string[] {
  return [
    `  ${paint('red', '- sent by the server')}  ${paint('green', '+ rendered by the browser')}`,
    ...diff.map(({ side, text }) => {
      if (side === 'server') return paint('red', `  - ${toLine(text)}`)
      return side === 'browser' ? paint('green', `  + ${toLine(text)}`) : paint('dim', `    ${toLine(text)}`)
    }),
  ]
}

function formatFrame(frame: DevFrame, line: DevStackLine | undefined, { paint, width }: DevView): string[] {
  const place = formatNamedPlace(line?.name ?? '', frame)
  if (!frame.code) return [paint('cyan', place)]
  const { firstLine, lines } = frame.code
  const from = Math.max(firstLine, frame.line - LINES_AROUND)
  const shown = lines.slice(from - firstLine, frame.line - firstLine + LINES_AROUND + 1)
  return [paint('cyan', place), ...formatCode({ firstLine: from, lines: shown }, frame, paint, width)]
}

function isAt({ place }: DevStackLine, { file, line }: DevFrame): boolean {
  return place?.file === file && place.line === line
}

function formatStack(stack: readonly DevStackLine[], paint: Paint): string[] {
  return stack
    .filter(({ isSite }) => isSite)
    .map(({ name, place }) => paint('dim', `  at ${formatNamedPlace(name, place)}`))
}

function formatCause({ message, stack }: DevCause, paint: Paint): string[] {
  const [first = '', ...rest] = toLines(message)
  return ['', `Caused by: ${paint('red', first)}`, ...rest.map((line) => `  ${line}`), ...formatStack(stack, paint)]
}

function formatComponents(components: readonly DevStackLine[], paint: Paint): string[] {
  return components.map(({ name, place }) => paint('dim', `  in ${formatNamedPlace(name, place)}`))
}
