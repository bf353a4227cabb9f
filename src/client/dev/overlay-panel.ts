import type { DevError, DevPlace } from '../../shared/wire/dev-protocol.ts'
import { button, element } from './elements.ts'
import { createHost } from './overlay-host.ts'
import { showError } from './overlay-view.ts'

export interface PanelSettings {
  isPage: boolean
  /** Called when the developer closes the dialog. */
  onClose(): void
  /** Opens a place in the editor. Resolves with what the developer should read. */
  openPlace(place: DevPlace): Promise<string>
}

/** Creates the overlay's elements: a dialog that shows one error at a time, and the button that opens it. */
export function createPanel({ isPage, onClose, openPlace }: PanelSettings) {
  let errors: readonly DevError[] = []
  let index = 0
  let rendered = ''
  const { dialog, opener, kind, count, pager, content, note } = createElements(isPage, { go, open, close })
  const host = createHost(() => {
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
    // Equal content stays, with its focus and scroll position.
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
