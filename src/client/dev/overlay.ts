// Shows the errors of a site in development over the page. Independent of React and of the page's styles.

import type { DevError, DevPlace } from '../../shared/wire/dev-protocol.ts'
import { readClosed, writeClosed } from './closed-errors.ts'
import { button, element } from './elements.ts'
import { openInEditor } from './open-in-editor.ts'
import { createHost } from './overlay-host.ts'
import { showError } from './overlay-view.ts'

export interface Overlay {
  /** Shows the complete list of current errors. An empty list removes the overlay. */
  showErrors(errors: readonly DevError[]): void
}

export interface OverlaySettings {
  /** The path below which the site is mounted, without a trailing slash. */
  base: string
  /** True for a page that consists of the overlay, which then cannot be closed (false). */
  isPage?: boolean
}

export function createOverlay({ base, isPage = false }: OverlaySettings): Overlay {
  let shown: ReturnType<typeof createPanel> | null = null
  let errors: readonly DevError[] = []

  function close() {
    writeClosed(errors.map(({ id }) => id))
    shown?.close()
  }

  return {
    showErrors(next) {
      errors = next
      const closed = readClosed(errors.map(({ id }) => id))
      if (errors.length === 0) {
        shown?.remove()
        shown = null
        return
      }
      shown ??= createPanel(base, isPage, close)
      shown.update(errors)
      if (isPage || errors.some(({ id }) => !closed.has(id))) shown.open()
      else shown.close()
    },
  }
}

/** The elements of the overlay: a dialog, and the button that opens it again. */
function createPanel(base: string, isPage: boolean, onClose: () => void) {
  let errors: readonly DevError[] = []
  let index = 0
  let rendered = ''
  const note = element('p', { class: 'note', role: 'status' })
  const count = element('span', { class: 'count', role: 'status' })
  const kind = element('div', { class: 'kinds' })
  const content = element('div', { class: 'content' })
  const previous = button({ 'aria-label': 'Previous error' }, () => go(-1), '←')
  const next = button({ 'aria-label': 'Next error' }, () => go(1), '→')
  const pager = element('div', { class: 'pager', role: 'group', 'aria-label': 'Errors' }, previous, count, next)
  const closer = isPage ? null : button({ class: 'close', 'aria-label': 'Close' }, onClose, '✕')
  const header = element('header', {}, kind, pager, closer)
  const dialog = element(
    'dialog',
    { class: isPage ? 'page' : 'over', 'aria-labelledby': 'title', 'aria-describedby': 'message' },
    header,
    content,
    note,
  )
  const opener = button({ class: 'opener', hidden: true }, open)
  const host = createHost(() => {
    // A dialog that was removed from the document is no longer modal.
    if (!dialog.open) return
    dialog.close()
    open()
  })

  dialog.addEventListener('cancel', onClose)
  // A browser may close a dialog without the event `cancel`.
  dialog.addEventListener('close', () => {
    opener.hidden = dialog.open
  })
  dialog.addEventListener('keydown', ({ key, target }) => {
    // In code these keys scroll.
    if (target instanceof Element && target.closest('pre')) return
    if (key === 'ArrowLeft') go(-1)
    if (key === 'ArrowRight') go(1)
  })
  host.root.append(dialog, opener)

  function go(step: number) {
    index = (index + step + errors.length) % errors.length
    render()
  }

  function render() {
    const error = errors[index]
    count.textContent = `${index + 1} of ${errors.length}`
    pager.hidden = errors.length === 1
    opener.textContent = errors.length === 1 ? '1 error' : `${errors.length} errors`
    // The same content stays, with its focus and scroll position.
    const text = JSON.stringify(error)
    if (!error || text === rendered) return
    rendered = text
    const view = showError(error, openPlace)
    kind.replaceChildren(view.kind)
    content.replaceChildren(...view.content)
    content.scrollTop = 0
    note.textContent = ''
  }

  function openPlace(place: DevPlace) {
    note.textContent = 'Opening the editor…'
    openInEditor(base, place).then((text) => {
      note.textContent = text
    })
  }

  function open() {
    opener.hidden = true
    if (dialog.open) return
    if (isPage) dialog.show()
    else dialog.showModal()
  }

  return {
    open,
    update(list: readonly DevError[]) {
      // The error that is displayed stays in place when others come and go.
      const id = errors[index]?.id
      errors = list
      index = Math.max(
        0,
        errors.findIndex((error) => error.id === id),
      )
      render()
    },
    close() {
      dialog.close()
      opener.hidden = false
    },
    remove() {
      dialog.close()
      host.remove()
    },
  }
}
