import { DEV_ERROR_KINDS, type DevError } from '../../shared/wire/dev-protocol.ts'
import { element } from './elements.ts'
import { type Open, showCause, showComponents, showDiff, showFacts, showFrame, showStack } from './overlay-parts.ts'

/** Returns the elements that show an error. The ids of its heading and message are `title` and `message`. */
export function showError(error: DevError, open: Open): { kind: HTMLElement; content: readonly Node[] } {
  const { kind, title, message, code, fix, frame, note, diff, stack, componentStack, causes = [] } = error
  const parts = [
    element('h1', { id: 'title' }, title),
    element('p', { class: 'message', id: 'message' }, message),
    fix === undefined ? null : element('p', { class: 'fix' }, `Try: ${fix}`),
    showFacts(error),
    diff && diff.length > 0 ? showDiff(diff) : null,
    frame && showFrame(frame, stack, open),
    note === undefined ? null : element('p', {}, note),
    ...causes.map((cause) => showCause(cause, open)),
    showComponents(componentStack, open),
    stack.length > 1 || !frame ? showStack(stack, open) : null,
  ]
  return {
    kind: element('p', { class: 'kind' }, DEV_ERROR_KINDS[kind], code === undefined ? null : element('code', {}, code)),
    content: parts.filter((part) => part !== null),
  }
}
