// Shows the errors of a site in development over the page. Independent of React and of the page's styles.

import type { DevError } from '../../shared/wire/dev-protocol.ts'
import { createClosedErrors } from './closed-errors.ts'
import { openInEditor } from './open-in-editor.ts'
import { createPanel } from './overlay-panel.ts'

export interface Overlay {
  /**
   * Shows the complete list of current errors. An empty list removes the overlay. It opens by itself for an error that
   * is new; when the page is loaded, for an error of this page. Errors that were closed stay closed.
   */
  showErrors(errors: readonly DevError[]): void
}

export interface OverlaySettings {
  /** The path below which the site is mounted, without a trailing slash. */
  base: string
  /** True for a page that consists of the overlay, which then cannot be closed (false). */
  isPage?: boolean
  /** Returns whether an error concerns the page. The overlay does not open by itself for others (all errors do). */
  concerns?(error: DevError): boolean
}

export function createOverlay({ base, isPage = false, concerns = () => true }: OverlaySettings): Overlay {
  let panel: ReturnType<typeof createPanel> | null = null
  let errors: readonly DevError[] = []
  let isFirst = true
  const memory = createClosedErrors(() => idsOf(errors))
  memory.tidy()

  function onClose() {
    memory.write(idsOf(errors))
  }

  return {
    showErrors(next) {
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
