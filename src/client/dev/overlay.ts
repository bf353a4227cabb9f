// Shows the errors of a site in development over the page. Independent of React and of the page's styles.

import { DEV_ERROR_KINDS, type DevError, type DevPlace } from '../../shared/wire/dev-protocol.ts'
import {
  button,
  element,
  type Open,
  showCause,
  showComponents,
  showDiff,
  showFacts,
  showFrame,
  showStack,
} from './overlay-parts.ts'
import { STYLE } from './overlay-style.ts'

export interface OverlaySettings {
  /** The path below which the site is mounted, without a trailing slash. */
  base: string
  /** True for a page that consists of the overlay, which then cannot be closed (false). */
  isPage?: boolean
  /** Returns whether an error concerns the page. The overlay does not open by itself for others (all errors do). */
  concerns?(error: DevError): boolean
}

export function createOverlay({ base, isPage = false, concerns = () => true }: OverlaySettings) {
  let panel: ReturnType<typeof createPanel> | null = null
  let errors: readonly DevError[] = []
  let isFirst = true
  const memory = createClosedErrors(() => idsOf(errors))
  memory.tidy()

  function onClose() {
    memory.write(idsOf(errors))
  }

  return {
    /**
     * Shows the complete list of current errors. An empty list removes the overlay. It opens by itself for an error that
     * is new; when the page is loaded, for an error of this page. Errors that were closed stay closed.
     */
    showErrors(next: readonly DevError[]) {
      const shownIds = idsOf(errors)
      errors = next
      const closed = memory.read()
      memory.tidy()
      const isUrgent = (error: DevError) => isNews(error) && concerns(error)
      const isNews = ({ id, path }: DevError) =>
        !closed.includes(id) && (isFirst ? path === undefined || path === location.pathname : !shownIds.includes(id))
      const urgent = errors.find((error) => isPage || isUrgent(error))
      isFirst = false
      if (errors.length === 0) {
        panel?.remove()
        panel = null
        return
      }
      panel ??= createPanel({ isPage, onClose, openPlace: (place) => openInEditor(base, place) })
      panel.update(errors, urgent?.id)
      if (urgent) panel.open()
    },
  }
}

function idsOf(errors: readonly DevError[]): string[] {
  return errors.map(({ id }) => id)
}

/**
 * Returns a shadow root in an element of its own below `<html>`, where the page's styles have no effect. If the
 * element is removed, it is added again: when React renders the whole document again, it removes elements that it
 * does not know.
 *
 * @param name The name of the element.
 * @param onReturn Called when the element was removed and is in the document again.
 */
export function createHost(name: string, style: string, onReturn = () => {}): { root: ShadowRoot; remove(): void } {
  const host = document.createElement(name)
  const root = host.attachShadow({ mode: 'open' })
  // A style element would need the nonce of the page's policy.
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(style)
  root.adoptedStyleSheets = [sheet]
  const observer = new MutationObserver(attach)

  function attach() {
    const isReturn = !host.isConnected && observed !== null
    if (!host.isConnected) document.documentElement.append(host)
    if (observed !== document.documentElement) observe(document.documentElement)
    if (isReturn) onReturn()
  }

  let observed: HTMLElement | null = null
  function observe(html: HTMLElement) {
    observed = html
    observer.disconnect()
    observer.observe(document, { childList: true })
    observer.observe(html, { childList: true })
  }

  attach()
  return {
    root,
    remove() {
      observer.disconnect()
      host.remove()
    },
  }
}

