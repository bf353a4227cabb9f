// Reloads the page after each build, and shows the errors of the site. In development only.

import { base } from '../shared/base.ts'
import type { DevMessage } from '../shared/wire/dev-protocol.ts'
import { reportMismatches } from './dev/attribute-mismatches.ts'
import { createOverlay } from './dev/overlay.ts'

const overlay = createOverlay({ base })
const events = new EventSource(`${base}/_hydrant/dev`)
events.addEventListener('reload', () => location.reload())
events.addEventListener('message', ({ data }) => {
  // Written by the development server.
  const message = JSON.parse(data) as DevMessage
  if (message.type === 'errors') overlay.showErrors(message.errors)
})
reportMismatches()
