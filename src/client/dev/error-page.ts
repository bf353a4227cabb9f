// The script of the page that a browser gets while a site does not build or start.

import type { DevError, DevMessage } from '../../shared/wire/dev-protocol.ts'
import { listenToServer } from './listen-to-server.ts'
import { createOverlay } from './overlay.ts'

/** Shows the errors in the page's data, until the site is built again. */
function showErrorPage() {
  const data = document.querySelector('script[type="application/json"]')
  // Written by `createErrorPage`.
  const { base, errors } = JSON.parse(data?.textContent ?? '') as { base: string; errors: DevError[] }
  const overlay = createOverlay({ base, isPage: true })
  for (const main of document.querySelectorAll('main')) main.hidden = true
  overlay.showErrors(errors)
  const onMessage = (message: DevMessage) => {
    if (message.type !== 'errors') location.reload()
    else if (message.errors.length > 0) overlay.showErrors(message.errors)
  }
  listenToServer({ base, since: '', onMessage })
}

showErrorPage()