/** Returns the elements that show an error. The ids of its heading and message are `title` and `message`. */
function showError(error: DevError, open: Open): { kind: HTMLElement; content: readonly Node[] } {
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

export interface PanelSettings {
  isPage: boolean
  /** Called when the developer closes the dialog. */
  onClose(): void
  /** Opens a place in the editor. Resolves with what the developer should read. */
  openPlace(place: DevPlace): Promise<string>
}

/** Creates the overlay's elements: a dialog that shows one error at a time, and the button that opens it. */
function createPanel({ isPage, onClose, openPlace }: PanelSettings) {
  let errors: readonly DevError[] = []
  let index = 0
  let rendered = ''
  const { dialog, opener, kind, count, pager, content, note } = createElements(isPage, { go, open, close })
  const host = createHost('hydrant-overlay', STYLE, () => {
    // A dialog that was removed from the document is no longer modal.
    if (!dialog.open) return
    dialog.close()
    open()
  })
  host.root.append(dialog, opener)

  function go(step: number) {
    index = (index + step + errors.length) % errors.length
    render()
  }

  function open() {
    if (dialog.open) return
    if (isPage) dialog.show()
    else dialog.showModal()
    // The name and the message are then read, and Tab leads to the first button.
    dialog.focus()
  }

  function close() {
    if (isPage) return
    onClose()
    dialog.close()
  }

  function render() {
    const error = errors[index]
    count.textContent = `${index + 1} of ${errors.length}`
    pager.hidden = errors.length === 1
    opener.textContent = errors.length === 1 ? '1 error' : `${errors.length} errors`
    // An unchanged error keeps its focus and scroll position.
    const text = JSON.stringify(error)
    if (!error || text === rendered) return
    rendered = text
    const view = showError(error, (place) => void showAnswer(place))
    kind.replaceChildren(view.kind)
    content.replaceChildren(...view.content)
    content.scrollTop = 0
    note.textContent = ''
  }

  async function showAnswer(place: DevPlace) {
    note.textContent = 'Opening the editor…'
    note.textContent = await openPlace(place)
  }

  return {
    open,
    /** @param urgent The id of the error to show, unless another one is being read. */
    update(list: readonly DevError[], urgent: string | undefined) {
      const id = dialog.open ? errors[index]?.id : (urgent ?? errors[index]?.id)
      errors = list
      const found = errors.findIndex((error) => error.id === id)
      index = Math.max(0, found)
      render()
    },
    remove() {
      dialog.close()
      host.remove()
    },
  }
}

interface Controls {
  go(step: number): void
  open(): void
  close(): void
}

function createElements(isPage: boolean, { go, open, close }: Controls) {
  const note = element('p', { class: 'note', role: 'status' })
  const count = element('span', { class: 'count', role: 'status' })
  const kind = element('div', { class: 'kinds' })
  const content = element('div', { class: 'content' })
  const previous = button({ 'aria-label': 'Previous error' }, () => go(-1), '←')
  const next = button({ 'aria-label': 'Next error' }, () => go(1), '→')
  const pager = element('div', { class: 'pager', role: 'group', 'aria-label': 'Errors' }, previous, count, next)
  const closer = isPage ? null : button({ class: 'close', 'aria-label': 'Close' }, close, '✕')
  const dialog = element(
    'dialog',
    { class: isPage ? 'page' : 'over', tabindex: '-1', 'aria-labelledby': 'title', 'aria-describedby': 'message' },
    element('header', {}, kind, pager, closer),
    content,
    note,
  )
  dialog.addEventListener('cancel', close)
  dialog.addEventListener('keydown', ({ key, target }) => {
    // In code these keys scroll.
    if (target instanceof Element && target.closest('pre')) return
    if (key === 'ArrowLeft') go(-1)
    if (key === 'ArrowRight') go(1)
  })
  const opener = button({ class: 'opener', hidden: isPage }, open)
  return { dialog, opener, kind, count, pager, content, note }
}

// Remembers which errors the developer has closed, also when the page loads again.

const KEY = 'hydrant-closed-errors'
/** The errors of a page are gone for a moment while it loads again. */
const FORGET_AFTER_MS = 2_000

/** Creates the memory. `currentIds` returns the ids of the current errors: closed errors that are gone are forgotten. */
function createClosedErrors(currentIds: () => readonly string[]) {
  let timer: ReturnType<typeof setTimeout> | undefined

  function forgetGone() {
    const current = currentIds()
    write(read().filter((id) => current.includes(id)))
  }

  return {
    read,
    write,
    /** Forgets the closed errors that are still gone in a moment. */
    tidy() {
      clearTimeout(timer)
      timer = setTimeout(forgetGone, FORGET_AFTER_MS)
    },
  }
}

function read(): readonly string[] {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? '[]')
    return Array.isArray(stored) ? stored.map(String) : []
  } catch {
    // The browser does not allow storage.
    return []
  }
}

function write(ids: readonly string[]) {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(ids))
  } catch {
    // The browser does not allow storage. The errors open again when the page is loaded again.
  }
}

/**
 * Asks the development server to open a place in the developer's editor. Returns what the developer should read: an
 * empty text when the editor opens.
 *
 * @param base The path below which the site is mounted, without a trailing slash.
 */
export async function openInEditor(base: string, { file, line, column, export: name = '' }: DevPlace): Promise<string> {
  const query = new URLSearchParams({ file, line: String(line), column: String(column), export: name })
  try {
    const response = await fetch(`${base}/_hydrant/dev/open?${query}`, { method: 'POST' })
    return response.ok ? '' : (await response.text()).trim()
  } catch {
    return 'The development server does not respond.'
  }
}
